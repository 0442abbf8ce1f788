import HTTPMessage
import Issuers
import TestSupport
import TestTraits
import Testing

@Suite struct `an issuer that is down` {
    @Test func `is asked again after one, two, four seconds, and so on up to a minute`() {
        let world = World()
        world.fail(World.metadataURL)
        world.start()
        _ = world.fetcher.takeURLs()
        for wait in [1.0, 2, 4, 8, 16, 32, 60, 60, 60] {
            world.pass(seconds: wait - 0.001)
            #expect(world.fetcher.takeURLs().isEmpty)
            world.pass(seconds: 0.001)
            #expect(world.fetcher.takeURLs() == [World.metadataURL])
        }
        #expect(world.status.failures == 10)
    }

    @Test(arguments: [(-1.0, 0.9), (1, 1.1)])
    func `is asked again at a time of each gateway's own`(spread: Double, seconds: Double) {
        let world = World()
        world.clock.setSpread(spread)
        world.fail(World.metadataURL)
        world.start()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: seconds - 0.001)
        #expect(world.fetcher.takeURLs().isEmpty)
        world.pass(seconds: 0.001)
        #expect(world.fetcher.takeURLs() == [World.metadataURL])
    }

    @Test(.holds("D-17", "RS-24")) func `its keys are used for an hour past their freshness, and then no more`() {
        let world = World(World.settings(keys: .url(World.keysURL)))
        world.start()
        world.fail(World.keysURL)
        world.pass(seconds: 3600)
        #expect(world.status.readiness == .stale)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.takeEvents().contains(.stale(withdrawnInSeconds: 3600)))
        world.pass(seconds: 3599.999)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.published.count == 1)
        world.pass(seconds: 0.001)
        #expect(world.keys == nil)
        #expect(world.published.count == 2)
        #expect(world.published[1] == nil)
        #expect(world.status.readiness == .failed)
        #expect(world.status.keyCount == 0)
        #expect(world.status.usableUntil == nil)
        #expect(world.takeEvents().filter { $0 == .withdrawn }.count == 1)
    }

    @Test(.holds("D-17")) func `withdraws its keys in time even while it lets a request hang`() {
        let world = World(World.settings(keys: .url(World.keysURL)))
        world.start()
        world.fetcher.hold()
        world.pass(seconds: 7199.999)
        #expect(world.keys != nil)
        world.pass(seconds: 0.001)
        #expect(world.keys == nil)
        world.release()
        #expect(world.keyIDs == ["rsa-1"])
    }

    @Test(.holds("D-17")) func `says that its keys are stale only once`() {
        let world = World()
        world.start()
        world.fail(World.keysURL)
        world.fail(World.metadataURL)
        world.pass(seconds: 7000)
        let stale = world.takeEvents().filter { if case .stale = $0 { true } else { false } }
        #expect(stale.count == 1)
    }

    @Test(.holds("RS-24")) func `comes back from stale with its generation`() {
        let world = World()
        world.start()
        world.fail(World.keysURL)
        world.pass(seconds: 4000)
        #expect(world.status.readiness == .stale)
        world.answerKeys([.rsa])
        world.pass(seconds: 70)
        #expect(world.status.readiness == .ready)
        #expect(world.keys?.generation == 1)
        #expect(world.status.lastRefusal == nil)
    }

    @Test(.holds("RS-24")) func `comes back from nothing, and what vanished meanwhile is gone`() {
        let world = World()
        world.answerKeys([.rsa, .p256])
        world.start()
        world.fail(World.keysURL)
        world.pass(seconds: 8000)
        #expect(world.keys == nil)
        world.answerKeys([.p256])
        world.pass(seconds: 70)
        #expect(world.keyIDs == ["p256-1"])
        #expect(world.keys?.generation == 2)
        #expect(world.keys?.version == 2)
    }

    @Test func `that was never there gives no keys, however long it is asked for`() {
        let world = World()
        world.fail(World.metadataURL)
        world.start()
        world.pass(seconds: 10_000)
        #expect(world.status.readiness == .failed)
        #expect(world.published.isEmpty)
    }

    @Test func `a failed refetch for an unknown key does not make fresh keys stale`() {
        let world = World()
        world.start()
        world.fail(World.keysURL)
        world.requestRefresh()
        #expect(world.status.readiness == .ready)
        #expect(world.status.failures == 1)
        world.answerKeys([.rsa, .p256])
        world.pass(seconds: 1)
        #expect(world.keyIDs == ["rsa-1", "p256-1"])
    }
}
