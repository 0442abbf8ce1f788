import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `keys over time` {
    @Test(
        .holds("MD-05"),
        arguments: [(nil, 3600.0), (300, 300), (0, 60), (59, 60), (100_000, 3600), (Int.max, 3600), (-5, 60)]
            as [(Int?, Double)])
    func `are read again when the answer's freshness ends, within bounds`(maxAge: Int?, seconds: Double) {
        let world = World(World.settings(keys: .url(World.keysURL)))
        world.answerKeys([.rsa], maxAge: maxAge)
        world.start()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: seconds - 0.001)
        #expect(world.fetcher.takeURLs().isEmpty)
        world.pass(seconds: 0.001)
        #expect(world.fetcher.takeURLs() == [World.keysURL])
    }

    @Test(.holds("MD-05"), arguments: [(-1.0, 3240.0), (1, 3960), (0.5, 3780), (99, 3960)])
    func `are read again a tenth earlier or later`(spread: Double, seconds: Double) {
        let world = World(World.settings(keys: .url(World.keysURL)))
        world.clock.setSpread(spread)
        world.start()
        _ = world.fetcher.takeURLs()
        world.pass(seconds: seconds - 0.001)
        #expect(world.fetcher.takeURLs().isEmpty)
        world.pass(seconds: 0.001)
        #expect(world.fetcher.takeURLs() == [World.keysURL])
    }

    @Test func `that did not change keep version and generation`() {
        let world = World()
        world.answerKeys([.rsa, .p256])
        world.start()
        world.answerKeys([.p256, .rsa])
        world.pass(seconds: 3600)
        #expect(world.published.map { $0?.version } == [1, 1])
        #expect(world.published.map { $0?.generation } == [1, 1])
        #expect(world.takeEvents().last == .keysUnchanged(count: 2))
        // A snapshot is handed out all the same: it says how long the keys last now.
        #expect(world.published[1]?.usableUntil == (world.published[0]?.usableUntil ?? 0) + 3600)
    }

    @Test func `to which one was added raise the version only`() {
        let world = World()
        world.start()
        world.answerKeys([.rsa, .p256])
        world.pass(seconds: 3600)
        #expect(world.keys?.version == 2)
        #expect(world.keys?.generation == 1)
        #expect(world.takeEvents().last == .keysPublished(count: 2, ignored: 0, removed: 0))
    }

    @Test(.holds("RS-24")) func `from which one vanished lose it at once`() {
        let world = World()
        world.answerKeys([.rsa, .p256])
        world.start()
        world.answerKeys([.p256])
        world.pass(seconds: 3600)
        #expect(world.keyIDs == ["p256-1"])
        #expect(world.keys?.version == 2)
        #expect(world.keys?.generation == 2)
        #expect(world.takeEvents().last == .keysPublished(count: 1, ignored: 0, removed: 1))
    }

    @Test func `of which one changed under its name count as one vanished`() {
        let world = World()
        world.start()
        world.answerKeys([SigningKey(renaming: .otherRSA, keyID: "rsa-1")])
        world.pass(seconds: 3600)
        #expect(world.keys?.generation == 2)
    }

    @Test func `of which one was restricted count as one vanished`() {
        let world = World()
        world.start()
        world.answer(SigningKey.keySet(jwks: [SigningKey.rsa.publicJWK(["alg": "\"PS256\""])]))
        world.pass(seconds: 3600)
        #expect(world.keys?.generation == 2)
        #expect(world.keys?.version == 2)
    }

    @Test func `do not follow a wall clock that is set`() {
        let world = World()
        world.start()
        world.clock.correctWallClock(by: 1_000_000)
        world.pass(seconds: 1)
        #expect(world.status.readiness == .ready)
        #expect(world.keyIDs == ["rsa-1"])
    }
}

@Suite struct `a key set is refused and the one before kept` {
    @Test(
        .refuses("JOSE-18"),
        arguments: [
            "", "{}", "[]", "{\"keys\":{}}", "{\"keys\":[]}", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\"}]}",
            "{\"keys\":[],\"keys\":[]}", "<html>", "{\"keys\":[" + String(repeating: "{},", count: 100) + "{}]}",
            "{\"keys\":[" + String(repeating: " ", count: 300 * 1024) + "]}",
        ])
    func `when it is no set of usable keys`(text: String) {
        let world = World()
        world.start()
        world.answer(text)
        world.pass(seconds: 3600)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.status.failures == 1)
        #expect(world.published.count == 1)
    }

    @Test(.refuses("MD-06"), arguments: [201, 204, 304, 401, 404, 500, 503])
    func `when its status is not 200`(status: Int) {
        let world = World()
        world.start()
        world.answer(SigningKey.keySet([.p256]), status: status)
        world.pass(seconds: 3600)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.status.lastRefusal == .keySetStatus(status))
    }

    @Test(.refuses("JOSE-18")) func `but one bad key among good ones is only left out`() {
        let world = World()
        world.start()
        world.answer(SigningKey.keySet(jwks: ["{\"kty\":\"EC\"}", SigningKey.p256.publicJWK(), "7"]))
        world.pass(seconds: 3600)
        #expect(world.keyIDs == ["p256-1"])
        #expect(world.takeEvents().contains(.keysPublished(count: 1, ignored: 2, removed: 1)))
    }

    @Test(.holds("JOSE-18")) func `a private key for all to read raises an alarm`() {
        let world = World()
        world.answer(SigningKey.keySet(jwks: [SigningKey.rsa.publicJWK(), SigningKey.p256.publicJWK(["d": "\"AA\""])]))
        world.start()
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.takeEvents().contains(.privateKeyExposed(count: 1)))
    }

    @Test(.holds("JOSE-07")) func `keys of a broken generator are used, and warned of when they appear`() {
        // 65537 to the 128th: what that generator's moduli are like to every prime.
        let modulus =
            "AQCAH8U2ItemOdvAuh3CYd6meB6-F3qiRRF_kOTYh4wfVcOe0wxKYEIqcck0X_dMh27LcJUNm1cegMcsHuwVfrLmYD4E6AbrGDnR"
            + "VwNR2ezupy-nrIS3sMXn64KRT6BZ0pZ2SLnY8c3cq0Zmhx4fF6nLVStlpsZmBwj9tuOK5ipNMK9HkcQj44dOFrvbyw4fVO1NUjBa"
            + "T4RyJ0sNqSF3jiQWNms6QqIwD2xOFvDBWDAr3qu5K6uDynfvQqlIfwfk5QHlZ3OBqDFHg56I7-TQvnnoE-OqWNK8wVBbJ0LYOJQn"
            + "Gzd-s_EIm0g3RquiJYE0Hm7FzQT3IsflNYAfwACAAAE"
        let world = World()
        world.start()
        world.answer(SigningKey.keySet(jwks: [SigningKey.rsa.publicJWK(["n": "\"\(modulus)\""])]))
        world.pass(seconds: 3600)
        #expect(world.keyIDs == ["rsa-1"])
        #expect(world.takeEvents().contains(.guessableKeys(count: 1)))
        world.pass(seconds: 3600)
        #expect(!world.takeEvents().contains(.guessableKeys(count: 1)))
    }
}
