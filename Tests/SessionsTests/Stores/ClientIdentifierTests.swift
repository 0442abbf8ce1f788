import TestTraits
import Testing

@testable import Sessions

/// Two gateways that share a key file, the name of a login and the issuer, and are other clients there.
@Suite struct `a session of another client of the same issuer` {
    private func store(_ clientID: String, continuing other: CookieSessionStore? = nil) throws -> CookieSessionStore {
        try CookieSessionStore(
            settings: Sample.settings(), client: "shop", clientID: clientID, issuer: Sample.issuer, continuing: other)
    }

    @Test(.refuses("SC-15")) func `is none here, under the same key, name and issuer`() async throws {
        let value = try await store("shop-web").create(Sample.session(), now: Sample.now)
        #expect(try store("shop-web").lookUp(value, now: Sample.now).session != nil, "any replica of the same client")
        for other in ["blog-web", "", "shop-web ", "Shop-web", "shop-we"] {
            #expect(try store(other).lookUp(value, now: Sample.now).session == nil, "\(other)")
        }
    }

    @Test(.refuses("SC-15")) func `is none either when it was sealed before sessions were bound to the client`()
        async throws
    {
        let value = try await store("").create(Sample.session(), now: Sample.now)
        #expect(try store("shop-web").lookUp(value, now: Sample.now).session == nil)
    }
}
