import HTTPMessage
import Issuers
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `metadata over time` {
    private let hour = 3600.0

    @Test(.holds("MD-05")) func `is read again every hour, before the keys`() {
        let world = World()
        world.answerKeys([.rsa], maxAge: 3000)
        world.start()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 3000)
        #expect(world.fetcher.takeURLs() == [World.keysURL])
        world.pass(seconds: 600)
        #expect(world.fetcher.takeURLs() == [World.metadataURL, World.keysURL])
    }

    @Test(.holds("MD-05")) func `is read again sooner when it says so, but not within the minute`() {
        let world = World()
        world.answerMetadata(maxAge: 1)
        world.start()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 59.999)
        #expect(world.fetcher.takeURLs().isEmpty)
        world.pass(seconds: 0.001)
        #expect(world.fetcher.takeURLs() == [World.metadataURL, World.keysURL])
    }

    @Test(.holds("MD-05")) func `that is away for an hour changes nothing`() {
        let world = World()
        world.start()
        world.fail(World.metadataURL)
        world.pass(seconds: 2 * hour)
        #expect(world.status.readiness == .ready)
        #expect(world.status.failures == 0)
        #expect(world.takeEvents().contains(.metadataKept(.fetch(.timedOut))))
    }

    @Test(.refuses("MD-05")) func `that is away for more than a day is believed no more`() {
        let world = World()
        world.start()
        world.fail(World.metadataURL)
        world.pass(seconds: 23.9 * hour)
        #expect(world.status.readiness == .ready)
        world.pass(seconds: 1.6 * hour)
        #expect(world.status.lastRefusal == .fetch(.timedOut))
        #expect(world.status.readiness == .stale)
        world.pass(seconds: hour)
        #expect(world.status.readiness == .failed)
        #expect(world.keys == nil)
    }

    @Test(.holds("MD-03", "MD-05")) func `that becomes another issuer's is discarded, and the one before kept`() {
        let world = World()
        world.start()
        world.answerMetadata(issuer: "https://evil.example", keysURL: "https://evil.example/keys")
        _ = world.fetcher.takeURLs()
        world.pass(seconds: hour)
        #expect(world.fetcher.takeURLs() == [World.metadataURL, World.keysURL])
        #expect(world.keyIDs == ["rsa-1"])
        #expect(
            world.takeEvents().contains(.metadataKept(.metadata(.issuerMismatch(found: "https://evil.example")))))
    }

    @Test(.refuses("MD-03")) func `that is another issuer's from the start gives no keys`() {
        let world = World()
        world.answerMetadata(issuer: World.issuer + "/")
        world.start()
        #expect(world.status.lastRefusal == .metadata(.issuerMismatch(found: World.issuer + "/")))
        #expect(world.status.readiness == .failed)
        #expect(world.fetcher.takeURLs() == [World.metadataURL])
    }

    @Test(.holds("MD-05"))
    func `that moves the keys to another host raises an alarm and is followed once keys are there`() {
        let world = World()
        world.start()
        _ = world.takeEvents()
        world.answerMetadata(keysURL: "https://cdn.example.net/keys")
        world.answerKeys([.p256], at: "https://cdn.example.net/keys")
        world.pass(seconds: hour)
        #expect(world.keyIDs == ["p256-1"])
        #expect(world.status.jwksURI == "https://cdn.example.net/keys")
        #expect(world.takeEvents().contains(.jwksHostChanged(from: "id.example.com", to: "cdn.example.net")))
        _ = world.fetcher.takeURLs()
        world.pass(seconds: hour)
        #expect(world.fetcher.takeURLs() == [World.metadataURL, "https://cdn.example.net/keys"])
    }

    @Test(.holds("MD-05")) func `that moves the keys to where there are none leaves the old document in use`() {
        let world = World()
        world.start()
        world.answerMetadata(keysURL: "https://cdn.example.net/keys")
        world.pass(seconds: hour)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.status.jwksURI == World.keysURL)
        #expect(world.status.lastRefusal == .keySetStatus(404))
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 1)
        #expect(world.fetcher.takeURLs() == [World.keysURL])
        #expect(world.status.readiness == .ready)
    }

    @Test func `that moves the keys on the same host raises no alarm`() {
        let world = World()
        world.start()
        _ = world.takeEvents()
        world.answerMetadata(keysURL: "https://ID.example.com/keys/2")
        world.answerKeys([.p256], at: "https://ID.example.com/keys/2")
        world.pass(seconds: hour)
        #expect(world.keyIDs == ["p256-1"])
        #expect(!world.takeEvents().contains { if case .jwksHostChanged = $0 { true } else { false } })
    }

    @Test(.holds("MD-05")) func `is read again at once when the keys are not where they were`() {
        let world = World()
        world.start()
        _ = world.fetcher.takeURLs()
        world.fail(World.keysURL, .unresolved)
        world.answerMetadata(keysURL: "https://id.example.com/new")
        world.answerKeys([.rsa, .p256], at: "https://id.example.com/new")
        world.requestRefresh()
        #expect(world.fetcher.takeURLs() == [World.keysURL, World.metadataURL, "https://id.example.com/new"])
        #expect(world.keyIDs == ["rsa-1", "p256-1"])
        #expect(world.ends == 1)
        #expect(world.status.failures == 0)
    }

    @Test func `that still names the place without keys does not cause a second request there`() {
        let world = World()
        world.start()
        _ = world.fetcher.takeURLs()
        world.fail(World.keysURL, .unresolved)
        world.requestRefresh()
        #expect(world.fetcher.takeURLs() == [World.keysURL, World.metadataURL])
        #expect(world.status.lastRefusal == .fetch(.unresolved))
        #expect(world.ends == 1)
    }

    @Test func `that fails too leaves the failure of the keys as the reason`() {
        let world = World()
        world.start()
        world.fail(World.keysURL, .unresolved)
        world.fail(World.metadataURL, .timedOut)
        world.requestRefresh()
        #expect(world.status.lastRefusal == .fetch(.unresolved))
        #expect(world.takeEvents().contains(.metadataKept(.fetch(.timedOut))))
    }
}

