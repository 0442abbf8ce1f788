import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

@Suite struct `compact serialization` {
    @Test(.holds("JOSE-01")) func `three segments are a signed token`() throws {
        let jwt = try readJWT(TokenMint().accessToken())
        #expect(jwt.header.algorithm == .es256)
        #expect(jwt.header.keyID == "p256-1")
        #expect(jwt.unverifiedIssuer == "https://issuer.example/")
        #expect(jwt.jws.signature.count == 64)
    }

    @Test(.refuses("JOSE-01"), arguments: [1, 2, 4, 6, 7])
    func `any other number of segments is refused`(segments: Int) {
        let token = Array(repeating: "e30", count: segments).joined(separator: ".")
        #expect(throws: JOSERefusal.notCompact) { try readJWS(token) }
    }

    @Test(.refuses("JOSE-01")) func `five segments are called encrypted`() {
        #expect(throws: JOSERefusal.encrypted) { try readJWS("e30.e30.e30.e30.e30") }
    }

    @Test(.refuses("JOSE-01")) func `the JSON serialization is refused`() {
        let flat = #"{"payload":"e30","protected":"e30","signature":"AAAA"}"#
        #expect(throws: JOSERefusal.notCompact) { try readJWS(flat) }
        #expect(throws: JOSERefusal.notBase64URL) { try readJWS(#"{"a.b.c"}"#) }
    }

    @Test(.refuses("JOSE-01")) func `nothing is a token`() {
        #expect(throws: JOSERefusal.notCompact) { try readJWS("") }
        #expect(throws: JOSERefusal.headerNotJSON(.unexpectedEnd)) { try readJWS("..") }
        #expect(throws: JOSERefusal.notCompact) { try readJWS("abc") }
    }

    @Test(.refuses("JOSE-01", "JOSE-02"), arguments: [" ", "\t", "\n", "=", "\0", "\u{E9}"])
    func `a token with a byte too many in front or behind is refused`(text: String) {
        let token = TokenMint().accessToken()
        #expect(throws: JOSERefusal.notBase64URL) { try readJWS(text + token) }
        #expect(throws: JOSERefusal.notBase64URL) { try readJWS(token + text) }
    }

    @Test(.refuses("JOSE-02")) func `another spelling of the same signature is refused`() throws {
        let token = TokenMint().accessToken()
        // 64 bytes leave four unused bits in the last character.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(token.last.flatMap { alphabet.firstIndex(of: $0) })
        #expect(last % 16 == 0)
        for bits in 1..<16 {
            #expect(throws: JOSERefusal.notBase64URL) { try readJWS(token.dropLast() + String(alphabet[last + bits])) }
        }
        for other in ["+", "/", "=", ".", "%"] {
            #expect(throws: JOSERefusal.self) { try readJWS(token.dropLast() + other) }
        }
        #expect(throws: JOSERefusal.notBase64URL) { try readJWS(token + "==") }
    }

    @Test(.refuses("JOSE-02")) func `a length that nothing encodes to is refused`() {
        for segment in ["A", "AAAAA"] {
            #expect(throws: JOSERefusal.notBase64URL) { try readJWS("\(segment).e30.AAAA") }
            #expect(throws: JOSERefusal.notBase64URL) { try readJWS("e30.\(segment).AAAA") }
            #expect(throws: JOSERefusal.notBase64URL) { try readJWS("e30.e30.\(segment)") }
        }
    }

    @Test(.refuses("JOSE-26")) func `the size is checked before anything is decoded`() throws {
        let token = "!" + TokenMint().accessToken()
        #expect(throws: JOSERefusal.tooLarge) { try readJWS(token, maximumBytes: token.utf8.count - 1) }
        #expect(throws: JOSERefusal.notBase64URL) { try readJWS(token, maximumBytes: token.utf8.count) }
    }

    @Test(.holds("JOSE-26")) func `a token of 15 KiB is read`() throws {
        let filler = String(repeating: "x", count: 11_050)
        let token = TokenMint().accessToken(claims: ["filler": "\"\(filler)\""])
        #expect(token.utf8.count > 15_000 && token.utf8.count < 15_360)
        _ = try readJWT(token)
    }

