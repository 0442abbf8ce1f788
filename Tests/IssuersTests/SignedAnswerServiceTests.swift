import Crypto
import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `the introspection service and signed answers` {
    private static let type = "application/token-introspection+jwt"

    private func services(audience: String? = nil) throws -> Services {
        let services = try Services(IntrospectionSettings(client: 0, requiresSigned: true, audience: audience))
        try services.publish(keys: [.p256])
        return services
    }

    private func signed(_ services: Services, audience: String = "gateway", key: SigningKey = .p256) -> String {
        let header = "{\"typ\":\"token-introspection+jwt\",\"alg\":\"ES256\",\"kid\":\"\(key.keyID ?? "")\"}"
        let claims = """
            {"iss":"\(Services.issuer)","aud":"\(audience)","iat":\(services.clock.now().wallSeconds),\
            "token_introspection":\(services.active)}
            """
        return TokenMint.sign(header: header, claims: claims, key: key, algorithm: .es256)
    }

    @Test(.holds("INT-08", "INT-10")) func `asks for a signature and believes the issuer's, made for its client`()
        throws
    {
        let services = try services()
        services.answer(signed(services), type: Self.type)
        services.ask()
        services.drain()
        #expect(services.fetcher.requests.first?.field("Accept") == Self.type)
        #expect(services.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.refuses("INT-08")) func `believes what is made for the audience set, and only that`() throws {
        let services = try services(audience: "https://api.example/")
        services.answer(signed(services, audience: "https://api.example/"), type: Self.type)
        services.ask()
        services.drain()
        services.answer(signed(services), type: Self.type)
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [nil, .introspection(.audienceMismatch)])
    }

    @Test(.refuses("INT-08", "INT-10")) func `takes no plain answer for one, whatever it says`() throws {
        let services = try services()
        for text in [services.active, "{\"active\":false}"] {
            services.answer(text)
            services.ask()
            services.drain()
        }
        #expect(
            services.takeAnswers().map(\.cause)
                == Array(repeating: .introspection(.contentType("application/json")), count: 2))
    }

    @Test(.refuses("INT-08", "INT-10")) func `takes no badly signed answer for one`() throws {
        let services = try services()
        let other = SigningKey(renaming: .otherP256, keyID: SigningKey.p256.keyID)
        services.answer(signed(services, key: other), type: Self.type)
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.introspection(.signatureInvalid)])
        #expect(services.keyRequests == [])
    }

    @Test(.holds("INT-08"), .refuses("INT-08"))
    func `has the keys read again for a key it does not know, and knows nothing until then`() throws {
        let services = try services()
        services.answer(signed(services, key: .otherP256), type: Self.type)
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.introspection(.unknownKey)])
        #expect(services.keyRequests == [0])
        try services.publish(keys: [.p256, .otherP256])
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.holds("INT-08"), .refuses("INT-08")) func `knows nothing while the issuer's keys are not at hand`() throws {
        let services = try services()
        services.forgetKeys()
        services.answer(signed(services), type: Self.type)
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.introspection(.keysMissing)])
    }
}
