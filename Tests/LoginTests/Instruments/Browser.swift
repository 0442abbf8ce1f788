import Login
import Refusals
import Sessions

/// A browser as far as logins see one: it keeps cookies, and brings them back when a browser would.
struct Browser: Sendable {
    struct Cookie: Sendable {
        let name: String
        let value: String
        let attributes: [String]
        var sameSite: String? {
            attributes.first { $0.hasPrefix("SameSite=") }.map { String($0.dropFirst("SameSite=".count)) }
        }
    }

    private(set) var jar: [Cookie] = []

    /// Keeps, replaces and deletes cookies as the lines say.
    mutating func keep(_ lines: [String]) {
        for line in lines {
            let parts = line.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let pair = parts.first, let sign = pair.firstIndex(of: "=") else { continue }
            let name = String(pair[..<sign])
            let attributes = parts.dropFirst().map(String.init)
            jar.removeAll { $0.name == name }
            guard !attributes.contains("Max-Age=0") else { continue }
            jar.append(
                Cookie(name: name, value: String(pair[pair.index(after: sign)...]), attributes: attributes))
        }
    }

    /// What `Cookie` is; of a form that another site posts, only those for every site come along.
    func cookies(fromOtherSitesForm: Bool = false) -> [UInt8] {
        let sent = fromOtherSitesForm ? jar.filter { $0.sameSite == "None" } : jar
        return Array(sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ").utf8)
    }

    func value(of name: String) -> String? { jar.first { $0.name == name }?.value }

    /// Puts a cookie there that no answer set.
    mutating func plant(_ name: String, _ value: String) {
        jar.removeAll { $0.name == name }
        jar.append(Cookie(name: name, value: value, attributes: ["SameSite=Lax"]))
    }

    /// The cookies of logins under way.
    var transactions: [Cookie] { jar.filter { $0.name.hasPrefix(TransactionSealer.prefix) } }
}

extension LoginAnswer {
    /// Where the browser is sent; nil for every other answer.
    var location: String? { if case .redirect(let location) = content { location } else { nil } }

    /// Why nothing goes on; nil for every other answer.
    var refusal: Refusal? { if case .refused(let refusal, _) = content { refusal } else { nil } }

    /// The row of the check that failed.
    var found: String? { if case .refused(_, let detail) = content { detail.found } else { nil } }
    var check: String? { if case .refused(_, let detail) = content { detail.check } else { nil } }

    /// All of it that a browser or an operator gets to see.
    var seen: String {
        var seen = "\(content)" + cookies.joined(separator: "\n") + fields.map { $0.0 + $0.1 }.joined()
        if let retry { seen += retry }
        return seen
    }

    var page: LoginPage? { if case .page(let page) = content { page } else { nil } }
}
