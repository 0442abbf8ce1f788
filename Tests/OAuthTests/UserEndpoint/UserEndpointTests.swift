import HTTPMessage
import JSON
import OAuth
import TestTraits
import Testing

/// As GitHub documents `GET /user`, much shortened.
private let members = [
    "login": "\"octocat\"", "id": "583231", "node_id": "\"MDQ6VXNlcjU4MzIzMQ==\"", "name": "\"The Octocat\"",
    "email": "null", "site_admin": "false", "plan": "{\"name\":\"pro\"}",
]

private func user(
    _ changes: [String: String?] = [:], subject: String = "id"
) throws(UserEndpointRefusal) -> UserEndpoint.User {
    try UserEndpoint.user(answer(object(members, changes)), subject: subject)
}

private func refusal(_ response: FetchResponse, subject: String = "id") -> UserEndpointRefusal? {
    do throws(UserEndpointRefusal) {
        _ = try UserEndpoint.user(response, subject: subject)
        return nil
    } catch {
        return error
    }
}

private func refusal(_ changes: [String: String?], subject: String = "id") -> UserEndpointRefusal? {
    refusal(answer(object(members, changes)), subject: subject)
}

@Suite struct `the user that a server's own endpoint names` {
    @Test(
        .holds("OIDC-18"), .refuses("OIDC-18"),
        arguments: [
            ("583231", "583231"), ("0", "0"), ("9007199254740993", "9007199254740993"),
            ("18446744073709551616", "18446744073709551616"), ("\"583231\"", "583231"), ("\"a b\"", "a b"),
            (#""\u0061""#, "a"),
        ])
    func `is a text, or a whole number by the digits that were sent`(sent: String, subject: String) throws {
        #expect(try user(["id": sent]).subject == subject)
    }

    @Test(.holds("OIDC-18")) func `is in the member that the operator names, and in no other`() throws {
        #expect(try user(subject: "login").subject == "octocat")
        #expect(try user(["sub": "\"somebody\""]).subject == "583231")
        let longest = String(repeating: "7", count: 255)
        #expect(try user(["id": longest]).subject == longest)
    }

    @Test(
        .refuses("OIDC-18"),
        arguments: [
            "583231.0", "5.8e5", "583231E0", "-1", "-0", "1.5", "true", "[583231]", "{\"id\":1}", "\"\"",
            #""a\u0000""#, #""a\nb""#, "\"ü\"", "\"\(String(repeating: "a", count: 256))\"",
            String(repeating: "7", count: 256),
        ]) func `is nobody by anything else`(sent: String)
    {
        #expect(refusal(["id": sent]) == .subjectMalformed("id"))
    }

    @Test(.refuses("OIDC-18")) func `is nobody where the member is absent, or null`() {
        #expect(refusal(["id": nil]) == .subjectMissing("id"))
        #expect(refusal(["id": "null"]) == .subjectMissing("id"))
        #expect(refusal([:], subject: "sub") == .subjectMissing("sub"))
        #expect(refusal(["ID": "1", "id": nil]) == .subjectMissing("id"))
    }

    @Test(.refuses("OIDC-18"))
    func `is nobody by an answer that is no JSON object with status 200, of a bearable size`() {
        #expect(refusal(answer(object(members), status: 401)) == .status(401))
        #expect(refusal(answer(object(members), status: 202)) == .status(202))
        #expect(refusal(answer("[\(object(members))]")) == .notAnObject)
        #expect(refusal(answer("583231")) == .notAnObject)
        #expect(refusal(answer("id=583231")) == .notJSON(.unexpectedByte))
        #expect(refusal(answer("{\"id\":1,\"id\":2}")) == .notJSON(.duplicateMember))
        #expect(refusal(answer("{\"id\":01}")) != nil)
        #expect(refusal(answer(object(members), contentType: "text/html")) == .contentType("text/html"))
        #expect(refusal(answer(object(members), contentType: nil)) == .contentType(""))
        let large = object(members, ["bio": "\"\(String(repeating: "x", count: UserEndpoint.maximumBytes))\""])
        #expect(refusal(answer(large)) == .tooLarge)
    }
}

@Suite struct `what a session keeps of such a user` {
    private func claims(
        _ changes: [String: String?] = [:], _ email: UserEndpoint.Email = .said, names: [String]
    ) throws -> String {
        let user = try user(changes)
        return String(
            decoding: UserEndpoint.claims(
                of: user, issuer: "https://github.com/login/oauth", email: email, names: names),
            as: UTF8.self)
    }

    private let head = #"{"iss":"https://github.com/login/oauth","sub":"583231""#

    @Test(.holds("OIDC-18")) func `are the members that somebody looks at, under the configured issuer`() throws {
        let kept = try claims(
            ["iss": "\"https://elsewhere.example\"", "sub": "\"root\""], names: ["login", "id", "name", "iss", "sub"])
        #expect(kept == head + #","login":"octocat","id":583231,"name":"The Octocat"}"#)
    }

