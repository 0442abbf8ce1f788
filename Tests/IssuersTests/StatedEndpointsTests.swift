import Issuers
import OAuth
import TestTraits
import Testing

@Suite struct `an issuer whose endpoints the operator says` {
    private func settings(token: String = "https://github.com/login/oauth/access_token") -> IssuerSettings {
        var settings = World.settings(discovery: .none, keys: .absent)
        settings.endpoints = IssuerSettings.Endpoints(
            authorization: "https://github.com/login/oauth/authorize", token: token)
        return settings
    }

    @Test(.holds("OIDC-21")) func `is known at once, and asked nothing about itself`() throws {
        let world = World(settings())
        #expect(world.status.readiness == .ready)
        #expect(world.directory.isSettled(0))
        world.start()
        world.pass(seconds: 90_000)
        let metadata = try #require(world.directory.metadata(of: 0))
        #expect(metadata.issuer == World.issuer)
        #expect(metadata.authorizationEndpoint == "https://github.com/login/oauth/authorize")
        #expect(metadata.token.url == "https://github.com/login/oauth/access_token")
        #expect(metadata.revocation.url == nil && metadata.endSession == nil && metadata.userInfo == nil)
        #expect(metadata.codeChallengeMethods == nil)
        #expect(world.fetcher.takeURLs() == [])
        #expect(world.status.readiness == .ready)
    }

    @Test(.refuses("OIDC-21")) func `has no keys, however often they are asked for`() {
        let world = World(settings())
        world.start()
        world.requestRefresh()
        world.requestRefresh(by: .answer)
        #expect(world.ends == 2)
        #expect(world.keys == nil)
        #expect(world.fetcher.takeURLs() == [])
    }

    @Test(.holds("OIDC-21")) func `may have its endpoints at any port and host`() throws {
        let requests = IssuerRequests(settings: settings())
        _ = try requests.endpointRequest("https://api.internal.example:8443/user", from: .metadata)
        #expect(throws: IssuerRefusal.self) {
            try IssuerRequests(settings: World.settings()).endpointRequest(
                "https://api.internal.example:8443/user", from: .metadata)
        }
    }
}
