import HTTPMessage
import TestSupport
import TestTraits
import Testing

@Suite struct `the Forwarded field` {
    private func count(_ text: String) throws -> Int {
        let bytes = Array(text.utf8)
        return try ForwardedField.elementCount(of: bytes.span)
    }

    /// The examples of RFC 7239 §4, §6 and §7, and their kind.
    @Test(
        .holds("HTTP-53"),
        arguments: [
            (#"for="_gazonk""#, 1), (#"For="[2001:db8:cafe::17]:4711""#, 1),
            ("for=192.0.2.60;proto=http;by=203.0.113.43", 1), ("for=192.0.2.43, for=198.51.100.17", 2),
            ("for=_hidden, for=_SEVKISEK", 2), (#"for=192.0.2.43,for="[2001:db8:cafe::17]",for=unknown"#, 3),
            (#"for=192.0.2.43, for="[2001:db8:cafe::17]""#, 2), ("FOR=Unknown", 1), (#"for="192.0.2.43:47011""#, 1),
            (#"for="192.0.2.43:_port""#, 1), (#"for="unknown:80""#, 1), ("host=shop.example.com", 1),
            (#"host="shop.example.com:8443""#, 1), (#"host="[2001:db8::1]:8443";proto=https"#, 1),
            ("secret=abc;for=10.0.0.1", 1), (#"note="a, b; c=\"d\"";for=10.0.0.1"#, 1), (#"note="""#, 1),
            (" \tfor=10.0.0.1 \t, \tfor=10.0.0.2 ", 2), ("proto=h2c+x-1.0", 1), ("by=_a.b_c-d", 1),
        ] as [(String, Int)])
    func `RFC 7239 section 4 is read whole and its elements counted`(text: String, elements: Int) throws {
        #expect(try count(text) == elements)
    }

    @Test(
        .refuses("HTTP-53"),
        arguments: [
            ("", .nothingSaid), (" ", .nothingSaid), (",", .nothingSaid), ("for=10.0.0.1,", .nothingSaid),
            ("for=10.0.0.1,,for=10.0.0.2", .nothingSaid), (";for=10.0.0.1", .nothingSaid),
            ("for=10.0.0.1;", .nothingSaid), ("for=10.0.0.1;;proto=http", .nothingSaid),
            ("for", .parameterName), ("for =10.0.0.1", .parameterName), ("=10.0.0.1", .parameterName),
            ("for=10.0.0.1; proto=http", .parameterName), ("10.0.0.1", .parameterName), (#""for"=x"#, .parameterName),
            ("for=", .parameterValue), ("for=,for=10.0.0.1", .parameterValue), ("for= 10.0.0.1", .parameterValue),
            ("for=[2001:db8::1]", .parameterValue), ("for=\u{E9}", .parameterValue),
            (#"for="10.0.0.1"#, .quotedString), (#"for=""#, .quotedString), (#"note="a\"#, .quotedString),
            ("note=\"a\u{0}b\"", .quotedString), ("note=\"a\u{7F}\"", .quotedString), ("note=\"a\rb\"", .quotedString),
            ("note=\"\\\n\"", .quotedString), (#"for="10.0.0\.1""#, .quotedString), (#"host="a\b""#, .quotedString),
            (#"proto="htt\p""#, .quotedString),
            ("for=10.0.0.1 proto=http", .separator), (#"for="10.0.0.1"x"#, .separator), ("for=10.0.0.1:80", .separator),
            ("host=a:80", .separator), ("for=10.0.0.1=2", .separator), ("for=10.0.0.1 ;proto=http", .separator),
            ("for=10.0.0.1;for=10.0.0.2", .parameterRepeated), ("for=10.0.0.1;FOR=10.0.0.1", .parameterRepeated),
            ("x=1;y=2;X=3", .parameterRepeated), ("a=1;b=1;c=1;d=1;e=1;f=1;g=1;h=1;i=1", .tooManyParameters),
            (#"for="""#, .node), ("for=example.com", .node), ("for=10.0.0.256", .node), ("for=010.0.0.1", .node),
            ("for=10.0.0", .node), ("for=_", .node), (#"for="[::1""#, .node), (#"for="[10.0.0.1]""#, .node),
            (#"for="[::1]x""#, .node), (#"for="::1""#, .node), (#"for="10.0.0.1:""#, .node),
            (#"for="10.0.0.1:123456""#, .node), (#"for="10.0.0.1:a""#, .node), (#"by="a b""#, .node),
            (#"for="[fe80::1%25eth0]""#, .node), (#"for="10.0.0.1, for=10.0.0.2""#, .node),
            (#"host="a,b""#, .host), (#"host="a/b""#, .host), (#"host="""#, .host), (#"host="u@a""#, .host),
            ("proto=1http", .scheme), (#"proto="""#, .scheme), ("proto=http_s", .scheme), (#"proto="ht tp""#, .scheme),
        ] as [(String, ForwardedField.Refusal)])
    func `RFC 7239 section 4 anything else is refused`(text: String, refusal: ForwardedField.Refusal) {
        #expect(throws: refusal) { try count(text) }
    }

    @Test(.holds("HTTP-53"), .refuses("HTTP-53")) func `is bounded`() throws {
        let most = [String](repeating: "for=10.0.0.1", count: ForwardedField.maximumElements)
        #expect(try count(most.joined(separator: ",")) == ForwardedField.maximumElements)
        #expect(throws: ForwardedField.Refusal.tooManyElements) {
            try count((most + ["for=10.0.0.1"]).joined(separator: ","))
        }
        #expect(try count("a=1;b=1;c=1;d=1;e=1;f=1;g=1;h=1") == 1)
    }

    @Test(.refuses("HTTP-53")) func `can be cut anywhere without a trap`() {
        let whole = Array(#"for="[2001:db8::17]:4711";proto=https;host="a.example:8443";n="\"," , by=_x"#.utf8)
        for start in whole.indices {
            for end in start...whole.count {
                let part = Array(whole[start..<end])
                _ = try? ForwardedField.elementCount(of: part.span)
            }
        }
    }

    @Test(.holds("HTTP-53"), .refuses("HTTP-53")) func `a value that is no token needs quotation marks`() {
        for (text, isToken) in [
            ("shop.example.com", true), ("10.0.0.1", true), ("", false), ("a:1", false), ("[::1]", false),
            ("a b", false),
            ("a,b", false), ("a;b", false), ("a\"b", false), ("\u{E9}", false),
        ] {
            let bytes = Array(text.utf8)
            #expect(ForwardedField.isToken(bytes.span) == isToken, "\(text)")
        }
    }
}