    @Test(.refuses("OIDC-18")) func `are none about the login itself, and none that were not said`() throws {
        let lies = ["acr": "\"high\"", "auth_time": "1", "amr": "[\"mfa\"]", "sid": "\"s\"", "_claim_sources": "{}"]
        let kept = try claims(
            lies, names: ["acr", "auth_time", "amr", "sid", "_claim_sources", "groups", "email", "email_verified"])
        #expect(kept == head + "}")
    }

    @Test(.refuses("OIDC-19")) func `have an address that the answer says, as one that nobody verified`() throws {
        let said = ["email": "\"a@example.com\"", "email_verified": "true"]
        #expect(
            try claims(said, names: ["email", "email_verified"])
                == head + #","email":"a@example.com","email_verified":false}"#)
        #expect(try claims(said, .verified(nil), names: ["email", "email_verified"]) == head + "}")
        #expect(try claims(["email": "[\"a@example.com\"]"], names: ["email", "email_verified"]) == head + "}")
    }

    @Test(.holds("OIDC-19")) func `have the verified address in the place of it`() throws {
        #expect(
            try claims(["email": "\"b@example.com\""], .verified("a@example.com"), names: ["email_verified", "email"])
                == head + #","email_verified":true,"email":"a@example.com"}"#)
    }
}

@Suite struct `the address of mail that a server's own endpoint verified` {
    private func entry(_ email: String, primary: String = "true", verified: String = "true") -> String {
        "{\"email\":\(email),\"primary\":\(primary),\"verified\":\(verified),\"visibility\":\"public\"}"
    }

    private func email(_ entries: String...) throws(UserEndpointRefusal) -> String? {
        try UserEndpoint.verifiedEmail(answer("[\(entries.joined(separator: ","))]"))
    }

    private func refusal(_ text: String) -> UserEndpointRefusal? {
        do throws(UserEndpointRefusal) {
            _ = try UserEndpoint.verifiedEmail(answer(text))
            return nil
        } catch {
            return error
        }
    }

    private let octocat = "\"octocat@example.com\""

    @Test(.holds("OIDC-19")) func `is the primary one, where that is verified`() throws {
        let other = entry("\"cat@users.noreply.example\"", primary: "false")
        #expect(try email(entry(octocat)) == "octocat@example.com")
        #expect(
            try email(other, entry(octocat), entry("\"z@example.com\"", primary: "false", verified: "false"))
                == "octocat@example.com")
    }

    @Test(.refuses("OIDC-19")) func `is none where the primary one is not verified, or is not there`() throws {
        #expect(try email() == nil)
        #expect(try email(entry(octocat, verified: "false"), entry("\"b@example.com\"", primary: "false")) == nil)
        #expect(try email(entry(octocat, primary: "false")) == nil)
    }

    @Test(.refuses("OIDC-19")) func `is none of an answer that contradicts itself`() {
        let first = entry(octocat)
        #expect(refusal("[\(first),\(first)]") == .primaryRepeated)
        #expect(refusal("[\(first),\(entry("\"b@example.com\""))]") == .primaryRepeated)
        #expect(refusal("[\(first),\(entry(octocat, primary: "false", verified: "false"))]") == .primaryRepeated)
        #expect(refusal("[\(entry(octocat, primary: "false", verified: "false")),\(first)]") == .primaryRepeated)
    }

    @Test(.refuses("OIDC-19")) func `is none of an answer of another shape`() {
        #expect(refusal(entry(octocat)) == .notAList)
        #expect(refusal("\"octocat@example.com\"") == .notAList)
        for wrong in [
            entry("null"), entry("\"\""), entry("\"octocat\""), entry("[\"a@example.com\"]"), entry(#""a@b\r\nc""#),
            entry("\"a b@example.com\""), entry("\"\(String(repeating: "a", count: 250))@b.example\""),
            entry(octocat, primary: "\"true\""), entry(octocat, primary: "1"), entry(octocat, verified: "\"true\""),
            entry(octocat, verified: "null"), "{\"email\":\(octocat),\"primary\":true}", octocat, "null", "[]",
        ] {
            #expect(refusal("[\(wrong)]") == .addressMalformed, "\(wrong)")
        }
        #expect(refusal("[\(entry(octocat)),\(entry("\"\"", primary: "false"))]") == .addressMalformed)
        #expect(refusal("[\(entry(octocat)),]") != nil)
        #expect(throws: UserEndpointRefusal.status(404)) {
            try UserEndpoint.verifiedEmail(answer("[\(entry(octocat))]", status: 404))
        }
        let many = (0..<5000).map { entry("\"a\($0)@example.com\"", primary: "false") }.joined(separator: ",")
        #expect(refusal("[\(many)]") == .tooLarge)
    }
}
