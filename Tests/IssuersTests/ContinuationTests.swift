import HTTPMessage
import Issuers
import JOSE
import OAuth
import Synchronization
import TestSupport
import TestTraits
import Testing

/// A second directory in a world that has one already, as a reload makes it, and a record of what it told.
private final class Next: Sendable {
    struct Record {
        var published: [(Int, IssuerKeys?)] = []
        var ends: [Int] = []
        var metadata: [Int] = []
        var events: [IssuerEvent] = []
    }
    let directory: IssuerDirectory
    private let world: World
    private let record: Told

    private final class Told: Sendable {
        let record = Mutex(Record())
    }

    init(_ world: World, _ settings: [IssuerSettings] = [World.settings()], continuing previous: Next? = nil) {
        let told = Told()
        self.world = world
        record = told
        directory = IssuerDirectory(
            settings: settings, fetching: world.fetcher, clock: world.clock, executor: world.executor,
            listeners: .init(
                onChange: { index, keys in told.record.withLock { $0.published.append((index, keys)) } },
                onRefreshEnded: { index in told.record.withLock { $0.ends.append(index) } },
                onMetadata: { index in told.record.withLock { $0.metadata.append(index) } },
                onEvent: { _, event in told.record.withLock { $0.events.append(event) } }),
            continuing: previous?.directory ?? world.directory)
    }

    deinit {
        directory.stop()
        world.executor.drain()
    }

    func start() {
        directory.start()
        world.executor.drain()
    }

    func stop() {
        directory.stop()
        world.executor.drain()
    }

    func requestRefresh(_ index: Int = 0) {
        directory.requestRefresh(issuer: index)
        world.executor.drain()
    }

    var told: Record { record.record.withLock { $0 } }
    var keyIDs: [String?]? { directory.keys(of: 0)?.keySet.keys.map(\.keyID) }
}

extension World {
    fileprivate func stop() {
        directory.stop()
        executor.drain()
    }

    /// Another issuer than the one of `settings()`.
    fileprivate static var other: IssuerSettings {
        let url = "https://other.example.com"
        return IssuerSettings(
            name: "other", url: url, keys: .url("https://other.example.com/keys"), rules: AccessTokenRules(issuer: url))
    }
}

@Suite struct `a directory of issuers that continues another` {
    @Test(.holds("OPS-07")) func `has the keys before it starts, and tells them when it does`() {
        let world = World()
        world.start()
        _ = world.fetcher.takeURLs()
        let next = Next(world)
        #expect(next.keyIDs == ["rsa-1"])
        #expect(next.directory.metadata(of: 0) != nil)
        #expect(next.told.published.isEmpty)
        next.start()
        #expect(next.told.published.map { $0.1?.version } == [1])
        #expect(next.told.metadata == [0])
        #expect(next.directory.status(of: 0) == world.status)
        #expect(world.fetcher.takeURLs().isEmpty, "what is known was asked for again")
    }

    @Test(.refuses("OPS-07", "JOSE-17")) func `keeps no stopped directory for having refused it a reading`() throws {
        let world = World()
        world.start()
        world.requestRefresh()
        var stopped: Next? = Next(world)
        stopped?.start()
        let next = Next(world, continuing: stopped)
        next.start()
        stopped?.stop()
        // A request of the old configuration meets an unknown key, too soon after another did.
        stopped?.requestRefresh()
        #expect(stopped?.told.ends == [0, 0], "once when it was stopped, and once for the request")
        next.requestRefresh()
        #expect(stopped?.told.ends == [0, 0], "somebody else's refusal is no news")
        weak let directory = try #require(stopped?.directory)
        stopped = nil
        world.executor.drain()
        #expect(directory == nil)
    }

    @Test(.holds("OPS-07")) func `reads an issuer that is new, and says when its first attempt has ended`() {
        let world = World()
        world.start()
        let next = Next(world, [World.other, World.settings()])
        world.answerKeys([.p256], at: "https://other.example.com/keys")
        #expect(!next.directory.isSettled(0) && next.directory.isSettled(1))
        next.start()
        #expect(next.directory.isSettled(0))
        #expect(next.keyIDs == ["p256-1"])
    }

    @Test(.refuses("OPS-07")) func `is settled about an issuer that cannot be read, too`() {
        let world = World()
        let next = Next(world, [World.other])
        world.fail("https://other.example.com/keys")
        next.start()
        #expect(next.directory.isSettled(0))
        #expect(next.directory.keys(of: 0) == nil)
    }

