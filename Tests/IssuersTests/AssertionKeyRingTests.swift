import Issuers
import JOSE
import Synchronization
import TestSupport
import TestTraits
import Testing

/// What is published of the ring.
private func document(_ ring: AssertionKeyRing) -> [UInt8] { JWKSetWriter.write(ring.publishedKeys) }

/// A verifier that keeps the key set for as long as it may, and then reads it again.
private struct Reader {
    var set = KeySet(keys: [])
    var readAt = Int64.min

    mutating func look(at ring: AssertionKeyRing, now: Int64) throws {
        guard readAt == .min || now - readAt >= Int64(ring.maximumAgeSeconds) * 1000 else { return }
        set = try KeySet.parse(document(ring).span)
        readAt = now
    }

    func accepts(_ token: [UInt8]) throws -> Bool {
        let jws = try CompactJWS.parse(token.span, maximumBytes: 16_384)
        return (try? VerificationKeys(set).verify(jws, algorithms: [.es256])) != nil
    }
}

private func moment(_ seconds: Int64) -> Moment { Moment(milliseconds: seconds * 1000, wallSeconds: 0) }

@Suite struct `the ring of assertion keys` {
    private func ring(
        rotation: Int = 3600, lifetime: Int = 60, maximumAge: Int = 300,
        make: @escaping AssertionKeyRing.Maker = { try? SigningJWK.generate($0) }
    ) throws -> AssertionKeyRing {
        try AssertionKeyRing(
            algorithm: .es256, rotationSeconds: rotation, lifetimeSeconds: lifetime, maximumAgeSeconds: maximumAge,
            at: moment(0), make: make)
    }

    private func published(_ ring: AssertionKeyRing) throws -> [String] {
        try KeySet.parse(document(ring).span).keys.compactMap(\.keyID)
    }

    private func sign(_ ring: AssertionKeyRing) throws -> [UInt8] {
        let claims = Array("{}".utf8)
        return try CompactJWS.sign(claims.span, type: AssertionKeyRing.assertionType, by: ring.signer)
    }

    @Test(.holds("CA-18")) func `publishes a key for a whole rotation before it signs, and for a lifetime after`()
        throws
    {
        var ring = try ring()
        let first = ring.signer.keyID
        let start = try published(ring)
        try #require(start.count == 2 && start[0] == first)
        #expect(ring.due == 3_600_000)
        #expect(ring.advance(at: moment(3599)) == [])
        #expect(ring.signer.keyID == first)

        let events = ring.advance(at: moment(3600))
        let second = ring.signer.keyID
        let afterRotation = try published(ring)
        #expect(second == start[1])
        #expect(afterRotation.count == 3)
        #expect(events == [.rotated(keyID: second, nextKeyID: afterRotation[1])])
        #expect(afterRotation[0] == second && afterRotation[2] == first)

        #expect(ring.due == 3_720_000)
        #expect(ring.advance(at: moment(3719)) == [])
        #expect(ring.advance(at: moment(3720)) == [.forgotten(keyID: first)])
        #expect(try published(ring) == Array(afterRotation.prefix(2)))
        #expect(ring.due == 7_200_000)

        #expect(ring.advance(at: moment(7200)).count == 1)
        #expect(ring.signer.keyID == afterRotation[1])
    }