@Suite struct `the locations of metadata` {
    private let inserted = "https://id.example.com/.well-known/oauth-authorization-server/t"
    private let insertedOpenID = "https://id.example.com/.well-known/openid-configuration/t"

    @Test(.holds("MD-02")) func `are tried in order until one has the document`() {
        let world = World(World.settings(discovery: .automatic))
        world.start()
        #expect(
            world.fetcher.takeURLs() == [inserted, insertedOpenID, World.metadataURL, World.keysURL])
        #expect(world.status.readiness == .ready)
    }

    @Test(.holds("MD-02")) func `end with the first that has the document`() {
        let world = World(World.settings(discovery: .automatic))
        world.answerMetadata(at: inserted)
        world.start()
        #expect(world.fetcher.takeURLs() == [inserted, World.keysURL])
    }

    @Test(.refuses("MD-02")) func `of the other form are never tried in a fixed form`() {
        let world = World(World.settings(discovery: .oauth))
        world.start()
        #expect(world.fetcher.takeURLs() == [inserted])
        #expect(world.status.lastRefusal == .metadata(.status(404)))
    }

    @Test(.refuses("MD-03")) func `go on past a document of another issuer, and it is what is told when none is right`()
    {
        let world = World(World.settings(discovery: .automatic))
        world.answerMetadata(at: inserted, issuer: "https://id.example.com")
        world.start()
        #expect(world.status.readiness == .ready)
        world.fetcher.answer(World.metadataURL, with: .success(FetchResponse(status: 404)))
        let second = World(World.settings(discovery: .automatic))
        second.answerMetadata(at: inserted, issuer: "https://id.example.com")
        second.fetcher.answer(World.metadataURL, with: .success(FetchResponse(status: 500)))
        second.start()
        #expect(second.status.lastRefusal == .metadata(.issuerMismatch(found: "https://id.example.com")))
    }

    @Test func `are not tried one after the other at a host that does not answer`() {
        let world = World(World.settings(discovery: .automatic))
        world.fail(inserted, .timedOut)
        world.start()
        #expect(world.fetcher.takeURLs() == [inserted])
        #expect(world.status.lastRefusal == .fetch(.timedOut))
    }
}
