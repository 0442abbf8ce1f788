import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `the start` {
    @Test(.holds("RS-24")) func `reads every issuer's keys ahead of need, without waiting for them`() {
        let world = World()
        world.fetcher.hold()
        world.directory.start()
        #expect(world.status.readiness == .waiting)
        world.executor.drain()
        #expect(world.status.readiness == .waiting)
        #expect(world.keys == nil)
        world.release()
        #expect(world.status.readiness == .ready)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.fetcher.takeURLs() == [World.metadataURL, World.keysURL])
        #expect(
            world.takeEvents() == [
                .metadataAccepted(jwksURI: World.keysURL), .keysPublished(count: 1, ignored: 0, removed: 0),
            ])
    }

    @Test func `tells the status in full`() throws {
        let world = World()
        world.answer(SigningKey.keySet(jwks: [SigningKey.rsa.publicJWK(), "{\"kty\":\"oct\",\"k\":\"AA\"}"]))
        world.start()
        let status = world.status
        #expect(status.keyCount == 1)
        #expect(status.ignoredKeyCount == 1)
        #expect(status.fetchedAt == world.clock.now().wallSeconds)
        #expect(status.usableUntil == world.clock.now().wallSeconds + 7200)
        #expect(status.jwksURI == World.keysURL)
        #expect(status.lastRefusal == nil)
        let keys = try #require(world.keys)
        #expect(keys.version == 1)
        #expect(keys.generation == 1)
        #expect(keys.fetchedAt == status.fetchedAt)
        #expect(keys.usableUntil == status.usableUntil)
    }

    @Test func `happens once`() {
        let world = World()
        world.start()
        world.start()
        #expect(world.fetcher.takeURLs().count == 2)
    }

    @Test func `without the issuer goes on, and keys come when it does`() {
        let world = World()
        world.fail(World.metadataURL, .connectFailed("refused"))
        world.start()
        #expect(world.status.readiness == .failed)
        #expect(world.status.lastRefusal == .fetch(.connectFailed("refused")))
        #expect(world.takeEvents() == [.refreshFailed(.fetch(.connectFailed("refused")), nextAttemptSeconds: 1)])
        world.answerMetadata()
        world.pass(seconds: 1)
        #expect(world.status.readiness == .ready)
        #expect(world.status.failures == 0)
    }

    @Test func `reads a configured key set URL without metadata`() {
        let url = "https://keys.example.net:8443/jwks?v=1"
        let world = World(World.settings(keys: .url(url)))
        world.answerKeys([.p256], at: url)
        world.start()
        #expect(world.fetcher.takeURLs() == [url])
        #expect(world.keyIDs == ["p256-1"])
        #expect(world.status.jwksURI == url)
    }

    @Test func `one issuer's trouble is not another's`() {
        let other = "https://other.example.net"
        let world = World(World.settings(), World.settings(url: other, keys: .url("https://other.example.net/k")))
        world.fail(World.metadataURL)
        world.answerKeys([.ed25519], at: "https://other.example.net/k")
        world.start()
        #expect(world.directory.status(of: 0).readiness == .failed)
        #expect(world.directory.status(of: 1).readiness == .ready)
        world.requestRefresh(1)
        #expect(world.endedIssuers == [1])
    }
}

@Suite struct `a static document` {
    private func world(_ text: String) -> World { World(World.settings(keys: .document(Array(text.utf8)))) }

    @Test func `is ready before the start and never asks anyone`() throws {
        let world = world(SigningKey.keySet([.rsa, .p256]))
        #expect(world.status.readiness == .ready)
        #expect(world.keyIDs == ["rsa-1", "p256-1"])
        #expect(world.keys?.usableUntil == .max)
        world.start()
        #expect(world.published.count == 1)
        #expect(world.takeEvents() == [.keysPublished(count: 2, ignored: 0, removed: 0)])
        world.pass(seconds: 100_000)
        world.requestRefresh()
        #expect(world.ends == 1)
        #expect(world.status.readiness == .ready)
        #expect(world.fetcher.requests.isEmpty)
        #expect(world.clock.sleepers == 0)
    }

    @Test(
        .refuses("JOSE-18"),
        arguments: ["", "{\"keys\":{}}", "{\"keys\":[]}", "[]", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\"}]}"])
    func `without a usable key has failed, and stays so`(text: String) {
        let world = world(text)
        #expect(world.status.readiness == .failed)
        world.start()
        guard case .refreshFailed(_, nextAttemptSeconds: nil)? = world.takeEvents().first else {
            Issue.record("another event")
            return
        }
        world.requestRefresh()
        world.pass(seconds: 100_000)
        #expect(world.ends == 1)
        #expect(world.fetcher.requests.isEmpty)
    }
}

@Suite struct `a token with an unknown key` {
    @Test(.holds("JOSE-17")) func `is accepted after a rotation without a restart`() {
        let world = World()
        world.start()
        world.answerKeys([.rsa, .otherRSA])
        world.requestRefresh()
        #expect(world.keyIDs == ["rsa-1", "rsa-2"])
        #expect(world.ends == 1)
        #expect(world.takeEvents().contains(.unknownKeyRefetch))
    }