    @Test func `waits for endpoints that are read apart from the keys before it is settled`() {
        let world = World()
        var settings = World.settings(keys: .url(World.keysURL))
        settings.readsEndpoints = true
        let next = Next(world, [settings])
        world.fetcher.hold()
        next.start()
        #expect(!next.directory.isSettled(0))
        world.release()
        #expect(next.directory.isSettled(0))
    }

    @Test(.holds("MD-05")) func `reads again when the directory before would have`() {
        let world = World(World.settings(keys: .url(World.keysURL)))
        world.answerKeys([.rsa], maxAge: 600)
        world.start()
        world.pass(seconds: 500)
        let next = Next(world, [World.settings(keys: .url(World.keysURL))])
        next.start()
        world.stop()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 99)
        #expect(world.fetcher.takeURLs().isEmpty)
        world.pass(seconds: 1)
        #expect(world.fetcher.takeURLs() == [World.keysURL], "once: the directory before reads no more")
    }

    @Test(.refuses("JOSE-17")) func `grants no other reading for unknown keys than the directory before would have`() {
        let world = World()
        world.start()
        world.requestRefresh()
        let next = Next(world)
        next.start()
        _ = world.fetcher.takeURLs()
        next.requestRefresh()
        #expect(world.fetcher.takeURLs().isEmpty)
        #expect(next.told.ends == [0])
        #expect(next.told.events.contains(.unknownKeyRefetchSuppressed))
        world.pass(seconds: 30)
        next.requestRefresh()
        #expect(world.fetcher.takeURLs() == [World.keysURL])
    }

    @Test(.holds("JOSE-17")) func `goes on waiting after a failure for as long as the directory before would have`() {
        let world = World()
        world.fail(World.metadataURL)
        world.start()
        world.pass(seconds: 7.5)
        // Tried after 0, 1, 3 and 7 seconds: the next time is after 15.
        let next = Next(world)
        next.start()
        world.stop()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 7)
        #expect(world.fetcher.takeURLs().isEmpty)
        world.answerMetadata()
        world.pass(seconds: 0.5)
        #expect(next.keyIDs == ["rsa-1"])
    }

    @Test func `begins again what was under way, and ends the refresh that somebody waits for`() {
        let world = World()
        world.start()
        world.answerKeys([.rsa, .p256])
        world.fetcher.hold()
        world.requestRefresh()
        _ = world.fetcher.takeURLs()
        let next = Next(world)
        next.start()
        #expect(world.fetcher.takeURLs() == [World.keysURL])
        world.release()
        #expect(next.keyIDs == ["rsa-1", "p256-1"])
        #expect(world.ends == 1, "whoever asked the directory before was not told")
        #expect(world.published.last??.version == 2, "the directory before is told until it is stopped")
        #expect(next.told.published.map { $0.1?.version } == [1, 2])
    }

    @Test func `answers for the directory before`() {
        let world = World()
        world.start()
        let next = Next(world)
        next.start()
        world.answerKeys([.rsa, .p256])
        world.requestRefresh()
        #expect(world.keys?.version == 2)
        #expect(next.directory.keys(of: 0)?.version == 2)
        #expect(world.ends == 1)
    }

    @Test func `answers for the directory before, and tells who asked it, after that was stopped`() {
        let world = World()
        world.start()
        let next = Next(world)
        next.start()
        world.stop()
        let ends = world.ends
        world.answerKeys([.rsa, .p256])
        world.requestRefresh()
        #expect(world.keys?.version == 2)
        #expect(world.ends == ends + 1)
        let published = world.published.count
        world.pass(seconds: 3600)
        #expect(world.published.count == published, "a stopped directory was told of keys")
    }

    @Test func `gives the issuers back when it is stopped first`() {
        let world = World()
        world.start()
        do {
            let next = Next(world)
            next.start()
            world.answerKeys([.rsa, .p256])
            next.requestRefresh()
        }
        #expect(world.keys?.version == 2)
        _ = world.fetcher.takeURLs()
        world.answerKeys([.p256])
        world.pass(seconds: 3600)
        #expect(world.fetcher.takeURLs() == [World.metadataURL, World.keysURL])
        #expect(world.keys?.version == 3)
    }

    @Test func `can be continued itself, while the first one still works`() {
        let world = World()
        world.start()
        let second = Next(world)
        second.start()
        let third = Next(world, continuing: second)
        third.start()
        second.stop()
        world.answerKeys([.rsa, .p256])
        third.requestRefresh()
        #expect(world.published.last??.version == 2)
        #expect(third.told.published.last?.1?.version == 2)
        #expect(second.told.published.last?.1?.version == 1)
    }

    @Test(.holds("D-17")) func `applies a changed stale limit to the keys at hand`() {
        let world = World()
        world.start()
        world.fail(World.metadataURL)
        world.fail(World.keysURL)
        var settings = World.settings()
        settings.keyTimes.staleLimit = .seconds(60)
        let next = Next(world, [settings])
        next.start()
        let wall = world.clock.now().wallSeconds
        #expect(next.directory.keys(of: 0)?.usableUntil == wall + 3660)
        world.pass(seconds: 3660)
        #expect(next.directory.keys(of: 0) == nil)
    }

    @Test(.holds("MD-05")) func `applies a changed lifetime to the keys at hand`() {
        let world = World()
        world.start()
        var settings = World.settings()
        settings.keyTimes.maximumLifetime = .seconds(600)
        let next = Next(world, [settings])
        next.start()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 660)
        #expect(world.fetcher.takeURLs() == [World.keysURL])
    }

    @Test func `reads at once what is trusted by other certificates now, and goes on with the keys until then`() {
        let world = World()
        world.start()
        _ = world.fetcher.takeURLs()
        var settings = World.settings()
        settings.certificateAuthorityFile = "/etc/other.pem"
        let next = Next(world, [settings])
        world.fetcher.hold()
        next.start()
        #expect(next.keyIDs == ["rsa-1"])
        #expect(world.fetcher.requests.map(\.certificateAuthorityFile) == ["/etc/other.pem"])
        world.release()
    }

    @Test(.holds("JOSE-34")) func `begins with another source of keys anew, and counts on`() {
        let world = World()
        world.start()
        world.answerKeys([.p256], at: "https://id.example.com/other")
        let next = Next(world, [World.settings(keys: .url("https://id.example.com/other"))])
        #expect(next.directory.keys(of: 0) == nil)
        next.start()
        #expect(next.directory.keys(of: 0)?.version == 2)
        #expect(next.directory.keys(of: 0)?.generation == 2, "a key vanished")
        #expect(next.told.published.first?.1 == nil, "whoever shows the issuer's state was not told")
    }

    @Test(.holds("JOSE-34")) func `counts on for another issuer of the same name, whatever its keys`() {
        let world = World()
        world.start()
        let url = "https://other.example.com"
        world.answerKeys([.rsa], at: "https://other.example.com/keys")
        let next = Next(
            world,
            [
                IssuerSettings(
                    name: "main", url: url, keys: .url("https://other.example.com/keys"),
                    rules: AccessTokenRules(issuer: url))
            ])
        next.start()
        #expect(next.directory.keys(of: 0)?.generation == 2)
        #expect(next.directory.keys(of: 0)?.version == 2)
    }

    @Test(.holds("JOSE-34")) func `takes a changed document for keys that changed`() {
        func settings(_ keys: [SigningKey]) -> IssuerSettings {
            World.settings(discovery: .none, keys: .document(Array(SigningKey.keySet(keys).utf8)))
        }
        let world = World(settings([.rsa, .p256]))
        world.start()
        let same = Next(world, [settings([.rsa, .p256])])
        same.start()
        #expect(same.told.published.map { $0.1?.version } == [1])
        let next = Next(world, [settings([.p256])], continuing: same)
        #expect(next.keyIDs == ["p256-1"])
        next.start()
        #expect(next.told.published.map { $0.1?.generation } == [2])
    }

    @Test func `goes on with endpoints that are read apart from the keys`() {
        var settings = World.settings(keys: .url(World.keysURL))
        settings.readsEndpoints = true
        let world = World(settings)
        world.start()
        _ = world.fetcher.takeURLs()
        let next = Next(world, [settings])
        next.start()
        #expect(next.directory.metadata(of: 0) != nil)
        #expect(world.fetcher.takeURLs().isEmpty)
        world.stop()
        world.pass(seconds: 3600)
        #expect(Set(world.fetcher.takeURLs()) == [World.keysURL, World.metadataURL])
    }
}
