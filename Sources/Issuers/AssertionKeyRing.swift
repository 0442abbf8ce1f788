package import JOSE

/// The keys that identity assertions are signed with: which one signs now, and which ones are published (MD-31).
///
/// Keys made here are replaced without anybody noticing (CA-18). A verifier that read the key set a moment ago must know
/// the next key by the time it signs, and must still find the last one while something signed with it is in force:
///
///     first    ├─ signs ──────────┤ previous ┤
///     second   ├─ next ───────────┼─ signs ──────────┤ previous ┤
///     third                       ├─ next ───────────┼─ signs ──────────┤ …
///              └ start            └ one rotation     └ one rotation
///
/// Time is handed in: whoever owns the clock calls `advance` when `due` has come, and hands out `signer` and
/// `publishedKeys` as snapshots. Keys from files stay as they are: the operator publishes the next one, and later lets it
/// sign.
package struct AssertionKeyRing: Sendable {
    /// Something worth a log line.
    package enum Event: Sendable, Equatable {
        /// Another key signs from now on, and the one after it is published.
        case rotated(keyID: String, nextKeyID: String)
        /// A key is published no more: nothing that it signed is in force.
        case forgotten(keyID: String)
        /// No key could be made; the ones at hand stay, and another attempt follows.
        case notRotated(nextAttemptSeconds: Int)
    }

    /// Makes a key for an algorithm; nil when the library gives none.
    package typealias Maker = @Sendable (SignatureAlgorithm) -> SigningJWK?

    /// `typ` of an identity assertion, which no other token of ours has.
    package static let assertionType = "portcullis-identity+jwt"

    /// A key that signs no more.
    private struct Previous {
        let key: JWK
        /// Monotonic milliseconds.
        let until: Int64
    }

    private let make: Maker
    private let rotation: Int64
    private let retention: Int64
    private var rotationDue: Int64?
    private var others: [SigningJWK]
    private var previous: [Previous] = []

    /// The key that signs now.
    package private(set) var signer: SigningJWK
    /// The public halves to publish: the signer's, those of the next keys, and those of what is still in force.
    package private(set) var publishedKeys: [JWK] = []
    /// Seconds for which a reader may keep the key set.
    package let maximumAgeSeconds: Int

    /// Monotonic milliseconds when `advance` has something to do; nil when it never has.
    package var due: Int64? {
        let ends = previous.map(\.until) + (rotationDue.map { [$0] } ?? [])
        return ends.min()
    }
}

// MARK: beginnings

extension AssertionKeyRing {
    /// Why there are no keys to begin with.
    package enum Refusal: Error, Sendable, Equatable {
        case noKey
        /// One key given twice, or two of one name, of which a reader could take either.
        case sameKeyTwice(keyID: String)
        /// The library made no key.
        case notMade
    }

    /// The operator's keys: the first signs, all are published, and none is ever replaced.
    package init(files keys: [SigningJWK], maximumAgeSeconds: Int = 300) throws(Refusal) {
        guard let first = keys.first else { throw .noKey }
        var names: Set<String> = []
        for key in keys where !names.insert(key.keyID).inserted { throw .sameKeyTwice(keyID: key.keyID) }
        self.init(
            signer: first, others: Array(keys.dropFirst()), rotation: 0, retention: 0, rotationDue: nil,
            maximumAgeSeconds: maximumAgeSeconds, make: { _ in nil })
    }

    /// Keys that exist in this process only, replaced after `rotationSeconds` each.
    ///
    /// A rotation is never shorter than readers may keep a key set, and a minute more: the next key is published for
    /// that long before it signs. The last key stays published while its assertions, which live `lifetimeSeconds` at
    /// most, are in force, and a minute more.
    package init(
        algorithm: SignatureAlgorithm, rotationSeconds: Int, lifetimeSeconds: Int, maximumAgeSeconds: Int = 300,
        at now: Moment, make: @escaping Maker = { try? SigningJWK.generate($0) }
    ) throws(Refusal) {
        guard let first = make(algorithm), let second = make(algorithm) else { throw .notMade }
        let rotation = 1000 * Int64(max(rotationSeconds, maximumAgeSeconds + Self.clockSeconds))
        self.init(
            signer: first, others: [second], rotation: rotation,
            retention: 1000 * Int64(lifetimeSeconds + Self.clockSeconds), rotationDue: now.milliseconds + rotation,
            maximumAgeSeconds: maximumAgeSeconds, make: make)
    }

    private init(
        signer: SigningJWK, others: [SigningJWK], rotation: Int64, retention: Int64, rotationDue: Int64?,
        maximumAgeSeconds: Int, make: @escaping Maker
    ) {
        self.signer = signer
        self.others = others
        self.rotation = rotation
        self.retention = retention
        self.rotationDue = rotationDue
        self.maximumAgeSeconds = maximumAgeSeconds
        self.make = make
        publish()
    }

    /// What readers' clocks, and the way of a snapshot to the workers, may take.
    private static let clockSeconds = 60
    private static let retrySeconds = 60
}

// MARK: what happens

extension AssertionKeyRing {
    /// Does what is due; `signer` and `publishedKeys` may be others afterwards, when events are returned.
    ///
    /// However late it is called, one key at most is replaced: the next one was published before, the one after it not.
    package mutating func advance(at now: Moment) -> [Event] {
        var events = forget(at: now)
        if let rotationDue, now.milliseconds >= rotationDue { events += rotate(at: now) }
        if !events.isEmpty { publish() }
        return events
    }

    private mutating func forget(at now: Moment) -> [Event] {
        let gone = previous.filter { $0.until <= now.milliseconds }
        previous.removeAll { $0.until <= now.milliseconds }
        return gone.map { .forgotten(keyID: $0.key.keyID ?? "") }
    }

    private mutating func rotate(at now: Moment) -> [Event] {
        guard let successor = others.first, let next = make(signer.algorithm) else {
            rotationDue = now.milliseconds + 1000 * Int64(Self.retrySeconds)
            return [.notRotated(nextAttemptSeconds: Self.retrySeconds)]
        }
        previous.append(Previous(key: signer.published, until: now.milliseconds + retention))
        signer = successor
        others = [next]
        rotationDue = now.milliseconds + rotation
        return [.rotated(keyID: signer.keyID, nextKeyID: next.keyID)]
    }

    private mutating func publish() {
        publishedKeys = [signer.published] + others.map(\.published) + previous.map(\.key)
    }
}