    @Test(.refuses("JOSE-26")) func `a header of more than 4 KiB is refused`() throws {
        let header = { (count: Int) in
            let empty = #"{"alg":"ES256","x":""}"#.utf8.count
            return #"{"alg":"ES256","x":"\#(String(repeating: "y", count: count - empty))"}"#
        }
        _ = try readJWS(unsigned(header: header(4096)))
        #expect(throws: JOSERefusal.headerTooLarge) { try readJWS(unsigned(header: header(4097))) }
        #expect(throws: JOSERefusal.headerTooLarge) { try readJWS(unsigned(header: header(9000))) }
    }
}

@Suite struct `header and claims` {
    @Test(.refuses("JOSE-03"), arguments: ["[]", "1", "null", #""x""#, "true"])
    func `what is no object is refused`(text: String) {
        #expect(throws: JOSERefusal.headerNotObject) { try readJWS(unsigned(header: text)) }
        #expect(throws: JOSERefusal.claimsNotObject) { try readJWT(unsigned(claims: text)) }
    }

    @Test(
        .refuses("JOSE-03", "JOSE-04"),
        arguments: [
            (#"{"a":1}x"#, JSONRefusal.trailingBytes), ("\u{FEFF}{}", .byteOrderMark), (#"{"a":NaN}"#, .invalidNumber),
            (#"{"a":Infinity}"#, .invalidNumber), ("{", .unexpectedEnd), ("", .unexpectedEnd),
            (#"{"a":"\ud800"}"#, .loneSurrogate), (#"{"a":1,"a":2}"#, .duplicateMember),
            (#"{"a":{"b":1,"b":2}}"#, .duplicateMember), (#"{"a":{"\u0062":1,"b":2}}"#, .duplicateMember),
        ] as [(String, JSONRefusal)])
    func `what two readers could read differently is refused`(text: String, refusal: JSONRefusal) {
        #expect(throws: JOSERefusal.headerNotJSON(refusal)) { try readJWS(unsigned(header: text)) }
        #expect(throws: JOSERefusal.claimsNotJSON(refusal)) { try readJWT(unsigned(claims: text)) }
    }

    @Test(.refuses("JOSE-03")) func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JOSERefusal.headerNotJSON(.invalidUTF8)) { try readJWS("eyL_IjoxfQ.e30.AAAA") }
        #expect(throws: JOSERefusal.claimsNotJSON(.invalidUTF8)) {
            try readJWT(base64URL(#"{"alg":"ES256"}"#) + ".eyL_IjoxfQ.AAAA")
        }
    }

    @Test(.refuses("JOSE-04")) func `two algorithms in one header are refused`() {
        let token = unsigned(header: #"{"alg":"RS256","alg":"none"}"#)
        #expect(throws: JOSERefusal.headerNotJSON(.duplicateMember)) { try readJWS(token) }
    }

    @Test(.refuses("JOSE-04")) func `two subjects are refused`() {
        let token = unsigned(claims: #"{"sub":"a","sub":"b"}"#)
        #expect(throws: JOSERefusal.claimsNotJSON(.duplicateMember)) { try readJWT(token) }
    }

    @Test(.refuses("JOSE-05"), arguments: [#"{}"#, #"{"alg":1}"#, #"{"alg":null}"#, #"{"alg":["ES256"]}"#])
    func `an algorithm that is missing or no string is refused`(header: String) {
        #expect(throws: JOSERefusal.algorithmInvalid) { try readJWS(unsigned(header: header)) }
    }

    @Test(
        .refuses("JOSE-05"),
        arguments: [
            "none", "None", "nOnE", "NONE", "", "HS256", "HS512", "es256", "ES256 ", "ES256K", "RS1", "ED25519",
            "Ed448",
            "ES256\\u0000",
        ])
    func `an algorithm outside the registry's exact names is never allowed`(name: String) throws {
        let token = unsigned(header: #"{"alg":"\#(name)"}"#)
        #expect(try readJWS(token).header.algorithm == nil)
        #expect(refusal(of: token, keys: [SigningKey.p256.publicJWK()]) == .algorithmNotAllowed)
    }

    @Test(.holds("JOSE-09")) func `EdDSA and Ed25519 name the same algorithm`() {
        #expect(SignatureAlgorithm(name: "EdDSA") == .edDSA)
        #expect(SignatureAlgorithm(name: "Ed25519") == .edDSA)
        for algorithm in SignatureAlgorithm.allCases { #expect(SignatureAlgorithm(name: algorithm.name) == algorithm) }
    }

    @Test(
        .refuses("JOSE-12"),
        arguments: [
            (#"[]"#, JOSERefusal.criticalInvalid), (#""exp""#, .criticalInvalid), (#"{}"#, .criticalInvalid),
            (#"null"#, .criticalInvalid), (#"[1]"#, .criticalInvalid), (#"["x","x"]"#, .criticalInvalid),
            (#"["alg"]"#, .criticalInvalid), (#"["kid"]"#, .criticalInvalid), (#"["absent"]"#, .criticalInvalid),
            (#"["exp"]"#, .criticalNotUnderstood), (#"["exp","x"]"#, .criticalNotUnderstood),
        ] as [(String, JOSERefusal)])
    func `every crit is refused`(critical: String, refusal: JOSERefusal) {
        let header = #"{"alg":"ES256","exp":1,"x":2,"kid":"a","crit":\#(critical)}"#
        #expect(throws: refusal) { try readJWS(unsigned(header: header)) }
    }

    @Test(.refuses("JOSE-14", "JOSE-19"), arguments: ["1", "null", "[]", "{}", "true"])
    func `a kid or typ that is no string is refused`(value: String) {
        #expect(throws: JOSERefusal.keyIDInvalid) { try readJWS(unsigned(header: #"{"alg":"ES256","kid":\#(value)}"#)) }
        #expect(throws: JOSERefusal.typeInvalid) { try readJWS(unsigned(header: #"{"alg":"ES256","typ":\#(value)}"#)) }
    }

    @Test(.holds("JOSE-14"), .refuses("JOSE-14")) func `a kid has at most 256 bytes`() throws {
        let header = { (count: Int) in #"{"alg":"ES256","kid":"\#(String(repeating: "k", count: count))"}"# }
        #expect(try readJWS(unsigned(header: header(256))).header.keyID?.utf8.count == 256)
        #expect(throws: JOSERefusal.keyIDInvalid) { try readJWS(unsigned(header: header(257))) }
    }

    @Test(
        .refuses("JOSE-14"),
        arguments: [
            "../../dev/null", "' OR 1=1", "%s%n", "\\u0000", "http://a/", "\\n",
            // Each is the key's own name to somebody.
            "../p256-1", "http://a/p256-1", "x' OR kid='p256-1", "p256-1\\u0000", "p256-1 ", "p256-1/", "P256-1",
            "p256%2D1",
        ])
    func `a kid is an opaque name`(keyID: String) throws {
        let token = unsigned(header: #"{"alg":"ES256","kid":"\#(keyID)"}"#)
        #expect(refusal(of: token, keys: [SigningKey.p256.publicJWK()]) == .unknownKey)
    }

    @Test(
        .holds("JOSE-19"), .refuses("JOSE-19"),
        arguments: [
            ("at+jwt", true), ("at+JWT", true), ("AT+JWT", true), ("application/at+jwt", true),
            ("APPLICATION/AT+jwt", true),
            ("at+jwt2", false), ("JWT", false), ("", false), ("application/", false),
            ("application/application/at+jwt", false),
            ("text/at+jwt", false), ("at+jwt;x=y", false), (" at+jwt", false), ("at+jwt\\u0000", false),
            ("\\u212at+jwt", false),
        ])
    func `a type ignores case and its application prefix`(type: String, matches: Bool) throws {
        let header = try readJWS(unsigned(header: #"{"alg":"ES256","typ":"\#(type)"}"#)).header
        #expect(header.hasType("at+jwt") == matches)
    }

    @Test(.refuses("JOSE-19")) func `a header without a type has none`() throws {
        #expect(try !readJWS(unsigned()).header.hasType("JWT"))
    }
}

@Suite struct `dates` {
    @Test(
        .holds("JOSE-27"),
        arguments: [
            ("0", 0, 0), ("1700000000", 1_700_000_000, 1_700_000_000), ("1700000000.5", 1_700_000_000, 1_700_000_001),
            ("1.7e9", 1_700_000_000, 1_700_000_000), ("9007199254740992", 9_007_199_254_740_992, 9_007_199_254_740_992),
        ] as [(String, Int64, Int64)])
    func `a number of seconds is a date`(text: String, floor: Int64, ceiling: Int64) throws {
        let date = try #require(try NumericDate(readJSON(text)))
        #expect(date.floor == floor)
        #expect(date.ceiling == ceiling)
    }

    @Test(
        .refuses("JOSE-27"),
        arguments: [
            #""9999999999""#, "-1", "-0.5", "1e400", "-1e400", "9007199254740994", "1e300", "true", "null", "[1]", "{}",
        ])
    func `anything else is none`(text: String) throws {
        #expect(try NumericDate(readJSON(text)) == nil)
    }
}
