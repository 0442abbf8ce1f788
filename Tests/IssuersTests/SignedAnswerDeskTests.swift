import Crypto
import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `the introspection desk and signed answers` {
    private static let type = "application/token-introspection+jwt"

    private func desks(audience: String? = nil) throws -> Desks {
        let desks = try Desks(IntrospectionSettings(client: 0, requiresSigned: true, audience: audience))
        try desks.publish(keys: [.p256])
        return desks
    }

    private func signed(_ desks: Desks, audience: String = "gateway", key: SigningKey = .p256) -> String {
        let header = "{\"typ\":\"token-introspection+jwt\",\"alg\":\"ES256\",\"kid\":\"\(key.keyID ?? "")\"}"
        let claims = """
            {"iss":"\(Desks.issuer)","aud":"\(audience)","iat":\(desks.clock.now().wallSeconds),\
            "token_introspection":\(desks.active)}
            """
        return TokenMint.sign(header: header, claims: claims, key: key, algorithm: .es256)
    }

    @Test(.holds("INT-08", "INT-10")) func `asks for a signature and believes the issuer's, made for its client`()
        throws
    {
        let desks = try desks()
        desks.answer(signed(desks), type: Self.type)
        desks.ask()
        desks.drain()
        #expect(desks.fetcher.requests.first?.field("Accept") == Self.type)
        #expect(desks.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.refuses("INT-08")) func `believes what is made for the audience set, and only that`() throws {
        let desks = try desks(audience: "https://api.example/")
        desks.answer(signed(desks, audience: "https://api.example/"), type: Self.type)
        desks.ask()
        desks.drain()
        desks.answer(signed(desks), type: Self.type)
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [nil, .introspection(.audienceMismatch)])
    }

    @Test(.refuses("INT-08", "INT-10")) func `takes no plain answer for one, whatever it says`() throws {
        let desks = try desks()
        for text in [desks.active, "{\"active\":false}"] {
            desks.answer(text)
            desks.ask()
            desks.drain()
        }
        #expect(
            desks.takeAnswers().map(\.cause)
                == Array(repeating: .introspection(.contentType("application/json")), count: 2))
    }

    @Test(.refuses("INT-08", "INT-10")) func `takes no badly signed answer for one`() throws {
        let desks = try desks()
        let other = SigningKey(renaming: .otherP256, keyID: SigningKey.p256.keyID)
        desks.answer(signed(desks, key: other), type: Self.type)
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.introspection(.signatureInvalid)])
        #expect(desks.keyRequests == [])
    }

    @Test(.holds("INT-08"), .refuses("INT-08"))
    func `has the keys read again for a key it does not know, and knows nothing until then`() throws {
        let desks = try desks()
        desks.answer(signed(desks, key: .otherP256), type: Self.type)
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.introspection(.unknownKey)])
        #expect(desks.keyRequests == [0])
        try desks.publish(keys: [.p256, .otherP256])
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.holds("INT-08"), .refuses("INT-08")) func `knows nothing while the issuer's keys are not at hand`() throws {
        let desks = try desks()
        desks.forgetKeys()
        desks.answer(signed(desks), type: Self.type)
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.introspection(.keysMissing)])
    }
}
