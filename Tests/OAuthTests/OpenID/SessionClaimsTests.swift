import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

/// The claims kept, as their JSON text.
private func kept(
    _ names: [String], idToken changes: [String: String?] = [:], userInfo: String? = nil, previous: String? = nil,
    verified: Bool = false
) throws -> String {
    let bytes = UserInfo.merge(
        idToken: try verifyIDToken(idToken(changes)), userInfo: try userInfo.map(json),
        previous: try previous.map(json),
        names: names, requiresVerifiedEmail: verified)
    return String(decoding: bytes, as: UTF8.self)
}

private func json(_ text: String) throws -> JSONValue {
    let bytes = Array(text.utf8)
    return try JSONValue.parse(bytes.span)
}

private let identity = #""iss":"https://issuer.example/","sub":"user-1""#

@Suite struct `the claims of a session` {
    @Test(.holds("OIDC-13")) func `always say by issuer and subject who the user is`() throws {
        #expect(try kept([]) == "{\(identity)}")
        #expect(try kept(["sub", "iss", "sub"], userInfo: #"{"sub":"user-2","iss":"x"}"#) == "{\(identity)}")
        let other = try verifyIDToken(
            idToken(["iss": "\"https://other.example/\""]), rules: idTokenRules(issuer: "https://other.example/"))
        let bytes = UserInfo.merge(idToken: other, names: [], requiresVerifiedEmail: false)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"iss":"https://other.example/","sub":"user-1"}"#)
    }

    @Test(.holds("SC-12"), .refuses("SC-12")) func `are those that have a name in the configuration, and no others`()
        throws
    {
        #expect(try kept(["name"]) == "{\(identity),\"name\":\"Jane Doe\"}")
        #expect(try kept(["name", "name", "phone"]) == "{\(identity),\"name\":\"Jane Doe\"}")
        let groups = #"{"realm":{"roles":["a","b"]}}"#
        #expect(try kept(["realm"], userInfo: groups) == "{\(identity),\"realm\":{\"roles\":[\"a\",\"b\"]}}")
        #expect(try kept(["na\u{6d}e"], idToken: ["name": nil]) == "{\(identity)}")
        #expect(
            try kept(["name"], idToken: ["name": "null"], userInfo: #"{"name":"J"}"#) == "{\(identity),\"name\":\"J\"}")
    }

    @Test(.holds("OIDC-12")) func `are the ID token's first, then the userinfo's, then those before a refresh`() throws
    {
        let text = try kept(
            ["name", "phone", "city"], userInfo: #"{"name":"other","phone":"1"}"#,
            previous: #"{"name":"old","phone":"old","city":"old"}"#)
        #expect(text == "{\(identity),\"name\":\"Jane Doe\",\"phone\":\"1\",\"city\":\"old\"}")
    }

    @Test(.refuses("OIDC-12"), arguments: ["acr", "auth_time", "amr", "sid", "aud", "exp", "nonce", "cnf", "azp"])
    func `are not taken from userinfo where they are about the login`(name: String) throws {
        let text = try kept([name], idToken: [name == "aud" ? "x" : "y": "1"], userInfo: "{\"\(name)\":\"forged\"}")
        #expect(!text.contains("forged"))
    }

    @Test(.holds("OIDC-09")) func `tell of the login what the ID token does, and without it what was true before`()
        throws
    {
        #expect(
            try kept(["acr", "sid", "auth_time"])
                == "{\(identity),\"acr\":\"silver\",\"sid\":\"session-1\",\"auth_time\":\(now - 60)}")
        #expect(
            try kept(["acr"], idToken: ["acr": nil], previous: #"{"acr":"gold"}"#) == "{\(identity),\"acr\":\"gold\"}")
    }

    @Test(.refuses("OIDC-15")) func `of others are neither kept nor followed`() throws {
        let info = #"""
            {"sub":"user-1","_claim_names":{"address":"src1"},
            "_claim_sources":{"src1":{"endpoint":"http://169.254.169.254/","JWT":"a.b.c"}}}
            """#
        #expect(try kept(["_claim_names", "_claim_sources", "address"], userInfo: info) == "{\(identity)}")
    }

    @Test(.holds("OIDC-15"), .refuses("OIDC-15")) func `of others do not keep the user's own away`() throws {
        let changes = ["_claim_sources": #"{"a":{"endpoint":"https://x/"}}"#]
        #expect(try kept(["_claim_sources", "name"], idToken: changes) == "{\(identity),\"name\":\"Jane Doe\"}")
    }

    @Test(.holds("OIDC-13"), .refuses("OIDC-13")) func `have a verified address where one is required`() throws {
        #expect(try kept(["email"], verified: true) == "{\(identity),\"email\":\"jane@example.com\"}")
        for value in ["false", "\"true\"", "1", "null", "[true]"] {
            #expect(try kept(["email"], idToken: ["email_verified": value], verified: true) == "{\(identity)}")
        }
        #expect(try kept(["email"], idToken: ["email_verified": nil], verified: true) == "{\(identity)}")
        #expect(try kept(["email"], idToken: ["email": "[\"a\"]"], verified: true) == "{\(identity)}")
        #expect(
            try kept(["email"], idToken: ["email_verified": "false"])
                == "{\(identity),\"email\":\"jane@example.com\"}")
    }

    @Test(.refuses("OIDC-13")) func `never have one source's address verified by another`() throws {
        let words = #"{"email":"evil@example.com","email_verified":false}"#
        let bare = ["email": nil, "email_verified": "true"] as [String: String?]
        #expect(
            try kept(["email", "email_verified"], idToken: bare, userInfo: words, verified: true) == "{\(identity)}")
        let unverified = ["email_verified": nil] as [String: String?]
        #expect(
            try kept(["email", "email_verified"], idToken: unverified, userInfo: #"{"email_verified":true}"#)
                == "{\(identity),\"email\":\"jane@example.com\"}")
        #expect(
            try kept(
                ["email", "email_verified"], idToken: unverified,
                userInfo: #"{"email":"j@example.com","email_verified":true}"#, verified: true)
                == "{\(identity),\"email\":\"j@example.com\",\"email_verified\":true}")
    }

    @Test(.holds("OIDC-13"), .refuses("OIDC-13"))
    func `keep an address through a refresh until the server says otherwise`() throws {
        let previous = #"{"email":"old@example.com"}"#
        let silent = ["email": nil, "email_verified": nil] as [String: String?]
        #expect(
            try kept(["email"], idToken: silent, previous: previous, verified: true)
                == "{\(identity),\"email\":\"old@example.com\"}")
        let withdrawn = ["email": nil, "email_verified": "false"] as [String: String?]
        #expect(try kept(["email"], idToken: withdrawn, previous: previous, verified: true) == "{\(identity)}")
    }

    @Test(.holds("HTTP-46")) func `are JSON again whatever is in them`() throws {
        let text = try kept(["name"], idToken: ["name": #""a\"},\u0000\r\n\u2028""#])
        let claims = try json(text)
        #expect(claims["name"]?.utf8 == Array("a\"},\0\r\n\u{2028}".utf8) && claims.count == 3)
    }
}
