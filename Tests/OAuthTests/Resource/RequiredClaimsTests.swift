import Crypto
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `required claims` {
    @Test(.refuses("RS-16"), arguments: ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"])
    func `a token of RFC 9068 without one of its claims is refused`(claim: String) {
        #expect(refusal(token([claim: nil])) == .claim(.missing(claim)))
    }

    @Test(.holds("RS-16"), .refuses("RS-16"), arguments: ["iss", "exp", "aud"])
    func `the legacy profile still requires three`(claim: String) {
        #expect(refusal(legacyToken(), rules: legacyRules) == nil)
        #expect(refusal(legacyToken([claim: nil]), rules: legacyRules) == .claim(.missing(claim)))
        #expect(refusal(legacyToken(["sub": nil, "iat": nil, "scope": nil]), rules: legacyRules) == nil)
    }

    @Test(.refuses("RS-16"), arguments: ["sub", "client_id", "jti"])
    func `a name that is no string, or empty, is refused in both profiles`(claim: String) {
        for value in ["1", "null", "[]", "{}", "true", #""""#] {
            #expect(refusal(token([claim: value])) == .claim(.malformed(claim)))
            #expect(refusal(legacyToken([claim: value]), rules: legacyRules) == .claim(.malformed(claim)))
        }
    }

    @Test(
        .refuses("JOSE-29"),
        arguments: ["{}", "1", "null", "true", "[]", "[1]", #"["a",1]"#, #"["a",null]"#, #"[["a"]]"#])
    func `an audience that is neither name nor names is refused`(value: String) {
        #expect(refusal(token(["aud": value])) == .claim(.malformed("aud")))
        #expect(refusal(legacyToken(["aud": value]), rules: legacyRules) == .claim(.malformed("aud")))
    }

    @Test(.holds("RS-13"), .refuses("RS-13")) func `the audience is one of several, exactly`() throws {
        let several = try verify(token(["aud": #"["https://other.example","https://api.example/"]"#]))
        #expect(several.hasAudience("https://api.example/"))
        #expect(several.hasAudience(oneOf: ["x", "https://other.example"]))
        for other in [
            "https://api.example", "https://api.example//", "https://api.example/v1", "https://API.example/", "*", "",
            "https://api.example/\0",
        ] {
            #expect(!several.hasAudience(other))
            #expect(!several.hasAudience(oneOf: [other]))
        }
        #expect(!several.hasAudience(oneOf: []))
    }

    @Test(.holds("RS-13"), .refuses("RS-13")) func `an audience with a NUL or another composition is another audience`()
        throws
    {
        let nul = try verify(token(["aud": #""https://api.example/\u0000x""#]))
        #expect(!nul.hasAudience("https://api.example/"))
        #expect(nul.hasAudience("https://api.example/\0x"))
        let decomposed = try verify(token(["aud": "\"cafe\u{301}\""]))
        #expect(!decomposed.hasAudience("caf\u{E9}"))
    }

    private static let jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    private static let certificate = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"

    @Test(
        .refuses("RS-22"),
        arguments: [
            #"{"kid":"x"}"#, #"{"jwk":{}}"#, "{}", "null", "1", "true", #""x""#, "[]", #"["jkt","\#(jkt)"]"#,
            #"{"unheard":"of"}"#, #"{"jkt":null}"#, #"{"jkt":1}"#, #"{"jkt":""}"#, #"{"jkt":["\#(jkt)"]}"#,
            #"{"jkt":"\#(jkt)","kid":"x"}"#, #"{"jkt":"\#(jkt)","x5t#S256":null}"#,
            #"{"jkt":null,"x5t#S256":"\#(certificate)"}"#,
            #"{"x5t#S256":"x"}"#, #"{"x5t":"\#(certificate)"}"#, #"{"JKT":"\#(jkt)"}"#, #"{"jkt":"\#(jkt)="}"#,
            #"{"jkt":" \#(jkt)"}"#, #"{"jkt":"\#(jkt.dropLast())"}"#, #"{"jkt":"\#(jkt)A"}"#,
            // Two unused bits that are not zero: a second spelling of a digest.
            #"{"jkt":"\#(jkt.dropLast())J"}"#, #"{"x5t#S256":"bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"}"#,
            #"{"jkt":"\#(jkt.replacing("-", with: "+"))"}"#,
        ])
    func `a cnf that cannot be checked is refused`(confirmation: String) {
        #expect(refusal(token(["cnf": confirmation])) == .boundToKey)
        #expect(refusal(legacyToken(["cnf": confirmation]), rules: legacyRules) == .boundToKey)
    }

    @Test(.holds("RS-22")) func `a token says what it is bound to`() throws {
        let text = Array(Self.jkt.utf8)
        let read = SHA256Digest(base64URL: text.span)
        let digest = try #require(read)
        let bound = try verify(token(["cnf": #"{"jkt":"\#(Self.jkt)"}"#]))
        #expect(bound.binding == TokenBinding(keyThumbprint: digest) && bound.binding.isBound)
        let legacy = try verify(legacyToken(["cnf": #"{"jkt":"\#(Self.jkt)"}"#]), rules: legacyRules)
        #expect(legacy.binding.keyThumbprint == digest)
        #expect(try verify(token([:])).binding == .none)
        #expect(try !verify(token(["CNF": "null"])).binding.isBound)
    }

    @Test(.holds("RS-23")) func `a cnf with both bindings names both`() throws {
        let both = #"{"jkt":"\#(Self.jkt)","x5t#S256":"\#(Self.certificate)"}"#
        let binding = try verify(token(["cnf": both])).binding
        #expect(binding.keyThumbprint?.base64URL == Self.jkt)
        #expect(binding.certificateThumbprint?.base64URL == Self.certificate)
        let certificate = try verify(token(["cnf": #"{"x5t#S256":"\#(Self.certificate)"}"#])).binding
        #expect(certificate.keyThumbprint == nil && certificate.isBound)
        #expect(certificate.certificateThumbprint?.base64URL == Self.certificate)
    }

    @Test(.refuses("RS-23"), arguments: ["jkt", "x5t#S256"])
    func `both bindings must be well-formed`(wrong: String) {
        var members = ["jkt": Self.jkt, "x5t#S256": Self.certificate]
        members[wrong] = "x"
        let both = #"{"jkt":"\#(members["jkt"] ?? "")","x5t#S256":"\#(members["x5t#S256"] ?? "")"}"#
        #expect(refusal(token(["cnf": both])) == .boundToKey)
    }

    @Test(.holds("STEP-01")) func `the level of the user's authentication is read as it stands`() throws {
        #expect(try verify(token(["acr": #""myACR""#])).acr == "myACR")
        #expect(try verify(token([:])).acr == nil)
        for value in ["1", "null", #"["myACR"]"#] { #expect(try verify(token(["acr": value])).acr == nil) }
    }

    @Test(.holds("STEP-02"), .refuses("STEP-02"))
    func `the time of the user's authentication is read, and nothing that is no time`()
        throws
    {
        #expect(try verify(token(["auth_time": "1646340198"])).authTime == 1_646_340_198)
        #expect(try verify(token(["auth_time": "1646340198.9"])).authTime == 1_646_340_198)
        #expect(try verify(token([:])).authTime == nil)
        for value in [#""1646340198""#, "null", "-1", "1e400", "true"] {
            #expect(try verify(token(["auth_time": value])).authTime == nil)
        }
    }

    @Test(.holds("RS-21")) func `a client that acts for itself is told from a user`() throws {
        #expect(try verify(token([:])).isForUser)
        #expect(try !verify(token(["sub": #""client-1""#])).isForUser)
        #expect(try verify(token(["sub": #""Client-1""#])).isForUser)
        #expect(try !verify(legacyToken(["sub": nil]), rules: legacyRules).isForUser)
        #expect(try verify(legacyToken(), rules: legacyRules).isForUser)
        #expect(try !verify(legacyToken(["azp": #""user-1""#]), rules: legacyRules).isForUser)
    }

    @Test func `the legacy profile takes the client from azp where client_id is missing`() throws {
        #expect(try verify(legacyToken(["azp": #""a""#]), rules: legacyRules).clientID == "a")
        #expect(try verify(legacyToken(["azp": #""a""#, "client_id": #""b""#]), rules: legacyRules).clientID == "b")
        #expect(refusal(legacyToken(["azp": "1"]), rules: legacyRules) == .claim(.malformed("azp")))
        #expect(refusal(token(["client_id": nil, "azp": #""a""#])) == .claim(.missing("client_id")))
    }
}

@Suite struct `scopes` {
    @Test(
        .holds("RS-19"),
        arguments: [
            (#""a b""#, ["a", "b"]), (#""a""#, ["a"]), (#""""#, []), (#"" a  b ""#, ["a", "b"]), (nil, []),
            (#""a\tb""#, ["a\tb"]),
        ] as [(String?, [String])])
    func `scope is one string of words`(value: String?, scopes: [String]) throws {
        #expect(try verify(token(["scope": value])).scopes == scopes)
    }

    @Test(.refuses("RS-19"), arguments: [#"["a","b"]"#, "1", "null", "{}", "true"])
    func `a scope that is no string is refused`(value: String) {
        #expect(refusal(token(["scope": value])) == .claim(.malformed("scope")))
    }

    @Test(.holds("RS-19"), .refuses("RS-19")) func `a mapped claim may be a list, whose words are not split`() throws {
        var mapped = rules()
        mapped.scopeClaim = "scp"
        #expect(try verify(token(["scp": #"["a","b c"]"#]), rules: mapped).scopes == ["a", "b c"])
        #expect(try verify(token(["scp": #""a b""#]), rules: mapped).scopes == ["a", "b"])
        #expect(try verify(token([:]), rules: mapped).scopes == [])
        for value in ["[1]", #"["a",null]"#, "1", "{}"] {
            #expect(refusal(token(["scp": value]), rules: mapped) == .claim(.malformed("scp")))
        }
    }

    @Test(.holds("RS-19"), .refuses("RS-19")) func `every scope is needed, and case matters`() throws {
        let token = try verify(token(["scope": #""a b""#]))
        #expect(token.grants([]))
        #expect(token.grants(["a"]) && token.grants(["b", "a"]))
        for needed in [["A"], ["a", "c"], [""], ["a b"], ["a\0"]] { #expect(!token.grants(needed)) }
    }
}
