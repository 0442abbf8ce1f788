import JOSE
import JSON
import OAuth
import TestSupport
import Testing

@Suite struct `an identity assertion` {
    private let now: Int64 = 1_800_000_000
    private let randomness = [UInt8](repeating: 1, count: 16)

    private func identity(
        claims: String = "{}", subject: String? = "user-1", clientID: String? = "client-1",
        scopes: [String] = ["orders:read", "orders:write"], usableUntil: Int64 = 1_800_000_300
    ) throws -> IdentityAssertion.Identity {
        let bytes = Array(claims.utf8)
        return IdentityAssertion.Identity(
            tokenIssuer: "https://as.example/", subject: subject, clientID: clientID, scopes: scopes,
            claims: try JSONValue.parse(bytes.span), usableUntil: usableUntil)
    }

    private func assertion(_ repeated: [String] = []) -> IdentityAssertion {
        IdentityAssertion(
            issuer: "https://gateway.example/", audience: "https://orders.internal/", repeatedClaims: repeated)
    }

    private func claims(_ assertion: IdentityAssertion, _ identity: IdentityAssertion.Identity) throws -> JSONValue {
        let made = try #require(assertion.claims(for: identity, now: now, randomness: randomness))
        return try JSONValue.parse(made.bytes.span)
    }

    @Test func `says who asserts what of whom, to whom and until when`() throws {
        let made = try #require(assertion().claims(for: identity(), now: now, randomness: randomness))
        #expect(
            String(decoding: made.bytes, as: UTF8.self) == """
                {"iss":"https://gateway.example/","aud":"https://orders.internal/","iat":1800000000,"exp":1800000060,\
                "jti":"AQEBAQEBAQEBAQEBAQEBAQ","sub":"user-1","sub_id":{"format":"iss_sub","iss":"https://as.example/",\
                "sub":"user-1"},"client_id":"client-1","scope":"orders:read orders:write"}
                """)
        #expect(made.expiresAt == now + 60)
    }

    @Test func `leaves out what the token does not say`() throws {
        let found = try claims(assertion(["email"]), identity(subject: nil, clientID: nil, scopes: []))
        #expect(found.members.map(\.name) == ["iss", "aud", "iat", "exp", "jti"])
    }

    @Test func `repeats the claims it is told to, as they are, and no others`() throws {
        let text = #"{"roles":["a\"b",{"x":1.50}],"email":"ü","n":null,"other":1,"deep":{"a":{"b":[]}}}"#
        let found = try claims(assertion(["roles", "email", "n", "deep", "missing"]), identity(claims: text))
        #expect(found["roles"]?.elements.map(\.string) == ["a\"b", nil])
        #expect(found["roles"]?.elements.last?["x"]?.numberText == "1.50")
        #expect(found["email"]?.string == "ü")
        #expect(found["n"]?.isNull == true)
        #expect(found["deep"]?["a"]?["b"]?.kind == .array)
        #expect(found["other"] == nil && found["missing"] == nil)
    }

    @Test(arguments: [
        "iss", "aud", "exp", "nbf", "iat", "jti", "sub", "sub_id", "client_id", "scope", "cnf",
    ])
    func `never repeats a claim that would make it another's or last longer`(name: String) throws {
        let plain = try assertion().claims(for: identity(), now: now, randomness: randomness)
        let text = #"{"\#(name)":"evil"}"#
        let found = try assertion([name]).claims(for: identity(claims: text), now: now, randomness: randomness)
        #expect(found == plain)
    }

    @Test func `writes no name twice`() throws {
        let found = try claims(assertion(["a", "a", "b"]), identity(claims: #"{"a":1,"b":2}"#))
        #expect(found.members.map(\.name).suffix(2) == ["a", "b"])
    }

    @Test(arguments: [(1 as Int64, 1 as Int64?), (59, 59), (60, 60), (61, 60), (0, nil), (-1, nil)])
    func `never outlives the token`(secondsLeft: Int64, expected: Int64?) throws {
        let made = try assertion().claims(
            for: identity(usableUntil: now + secondsLeft), now: now, randomness: randomness)
        #expect(made?.expiresAt == expected.map { now + $0 })
    }

    @Test func `is not made with an identifier that could be guessed`() throws {
        #expect(try assertion().claims(for: identity(), now: now, randomness: [UInt8](repeating: 1, count: 15)) == nil)
    }

    @Test func `tells two people of two issuers apart`() throws {
        var other = try identity()
        other.tokenIssuer = "https://other.example/"
        let found = try [identity(), other].map { try claims(assertion(), $0) }
        #expect(found.map { $0["sub"]?.string } == ["user-1", "user-1"])
        #expect(found.map { $0["sub_id"]?["iss"]?.string } == ["https://as.example/", "https://other.example/"])
    }
}
