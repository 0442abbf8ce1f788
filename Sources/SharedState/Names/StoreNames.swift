import Bytes
package import Crypto
import Sessions

/// Makes the names of keys (SH-50): whoever reads the store learns from them neither who nor what.
///
/// What nobody can guess is named by 128 bits of a digest. Issuers, users and sessions of servers can be guessed, and a
/// reader could hash every user there is: those names are codes under a key of the ring. A key that was rotated out of
/// the first place has named what is still there, so questions are asked under each.
///
/// One for a store, lent and not copied: it is asked in the middle of requests.
package final class StoreNames: Sendable {
    private let prefix: String
    private let ring: StoreKeyRing
    private let proofStart: [UInt8]
    private let sessionStart: [UInt8]
    private let markerStart: [UInt8]
    /// The stream of endings and refreshes.
    package let log: StoreName
    /// The word by which a store that forgot everything is noticed.
    package let epoch: StoreName

    package init(prefix: String, ring: StoreKeyRing) {
        self.prefix = prefix
        self.ring = ring
        proofStart = StoreNames.start(.proof, prefix)
        sessionStart = StoreNames.start(.session, prefix)
        markerStart = StoreNames.start(.marker, prefix)
        log = StoreName(bytes: Array("\(prefix):e".utf8))
        epoch = StoreName(bytes: Array("\(prefix):epoch".utf8))
    }

    /// The epoch of those slots of a cluster that one with this tag is among.
    package func epoch(tag: Int) -> StoreName { StoreName(bytes: epoch.bytes + Array(":{\(tag)}".utf8)) }

    /// The name of a session, by the identifier in its cookie.
    func session(_ id: [UInt8]) -> StoreName { session(NameDigest(SessionDigests.id(id))) }

    /// The name of a session, by what it ends with.
    func session(_ key: NameDigest) -> StoreName {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sessionStart.count + StoreName.suffixLength)
        appendSession(key, to: &bytes)
        return StoreName(bytes: bytes)
    }

    /// The name of a session or a marker, from a line of the log; nil for what is no end of a name.
    func name(_ kind: StoreKind, suffix: [UInt8]) -> StoreName? {
        guard suffix.count == StoreName.suffixLength, Base64URL.decode(suffix.span) != nil else { return nil }
        return StoreName(bytes: StoreNames.start(kind, prefix) + suffix)
    }

    /// What says who sees to the tokens of a session that was ended.
    func claim(of session: StoreName) -> StoreName {
        StoreName(bytes: StoreNames.start(.claim, prefix) + session.suffix)
    }

    /// The name of a used proof, by the digest under which the process's own set has it.
    package func proof(_ digest: SHA256Digest) -> StoreName {
        var bytes: [UInt8] = []
        appendProof(digest, to: &bytes)
        return StoreName(bytes: bytes)
    }

    /// The same without an array of its own, for the way of every request with a proof.
    package func appendProof(_ digest: SHA256Digest, to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + proofStart.count + StoreName.suffixLength)
        for byte in proofStart { bytes.append(byte) }
        StoreNames.append(digest, to: &bytes)
    }

    /// The name of a session, for the way of requests.
    func appendSession(_ key: NameDigest, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: sessionStart)
        key.append(to: &bytes)
    }

    /// The name of a marker, for the way of requests.
    func appendMarker(_ key: NameDigest, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: markerStart)
        key.append(to: &bytes)
    }

    /// The name of the used state of a login.
    func state(_ digest: SHA256Digest) -> StoreName { name(.state, digest) }

    /// The name of a used logout token, by the digest of its issuer, its client and its `jti`.
    func logoutToken(_ digest: SHA256Digest) -> StoreName { name(.logoutToken, digest) }

    /// The name of a hosted request object, by the last segment of its URL.
    func requestObject(_ reference: Secret) -> StoreName { name(.requestObject, SHA256.hash(reference.reveal().span)) }

    /// The last segments of the URL that a login's request object has, by the login's state: 32 bytes under each key, the
    /// first first.
    ///
    /// Nobody outside can compute them, and the replica that gets the callback finds the object again.
    func requestObjectReferences(state: [UInt8]) -> [Secret] {
        let message = StoreNames.joined(tag: 1, [state])
        return ring.keys.map { $0.names.derive(message.span) }
    }

    /// The markers that end a user's sessions at a client, under each key of the ring; new ones are the first.
    func markers(client: String, issuer: String, subject: String) -> [StoreName] {
        names(.marker, tag: 2, [client, issuer, subject])
    }

    /// The markers that end sessions by the server's `sid`.
    func markers(client: String, issuer: String, serverSession: String) -> [StoreName] {
        names(.marker, tag: 3, [client, issuer, serverSession])
    }

    /// The ends of the names of all markers that could end a session, without the names around them.
    func markerDigests(client: String, issuer: String, subject: String, serverSession: String?) -> [NameDigest] {
        var digests: [NameDigest] = []
        digests.reserveCapacity(2 * ring.keys.count)
        var message: [UInt8] = []
        message.reserveCapacity(
            13 + client.utf8.count + issuer.utf8.count + max(subject.utf8.count, serverSession?.utf8.count ?? 0))
        message.append(2)
        message.append(block: client.utf8Span.span)
        message.append(block: issuer.utf8Span.span)
        let common = message.count
        message.append(block: subject.utf8Span.span)
        for key in ring.keys { digests.append(NameDigest(key.names.authenticate(message.span))) }
        if let serverSession {
            message.removeSubrange(common...)
            message[0] = 3
            message.append(block: serverSession.utf8Span.span)
            for key in ring.keys { digests.append(NameDigest(key.names.authenticate(message.span))) }
        }
        return digests
    }

    /// The indexes of a user's sessions at a client, under each key of the ring; new entries go to the first.
    func indexes(client: String, issuer: String, subject: String) -> [StoreName] {
        names(.subjectIndex, tag: 2, [client, issuer, subject])
    }

    /// The indexes of the sessions that belong to a `sid`.
    func indexes(client: String, issuer: String, serverSession: String) -> [StoreName] {
        names(.serverSessionIndex, tag: 3, [client, issuer, serverSession])
    }

    /// What was spent of a limit by somebody whom all processes know by these 128 bits.
    ///
    /// Named by the first key alone: while that is changed, replicas with another one count apart.
    package func limit(_ name: [UInt8], low: UInt64, high: UInt64) -> StoreName {
        var holder: [UInt8] = []
        for word in [low, high] {
            for shift in stride(from: 56, through: 0, by: -8) {
                holder.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        let message = StoreNames.joined(tag: 4, [name, holder])
        var bytes = StoreNames.start(.limit, prefix)
        StoreNames.append(ring.first.names.authenticate(message.span), to: &bytes)
        return StoreName(bytes: bytes)
    }

    private func names(_ kind: StoreKind, tag: UInt8, _ texts: [String]) -> [StoreName] {
        let message = StoreNames.joined(tag: tag, texts.map { Array($0.utf8) })
        return ring.keys.map { key in
            var bytes = StoreNames.start(kind, prefix)
            StoreNames.append(key.names.authenticate(message.span), to: &bytes)
            return StoreName(bytes: bytes)
        }
    }

    private func name(_ kind: StoreKind, _ digest: SHA256Digest) -> StoreName {
        var bytes = StoreNames.start(kind, prefix)
        StoreNames.append(digest, to: &bytes)
        return StoreName(bytes: bytes)
    }

    /// Lengths are part of what is authenticated: no issuer and name run together to another issuer and name.
    private static func joined(tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        var bytes = [tag]
        for part in parts { bytes.append(block: part) }
        return bytes
    }

    private static func start(_ kind: StoreKind, _ prefix: String) -> [UInt8] {
        Array("\(prefix):\(kind.rawValue):".utf8)
    }

    /// The first 128 bits in base64url.
    private static func append(_ digest: SHA256Digest, to bytes: inout [UInt8]) {
        let (low, high) = digest.longPrefix
        var half = InlineArray<16, UInt8>(repeating: 0)
        for index in 0..<8 {
            half[index] = UInt8(truncatingIfNeeded: low.littleEndian &>> UInt64(index &* 8))
            half[index &+ 8] = UInt8(truncatingIfNeeded: high.littleEndian &>> UInt64(index &* 8))
        }
        Base64URL.append(half.span, to: &bytes)
    }
}

extension [UInt8] {
    /// Appends bytes behind their number, four bytes of it.
    mutating func append(block: [UInt8]) { append(block: block.span) }

    /// The same of bytes that are lent.
    mutating func append(block: Span<UInt8>) {
        append(number: UInt32(truncatingIfNeeded: block.count))
        append(copying: block)
    }

    /// Appends a number of four bytes, the highest first.
    mutating func append(number: UInt32) {
        append(UInt8(truncatingIfNeeded: number &>> 24))
        append(UInt8(truncatingIfNeeded: number &>> 16))
        append(UInt8(truncatingIfNeeded: number &>> 8))
        append(UInt8(truncatingIfNeeded: number))
    }
}
