import Crypto
import JSON
import OAuth
import Sessions
import TestTraits
import Testing

@testable import Access

@Suite struct `what routes see of a session` {
    private func session(claims: String, scopes: [String] = ["openid"], proofKey: Secret? = nil) -> Session {
        var session = Session(
            id: [UInt8](repeating: 1, count: 16), client: "shop", issuer: "https://issuer.example/", subject: "alice",
            claims: Array(claims.utf8), scopes: scopes, createdAt: 0, endsAt: 100)
        session.proofKey = proofKey
        return session
    }

    private func value(_ claims: String, scopes: [String] = ["openid"]) -> JSONValue {
        SessionClaims.read(of: session(claims: claims, scopes: scopes), clientID: "shop-web").value
    }

    @Test(.holds("CF-32")) func `is the user's claims, with the scopes that were granted and the client's name`() {
        let found = value(#"{"sub":"alice","groups":["a","b"],"deep":{"x":1}}"#, scopes: ["openid", "orders"])
        #expect(found["sub"]?.string == "alice")
        #expect(found["groups"]?.elements.compactMap(\.string) == ["a", "b"])
        #expect(found["deep"]?["x"] != nil)
        #expect(found["scope"]?.string == "openid orders")
        #expect(found["client_id"]?.string == "shop-web")
    }

    @Test(.refuses("CF-32")) func `has no scope that only an ID token speaks of`() {
        let found = value(#"{"sub":"alice","scope":"admin","client_id":"other"}"#)
        #expect(found["scope"]?.string == "openid")
        #expect(found["client_id"]?.string == "shop-web")
        #expect(found.members.count { $0.name == "scope" } == 1)
    }

    @Test(
        .refuses("CF-32"),
        arguments: [
            "", "[]", "{", "null", "\"x\"", #"{"a":1,"a":2}"#, "{}}", #"{"a":{"b":1}"#, #"{"a":1},{"b":2}"#,
            #"{"a":1}}"#, "{,}", #"{"a":"}"#,
        ])
    func `is no claims at all where there are none that can be read`(claims: String) {
        let found = value(claims, scopes: [])
        #expect(found.members.map(\.name) == ["scope", "client_id"])
        #expect(found["scope"]?.string == "")
    }

    @Test(.holds("CF-32"), arguments: ["{}", "{ }", #"{"a":1}"#, #" {"a":1}"#, "{\"a\":1} \n", #"{"a":{"b":"}"} }"#])
    func `is the same however the claims are spaced`(claims: String) throws {
        let own = try JSONValue.parse(Array(claims.utf8).span).members.map(\.name)
        let found = value(claims, scopes: ["openid", "", "orders"])
        #expect(found.members.map(\.name) == own + ["scope", "client_id"])
        #expect(found["scope"]?.string == "openid  orders")
    }

    @Test(.holds("CF-32")) func `is thousands of groups, and as many claims as an answer may have`() {
        let groups = (0..<5000).map { "\"g\($0)\"" }.joined(separator: ",")
        #expect(value("{\"groups\":[\(groups)]}")["groups"]?.elements.count == 5000)
        let members = (0..<256).map { "\"m\($0)\":1" }.joined(separator: ",")
        #expect(value("{\(members)}").members.count == 258)
    }

    @Test(.holds("DPOP-45")) func `has proofs where its tokens are bound, with the one key it has`() throws {
        let scalar = Secret([UInt8](repeating: 3, count: 32))
        let maker = try #require(ProofMaker(session(claims: "{}", proofKey: scalar)))
        #expect(maker.thumbprint == ProofMaker(session(claims: "{}", proofKey: scalar))?.thumbprint)
        let other = ProofMaker(session(claims: "{}", proofKey: Secret([UInt8](repeating: 4, count: 32))))
        #expect(maker.thumbprint != other?.thumbprint)
        #expect(ProofMaker(session(claims: "{}")) == nil)
        #expect(ProofMaker(session(claims: "{}", proofKey: Secret([1, 2, 3]))) == nil)
    }
}
