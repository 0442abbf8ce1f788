import HTTPMessage
import TestTraits
import Testing

@Suite struct `authorization field` {
    /// The scheme in lower case and the token, `other` or `malformed`.
    private func parse(_ value: String) -> String {
        let bytes = Array(value.utf8)
        func text(_ range: ByteRange) -> String { String(decoding: bytes[range.range], as: UTF8.self) }
        switch AuthorizationField.parse(bytes.span) {
        case .bearer(let token): return "bearer \(text(token))"
        case .dpop(let token): return "dpop \(text(token))"
        case .otherScheme: return "other"
        case .malformed: return "malformed"
        }
    }

    @Test(
        .holds("RS-01"),
        arguments: [
            ("Bearer abc", "abc"), ("bEaReR  tok", "tok"), ("BEARER x", "x"),
            ("bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="),
            ("Bearer     AbC", "AbC"),
            ("Bearer 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"), ("Bearer a=", "a="),
            ("Bearer Bearer", "Bearer"),
        ])
    func `a Bearer token is found whatever the scheme's case, and keeps its own`(value: String, token: String) {
        #expect(parse(value) == "bearer \(token)")
        #expect(parse("dPoP" + value.dropFirst(6)) == "dpop \(token)")
    }

    @Test(
        .refuses("RS-01", "RS-04"),
        arguments: [
            "Bearer\ttok", "Bearer \ttok", "Bearer", "Bearer ", "Bearer  ", "Bearer a b", "Bearer a,b", "Bearer \"x\"",
            "Bearer a, Bearer b", "Bearer =",
            "Bearer =a", "Bearer a=b", "Bearer a==b", "Bearer a\u{e9}", "Bearer a:b", "Bearer a ", "Bearer a\t",
            "Bearer,a",
            "Bearer/abc",
            "Bearer=abc", "Bearer:abc",
            "Bearer a*b", "Bearer {a}", "Bearer aaaaaaaaaaaaaaa\u{0}a", "Bearer aaaaaaa;aaaaaaaa",
            "Bearer aaaaaaaaaaaaaaaaaaaaaaa aaaaaaaa",
            "Bearer 1234567\u{80}", "Bearer a=======b", "Bearer\u{a0}abc",
        ])
    func `credentials that are no token68 are malformed`(value: String) {
        #expect(parse(value) == "malformed")
        #expect(parse("DPoP" + value.dropFirst(6)) == "malformed")
    }

    @Test(.refuses("RS-04")) func `no octet but those of token68 stands in a token, at any place`() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/".utf8)
        for octet in UInt8.min...UInt8.max where !allowed.contains(octet) {
            for place in 0..<18 {
                var token = [UInt8](repeating: 0x61, count: 18)
                token[place] = octet
                let isPadding = octet == 0x3d && place == 17
                let isSpace = octet == 0x20 && place == 0
                let form = AuthorizationField.parse((Array("Bearer ".utf8) + token).span)
                if (form == .malformed) == (isPadding || isSpace) { Issue.record("\(octet) at \(place)") }
            }
        }
    }

    @Test(
        .refuses("RS-04"),
        arguments: ["", " ", "\"x\"", "=", "\u{e9}", ",", " Bearer abc", "\tBearer abc", "(Bearer) abc"])
    func `a value without a scheme is malformed`(value: String) {
        #expect(parse(value) == "malformed")
    }

    @Test(
        .refuses("RS-03"),
        arguments: [
            "Basic dXNlcjpwYXNz", "Digest username=\"x\"", "Negotiate", "Bearers abc", "Bear abc", "BearerToken",
            "DPoPX abc", "DPo x", "B", "NTLM \"x\"",
            "Bearer-abc", "earerb abc", "Basic", "Bearer.abc",
        ])
    func `another scheme is as if nothing had been sent`(value: String) {
        #expect(parse(value) == "other")
    }
}