    @Test(.holds("JOSE-17")) func `ten thousand random ones in ten seconds cost one request`() {
        let world = World()
        world.start()
        _ = world.fetcher.takeURLs()
        for _ in 0..<100 {
            for _ in 0..<100 { world.directory.requestRefresh(issuer: 0) }
            world.executor.drain()
            world.pass(seconds: 0.1)
        }
        #expect(world.fetcher.takeURLs() == [World.keysURL])
        // Those that came together were answered together.
        #expect(world.ends == 100)
        world.requestRefresh()
        #expect(world.fetcher.takeURLs().isEmpty)
    }

    @Test(.holds("JOSE-17")) func `from any thread is answered after it asked`() async {
        let world = World()
        world.start()
        let before = world.ends
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { world.directory.requestRefresh(issuer: 0) } }
        }
        world.executor.drain()
        #expect(world.ends > before)
        world.requestRefresh()
        #expect(world.ends > before + 1)
    }

    @Test(.refuses("JOSE-17")) func `every one of them is answered, limited or not`() {
        let world = World()
        world.start()
        for count in 1...5 {
            world.requestRefresh()
            #expect(world.ends == count)
        }
    }

    @Test(.holds("JOSE-17"), .refuses("JOSE-17"))
    func `may cause the next request after thirty seconds and not before`() {
        let world = World()
        world.start()
        world.requestRefresh()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 29.9)
        world.requestRefresh()
        #expect(world.fetcher.takeURLs().isEmpty)
        #expect(world.takeEvents().last == .unknownKeyRefetchSuppressed)
        world.pass(seconds: 0.1)
        world.requestRefresh()
        #expect(world.fetcher.takeURLs() == [World.keysURL])
    }

    @Test(.refuses("JOSE-17")) func `of strangers spend nothing of what logins have, and an answer may always ask`() {
        let world = World()
        world.start()
        for _ in 0..<10 { world.requestRefresh(by: .accessToken) }
        _ = world.fetcher.takeURLs()
        // Logout tokens of strangers spend nothing of what responses have, nor the other way round.
        for who in [KeyAsker.logoutToken, .response, .metadata] {
            world.requestRefresh(by: who)
            #expect(world.fetcher.takeURLs() == [World.keysURL])
            world.requestRefresh(by: who)
            #expect(world.fetcher.takeURLs().isEmpty)
        }
        for _ in 0..<3 {
            world.requestRefresh(by: .answer)
            #expect(world.fetcher.takeURLs() == [World.keysURL])
        }
        // What logins asked for is none of the others' either.
        world.pass(seconds: 30)
        world.requestRefresh(by: .answer)
        _ = world.fetcher.takeURLs()
        world.requestRefresh(by: .accessToken)
        #expect(world.fetcher.takeURLs() == [World.keysURL])
    }

    @Test(.holds("JOSE-17")) func `many at once share one request`() {
        let world = World()
        world.start()
        _ = world.fetcher.takeURLs()
        world.fetcher.hold()
        for _ in 0..<50 { world.requestRefresh() }
        #expect(world.fetcher.requests.count == 1)
        #expect(world.ends == 0)
        world.release()
        #expect(world.fetcher.requests.count == 1)
        #expect(world.ends == 1)
    }

    @Test(.holds("JOSE-17")) func `waits for the first reading while that is under way`() {
        let world = World()
        world.fetcher.hold()
        world.start()
        world.requestRefresh()
        #expect(world.ends == 0)
        world.release()
        #expect(world.ends == 1)
        #expect(world.fetcher.takeURLs() == [World.metadataURL, World.keysURL])
    }

    @Test(.holds("OIDC-17")) func `says whether the last attempt to read the keys came to nothing`() {
        let world = World()
        #expect(!world.directory.hasFailedToReadKeys(of: 0))
        world.start()
        #expect(!world.directory.hasFailedToReadKeys(of: 0))
        world.fail(World.keysURL)
        world.requestRefresh(by: .answer)
        #expect(world.directory.hasFailedToReadKeys(of: 0))
        #expect(world.keys != nil)
        // One that comes too soon is no attempt.
        world.requestRefresh(by: .answer)
        world.requestRefresh(by: .response)
        world.requestRefresh(by: .response)
        #expect(world.directory.hasFailedToReadKeys(of: 0))
        world.answerKeys([.rsa])
        world.requestRefresh(by: .answer)
        #expect(!world.directory.hasFailedToReadKeys(of: 0))
    }

    @Test(.holds("RS-24"), arguments: [FetchRefusal.timedOut, .unresolved, .tlsFailed("x"), .redirected, .tooLarge])
    func `is answered when the reading failed, and the keys at hand stay`(refusal: FetchRefusal) {
        let world = World()
        world.start()
        world.fail(World.keysURL, refusal)
        world.requestRefresh()
        #expect(world.ends == 1)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.status.readiness == .ready)
        #expect(world.status.lastRefusal == .fetch(refusal))
    }

    @Test func `is answered when the directory stops, and after`() {
        let world = World()
        world.fetcher.hold()
        world.start()
        world.requestRefresh()
        world.directory.stop()
        world.executor.drain()
        #expect(world.ends == 1)
        world.requestRefresh()
        #expect(world.ends == 2)
        #expect(world.clock.sleepers == 0)
        #expect(world.published.isEmpty)
    }
}
