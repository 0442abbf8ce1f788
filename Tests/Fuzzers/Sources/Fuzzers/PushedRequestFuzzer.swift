import HTTPMessage
import JSON
import OAuth
import Refusals

/// What an authorization server answers to a pushed request (RFC 9126 §2.2), and where the browser is sent with it.
enum PushedRequestFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let created = read(input, status: 201)
        hold(created == read(input, status: 201), "the same answer says the same")
        hold(created == read(input, status: 200), "200 says what 201 says")
        for status in [202, 400, 401, 403, 429, 500] {
            hold(read(input, status: status) == nil, "no reference comes with an error")
        }
        guard let created else { return .refused }
        checkMembers(created, input)
        checkURL(created.requestURI)
        return .accepted
    }

    private struct Created: Equatable {
        let requestURI: String
        let expiresIn: Int64
    }

    /// A reader that knows nothing but JSON finds the same two members.
    private static func checkMembers(_ created: Created, _ body: [UInt8]) {
        guard let answer = try? JSONValue.parse(body.span) else { fatalError("an answer that is taken is JSON") }
        hold(answer["request_uri"]?.equals(created.requestURI) == true, "the reference is the server's, to the byte")
        hold((1...86_400).contains(created.expiresIn), "a lifetime is positive, and nothing that overflows")
        hold(answer["expires_in"]?.kind == .number, "a lifetime is a number")
        let bytes = created.requestURI.utf8
        hold(
            (1...512).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }, "a reference is visible"
        )
    }

    /// Whatever the reference is, the URL has two parameters and the second one is the reference.
    private static func checkURL(_ requestURI: String) {
        let prefix = "https://as.example/a?own=1&client_id=app&request_uri="
        let url = AuthorizationURL.pushed(
            endpoint: "https://as.example/a?own=1", clientID: "app", requestURI: requestURI)
        hold(url.hasPrefix(prefix), "the endpoint's query and the client come first")
        let value = Array(url.utf8.dropFirst(prefix.utf8.count))
        hold(
            value.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "%"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
                default: false
                }
            }, "nothing in a reference ends the parameter")
        hold(decode(value) == Array(requestURI.utf8), "the server gets back what it gave")
    }

    private static func decode(_ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while index < value.count {
            guard value[index] == UInt8(ascii: "%") else {
                bytes.append(value[index])
                index += 1
                continue
            }
            let digits = value[(index + 1)...].prefix(2)
            guard digits.count == 2, let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { fatalError("an escape is complete") }
            bytes.append(byte)
            index += 3
        }
        return bytes
    }

    private static func read(_ body: [UInt8], status: Int) -> Created? {
        let response = FetchResponse(status: status, contentType: "application/json", body: body)
        do throws(PushRefusal) {
            let (requestURI, expiresIn) = try PushedAuthorization.read(response)
            return Created(requestURI: requestURI, expiresIn: expiresIn)
        } catch {
            let texts = error.expected + error.found + error.check
            hold(texts.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "what the operator is told is printable")
            return nil
        }
    }
}
