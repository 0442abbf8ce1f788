import Access
import Bytes
package import Gateway
import HTTPMessage
import Login
import Sessions

/// A request as an operator describes it, on its way to the bytes that a client would have sent.
package struct RequestDraft {
    /// Why there is no request to explain, in a sentence.
    package struct Problem: Error, Sendable {
        package let text: String

        package init(text: String) { self.text = text }
    }

    /// `GET` and the like.
    package var method = "GET"
    /// The whole URL that the client calls.
    package var url: String
    /// `Name: value`, in order.
    package var fields: [String] = []
    /// `Bearer` or `DPoP`, and the token.
    package var credentials: (scheme: String, token: [UInt8])?
    package var proof: [UInt8]?
    /// The value of the Cookie field.
    package var cookies: [UInt8]?

    package init(url: String) { self.url = url }

    /// The head of the request, as HTTP/1.1 writes it.
    package func head() throws(Problem) -> [UInt8] {
        let (authority, target) = try Self.parts(of: url)
        var head = Array("\(method) \(target) HTTP/1.1\r\n".utf8)
        if !fields.contains(where: { Self.name(of: $0) == "host" }) { head += Array("Host: \(authority)\r\n".utf8) }
        for field in fields {
            guard let name = Self.name(of: field) else {
                throw Problem(text: "--header wants  'Name: value', not \(ShownText.quote(field, limit: 20))")
            }
            guard !Self.secretFields.contains(name) else {
                throw Problem(
                    text: "the value of \(name) would show in the list of processes and the shell's history: "
                        + "give the token with --token-file, the proof with --proof-file and cookies with --cookie-file, or all of it with --request"
                )
            }
            guard !field.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
                throw Problem(text: "--header takes one field, without line ends")
            }
            head += Array("\(field)\r\n".utf8)
        }
        if let credentials {
            head += Array("Authorization: \(credentials.scheme) ".utf8) + credentials.token + [0x0D, 0x0A]
        }
        if let proof { head += Array("DPoP: ".utf8) + proof + [0x0D, 0x0A] }
        if let cookies { head += Array("Cookie: ".utf8) + cookies + [0x0D, 0x0A] }
        return head + [0x0D, 0x0A]
    }

    /// The Cookie field that a file means: all of it, or a value alone where there is but one cookie that it can be.
    package static func cookies(_ text: [UInt8], in settings: GatewaySettings) throws(Problem) -> [UInt8] {
        if text.contains(UInt8(ascii: "=")) { return text }
        guard settings.logins.count == 1, let login = settings.logins.first else {
            throw Problem(
                text: "--cookie-file wants NAME=VALUE: the cookies of logins are "
                    + ShownText.words(settings.logins.map(\.session.cookieName), "and"))
        }
        return Array("\(login.session.cookieName)=".utf8) + text
    }

    /// Fields whose values are secrets, or stand for one.
    private static let secretFields = ["authorization", "proxy-authorization", "dpop", "cookie"]

    private static func name(of field: String) -> String? {
        guard let colon = field.firstIndex(of: ":"), colon > field.startIndex else { return nil }
        return field[..<colon].lowercased()
    }

    /// The authority and the request target, byte for byte as the URL spells them; the fragment is never sent.
    static func parts(of url: String) throws(Problem) -> (authority: String, target: String) {
        let lower = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else {
            throw Problem(text: "--url wants the whole URL, such as https://shop.example.com/api/orders/7")
        }
        let rest = url.dropFirst(scheme.utf8.count).prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.contains("@") else {
            throw Problem(text: "--url wants a host behind \(scheme), and no user name")
        }
        let target = rest[authority.endIndex...]
        return (String(authority), target.hasPrefix("/") ? String(target) : "/" + target)
    }
}
