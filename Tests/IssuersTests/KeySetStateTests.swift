import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `the state of a key set` {
    private let start = Moment(milliseconds: 0, wallSeconds: 1000)

    private func state(_ keys: IssuerSettings.Keys = .discovered) -> KeySetState {
        KeySetState(plan: KeySetPlan(World.settings(keys: keys)))
    }

    private func set(_ keys: SigningKey...) throws -> KeySet {
        try KeySet.parse(Array(SigningKey.keySet(keys).utf8).span)
    }

    @Test func `ignores answers that nobody asked for`() throws {
        var state = state()
        let metadata = try metadata()
        #expect(state.metadataAccepted(metadata, maxAgeSeconds: nil, at: start) == [])
        #expect(state.keysAccepted(try set(.rsa), maxAgeSeconds: nil, at: start) == [])
        #expect(state.refused(.locationNotURL, at: start) == [])
        #expect(state.keys == nil)
        _ = state.start(at: start)
        #expect(state.keysAccepted(try set(.rsa), maxAgeSeconds: nil, at: start) == [])
        #expect(state.keys == nil)
    }

    @Test func `asks for metadata, then keys, then waits`() throws {
        var state = state()
        #expect(state.start(at: start) == [.fetchMetadata])
        #expect(
            state.metadataAccepted(try metadata(), maxAgeSeconds: nil, at: start) == [
                .report(.metadataAccepted(jwksURI: World.keysURL)), .fetchKeys(url: World.keysURL),
            ])
        #expect(
            state.keysAccepted(try set(.rsa), maxAgeSeconds: 600, at: start) == [
                .publish, .report(.keysPublished(count: 1, ignored: 0, removed: 0)), .schedule(at: 600_000),
            ])
        #expect(state.timerFired(at: Moment(milliseconds: 599_999, wallSeconds: 0)) == [.schedule(at: 600_000)])
        #expect(
            state.timerFired(at: Moment(milliseconds: 600_000, wallSeconds: 0)) == [
                .fetchKeys(url: World.keysURL), .schedule(at: 600_000 + 3_600_000),
            ])
    }

    /// Whatever happens in whatever order, the promises hold.
    @Test(.holds("JOSE-17", "D-17"), arguments: 0..<40 as Range<UInt64>)
    func `keeps its promises through any course of events`(seed: UInt64) throws {
        var random = SmallRandom(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        var state = state(seed % 2 == 0 ? .discovered : .url(World.keysURL))
        let sets = [try set(.rsa), try set(.rsa, .p256), try set(.p256), KeySet(keys: [])]
        let documents = [try metadata(), try metadata(keysURL: "https://cdn.example.net/k")]
        var watch = Watch()
        var now = start
        watch.follow(state.start(at: now), of: state, at: now)
        for _ in 0..<600 {
            let passed = Int64(random.below(200_000))
            now = Moment(
                milliseconds: now.milliseconds + passed, wallSeconds: now.wallSeconds,
                spread: Double(random.below(3)) - 1)
            watch.timePassed(&state, to: &now)
            let age = [nil, 0, 60, 100_000][random.below(4)] as Int?
            switch (random.below(4), watch.flight) {
            case (0, _):
                watch.asked += 1
                watch.follow(state.unknownKeyMet(at: now), of: state, at: now)
            case (1, .metadata):
                let document = documents[random.below(2)]
                watch.landed()
                watch.follow(state.metadataAccepted(document, maxAgeSeconds: age, at: now), of: state, at: now)
            case (1, .keys):
                watch.landed()
                watch.follow(state.keysAccepted(sets[random.below(4)], maxAgeSeconds: age, at: now), of: state, at: now)
            case (2, .metadata), (2, .keys):
                watch.landed()
                watch.follow(state.refused(.fetch(.timedOut), at: now), of: state, at: now)
            default: break
            }
        }
        #expect(watch.broken == [])
        #expect(watch.publications > 0)
    }

    private func metadata(keysURL: String = World.keysURL) throws -> ServerMetadata {
        let text = "{\"issuer\":\"\(World.issuer)\",\"jwks_uri\":\"\(keysURL)\"}"
        return try ServerMetadata.accept(
            .init(status: 200, contentType: "application/json", body: Array(text.utf8)),
            issuer: IssuerIdentifier(World.issuer))
    }
}

/// Watches the steps of a state for broken promises.
private struct Watch {
    enum Flight {
        case none, metadata, keys
    }

    var flight = Flight.none
    var asked = 0
    var publications = 0
    var broken: [String] = []
    private var timer: Int64?
    private var generation: UInt64 = 0
    private var version: UInt64 = 0
    private var lastUnknownKeyReading: Int64?
    private var keys: IssuerKeys?
    private var withdrawnAt: Int64?

    mutating func landed() { flight = .none }

    mutating func follow(_ steps: [KeySetState.Step], of state: KeySetState, at now: Moment) {
        for step in steps {
            switch step {
            case .fetchMetadata: take(off: .metadata)
            case .fetchKeys: take(off: .keys)
            case .publish: publish(state.keys)
            case .schedule(let time): timer = time
            case .endRefresh, .refuseRefresh:
                if asked == 0 { broken.append("ended what nobody asked for") }
                asked = 0
            case .report(.unknownKeyRefetch):
                if let last = lastUnknownKeyReading, now.milliseconds - last < 30_000 {
                    broken.append("refetched too soon")
                }
                lastUnknownKeyReading = now.milliseconds
            case .report: break
            }
        }
        if flight == .none, asked > 0 { broken.append("left someone waiting") }
        if flight == .none, timer == nil { broken.append("would sleep for ever") }
        if state.keys != nil, state.status.readiness == .failed { broken.append("failed with keys at hand") }
        if state.keys == nil, state.status.readiness == .ready { broken.append("ready without keys") }
        if let keys, state.keys != nil, now.wallSeconds > keys.usableUntil { broken.append("kept keys too long") }
    }

    /// Fires the timer at each of its times up to `now`, as a clock would.
    mutating func timePassed(_ state: inout KeySetState, to now: inout Moment) {
        var fired = 0
        while let due = timer, due <= now.milliseconds, fired < 100 {
            timer = nil
            fired += 1
            let then = Moment(milliseconds: due, wallSeconds: 1000 + due / 1000, spread: now.spread)
            follow(state.timerFired(at: then), of: state, at: then)
        }
        if fired == 100 { broken.append("timer does not rest") }
        now.wallSeconds = 1000 + now.milliseconds / 1000
    }

    private mutating func take(off: Flight) {
        if flight != .none { broken.append("two readings at once") }
        flight = off
    }

    private mutating func publish(_ snapshot: IssuerKeys?) {
        publications += 1
        keys = snapshot
        guard let snapshot else { return }
        if snapshot.keySet.keys.isEmpty { broken.append("published an empty set") }
        if snapshot.version < version || snapshot.generation < generation { broken.append("went back") }
        if snapshot.generation > generation, snapshot.version == version { broken.append("generation without version") }
        version = snapshot.version
        generation = snapshot.generation
    }
}

/// A small generator with a seed, so that a failure can be repeated (xorshift64*).
private struct SmallRandom {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}