    /// Readers that look at odd times never meet a signature they cannot check.
    @Test(.refuses("CA-18", "MD-31"), arguments: [(3600, 60, 300), (60, 60, 300), (360, 300, 300), (400, 3600, 60)])
    func `never leaves a reader without the key`(rotation: Int, lifetime: Int, maximumAge: Int) throws {
        var ring = try ring(rotation: rotation, lifetime: lifetime, maximumAge: maximumAge)
        var readers = [Reader](repeating: Reader(), count: 3)
        var tokens: [(token: [UInt8], until: Int64)] = []
        for second in stride(from: Int64(0), to: 8_000, by: 40) {
            if let due = ring.due, due <= second * 1000 { _ = ring.advance(at: moment(second)) }
            for index in readers.indices where second >= Int64(index) * 80 {
                try readers[index].look(at: ring, now: second * 1000)
            }
            if second % 120 == 0 { tokens.append((try sign(ring), second + Int64(lifetime))) }
            tokens.removeAll { $0.until < second }
            guard second >= 240, let oldest = tokens.first, let newest = tokens.last else { continue }
            // A reader whose own set is old reads it again when it does not find a name: only the newest must be there.
            for reader in readers { try #require(try reader.accepts(newest.token), "\(second)") }
            var fresh = Reader()
            try fresh.look(at: ring, now: second * 1000)
            try #require(try fresh.accepts(oldest.token), "\(second)")
        }
    }

    @Test(.holds("CA-18")) func `called late replaces one key, not two`() throws {
        var ring = try ring()
        let next = try published(ring)[1]
        #expect(ring.advance(at: moment(100_000)).count == 1)
        #expect(ring.signer.keyID == next)
        #expect(ring.due == 100_120_000)
        #expect(ring.advance(at: moment(100_000)) == [])
    }

    @Test(.refuses("CA-18")) func `keeps its keys when none can be made, and tries again`() throws {
        let isBroken = Mutex(false)
        var ring = try ring(make: { isBroken.withLock { $0 } ? nil : try? SigningJWK.generate($0) })
        let (key, keys) = (ring.signer.keyID, ring.publishedKeys)
        isBroken.withLock { $0 = true }
        #expect(ring.advance(at: moment(3600)) == [.notRotated(nextAttemptSeconds: 60)])
        #expect(ring.signer.keyID == key && ring.publishedKeys == keys)
        #expect(ring.due == 3_660_000)
        #expect(ring.advance(at: moment(3660)) == [.notRotated(nextAttemptSeconds: 60)])
        isBroken.withLock { $0 = false }
        #expect(ring.advance(at: moment(3720)).count == 1)
        #expect(ring.signer.keyID != key)
        #expect(throws: AssertionKeyRing.Refusal.notMade) { try self.ring(make: { _ in nil }) }
    }

    @Test(.holds("MD-30")) func `publishes public members only, each key with its own name`() throws {
        var ring = try ring()
        _ = ring.advance(at: moment(3600))
        let text = String(decoding: document(ring), as: UTF8.self)
        for member in ["d", "k", "p", "q", "dp", "dq", "qi", "oth"] { #expect(!text.contains("\"\(member)\"")) }
        let names = try published(ring)
        #expect(names.count == 3 && Set(names).count == 3)
    }

    @Test(.holds("CA-18")) func `of files signs with the first, publishes all, and replaces none`() throws {
        var ring = try AssertionKeyRing(files: [
            SigningKey.p256.signer(), SigningKey.rsa.signer(), SigningKey.ed25519.signer(),
        ])
        #expect(ring.signer.algorithm == .es256)
        #expect(try KeySet.parse(document(ring).span).keys.map(\.algorithm) == [.es256, .ps256, .edDSA])
        #expect(ring.due == nil)
        let before = ring.publishedKeys
        #expect(ring.advance(at: moment(1_000_000)) == [])
        #expect(ring.publishedKeys == before)
    }

    @Test(.refuses("MD-31")) func `of files is refused with one key twice, or without any`() throws {
        #expect(throws: AssertionKeyRing.Refusal.noKey) { try AssertionKeyRing(files: []) }
        let name = try SigningKey.p256.signer().keyID
        #expect(throws: AssertionKeyRing.Refusal.sameKeyTwice(keyID: name)) {
            try AssertionKeyRing(files: [SigningKey.p256.signer(), SigningKey.rsa.signer(), SigningKey.p256.signer()])
        }
        #expect(throws: AssertionKeyRing.Refusal.sameKeyTwice(keyID: "a")) {
            try AssertionKeyRing(files: [SigningKey.p256.signer(keyID: "a"), SigningKey.otherP256.signer(keyID: "a")])
        }
    }
}
