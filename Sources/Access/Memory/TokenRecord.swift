package import Crypto
package import JSON
package import OAuth

/// One access token whose signature and form were verified, with the answers to every predicate; or a session, which is
/// asked the same.
///
/// Holds no token and no secret: a digest, times, answers, the claims' text, and what was made from them. One piece of
/// memory, so that a hundred thousand of them fit where a tree of claims each would not:
///
///     storage │ answers │ keys of limits │ claims as JSON text │ client_id
///
/// Counted by hand, because a request may outlive the record's place in the cache, and because the compiler's counting
/// would cost every request. A value of this type is good as long as one use is left; its maker's is the first. One
/// worker's alone: nothing of it is read or written on another thread.
@safe
package struct TokenRecord: Equatable {
    // Whoever has a use of the record may read this, and nobody else may: it is there until the last use ends.
    @usableFromInline let storage: UnsafeMutablePointer<Storage>

    /// What stands at the beginning of the memory.
    package struct Storage {
        @usableFromInline let digest: SHA256Digest
        @usableFromInline let issuer: Int
        @usableFromInline let generation: UInt64
        @usableFromInline let expiresAt: Int64
        @usableFromInline var usableUntil: Int64
        @usableFromInline let usableFrom: Int64
        @usableFromInline let keyThumbprint: SHA256Digest
        @usableFromInline let certificateThumbprint: SHA256Digest
        @usableFromInline let isKeyBound: Bool
        @usableFromInline let isCertificateBound: Bool
        @usableFromInline var wasUsed = false
        @usableFromInline var isCached = false
        @usableFromInline let authTime: Int64
        @usableFromInline let subjectDigest: UInt64
        @usableFromInline let answerCount: Int32
        @usableFromInline let limitKeyCount: Int32
        @usableFromInline let claimsCount: Int32
        @usableFromInline let clientIDCount: Int32
        @usableFromInline var uses: Int32 = 1
        @usableFromInline var cost: Int
        package var identityFields = AttachedBlocks()
        package var assertions = AttachedBlocks()
        package var upstreamTokens = AttachedBlocks()
        package var session: SessionState?
        package var previous: TokenRecord?
        package var next: TokenRecord?
    }

    /// A record with one use, its maker's.
    ///
    /// - Parameters:
    ///   - generation: the issuer's key generation that verified the token.
    ///   - limit: Unix seconds, until which whoever judged the token is believed.
    ///   - answers: one bit for each predicate of the configuration.
    ///   - limitKeys: two words for each key that limits of requests count it by.
    package init(
        _ digest: SHA256Digest, _ token: VerifiedAccessToken, issuer: Int, generation: UInt64, leeway: Int64,
        usableUntil limit: Int64 = .max, answers: [UInt64], limitKeys: [UInt64] = []
    ) {
        self.init(
            digest, token, TokenRecord.text(of: token.claims), issuer: issuer,
            verified: (generation: generation, leeway: leeway), usableUntil: limit, answers: answers,
            limitKeys: limitKeys)
    }

    /// The same for whoever still has the text that the claims were read from.
    init(
        _ digest: SHA256Digest, _ token: VerifiedAccessToken, _ claims: [UInt8], issuer: Int,
        verified: (generation: UInt64, leeway: Int64), usableUntil limit: Int64, answers: [UInt64], limitKeys: [UInt64]
    ) {
        let (generation, leeway) = verified
        let clientID = Array((token.clientID ?? "").utf8)
        let answersSize = MemoryLayout<UInt64>.stride * (answers.count + limitKeys.count)
        let size = MemoryLayout<Storage>.stride + answersSize + claims.count + clientID.count
        let expiresAt = token.expiresAt.addingReportingOverflow(leeway).partialValue
        let fields = Storage(
            digest: digest, issuer: issuer, generation: generation, expiresAt: expiresAt,
            usableUntil: min(limit, expiresAt), usableFrom: token.times.usableFrom(leewaySeconds: leeway),
            keyThumbprint: token.binding.keyThumbprint ?? digest,
            certificateThumbprint: token.binding.certificateThumbprint ?? digest,
            isKeyBound: token.binding.keyThumbprint != nil,
            isCertificateBound: token.binding.certificateThumbprint != nil, authTime: token.authTime ?? .min,
            subjectDigest: SHA256.hash((token.subject ?? "").utf8Span.span).leadingBits,
            answerCount: Int32(answers.count), limitKeyCount: Int32(limitKeys.count / 2),
            claimsCount: Int32(claims.count), clientIDCount: Int32(clientID.count),
            cost: size + TokenRecord.overhead)
        // The parts lie one behind the other in what is allocated: `size` is their sum, and the storage's stride
        // leaves the answers aligned.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: MemoryLayout<Storage>.alignment)
        unsafe storage = memory.initializeMemory(as: Storage.self, repeating: fields, count: 1)
        let rest = unsafe memory + MemoryLayout<Storage>.stride
        unsafe rest.initializeMemory(as: UInt64.self, from: answers, count: answers.count)
        unsafe (rest + MemoryLayout<UInt64>.stride * answers.count).initializeMemory(
            as: UInt64.self, from: limitKeys, count: limitKeys.count)
        let texts = unsafe rest + answersSize
        unsafe texts.initializeMemory(as: UInt8.self, from: claims, count: claims.count)
        unsafe (texts + claims.count).initializeMemory(as: UInt8.self, from: clientID, count: clientID.count)
    }

    private static func text(of claims: JSONValue) -> [UInt8] {
        var text: [UInt8] = []
        // Most have no more: no piece of memory after another while it grows.
        text.reserveCapacity(512)
        var writer = JSONWriter(appendingTo: consume text)
        writer.value(claims)
        return writer.finish()
    }

    /// What the allocator and the table add to a record.
    private static let overhead = 48

    /// Whether both are the same record, not only of the same token.
    @inlinable
    package static func == (one: TokenRecord, other: TokenRecord) -> Bool { unsafe one.storage == other.storage }
}

// MARK: What is known of the token

extension TokenRecord {
    /// SHA-256 of the whole token, or of the session's cookie.
    @inlinable
    package var digest: SHA256Digest { unsafe storage.pointee.digest }

    /// The issuer's place in the configuration.
    @inlinable
    package var issuer: Int { unsafe storage.pointee.issuer }

    /// The issuer's key generation that verified it; another generation means verifying anew.
    @inlinable
    package var generation: UInt64 { unsafe storage.pointee.generation }

    /// Unix seconds, leeway included: from then on the token is refused.
    @inlinable
    package var expiresAt: Int64 { unsafe storage.pointee.expiresAt }

    /// Unix seconds: from then on the token is verified, or asked about, once more; never after `expiresAt`.
    @inlinable
    package var usableUntil: Int64 { unsafe storage.pointee.usableUntil }

    /// Unix seconds, leeway included: before then the token is refused.
    @inlinable
    package var usableFrom: Int64 { unsafe storage.pointee.usableFrom }

    /// The thumbprint of the key whose possession its sender must prove, where `isKeyBound` (RFC 9449 §6.1).
    @inlinable
    package var keyThumbprint: SHA256Digest { unsafe storage.pointee.keyThumbprint }

    /// The digest of the client certificate that its sender must have, where `isCertificateBound` (RFC 8705 §3.1).
    @inlinable
    package var certificateThumbprint: SHA256Digest { unsafe storage.pointee.certificateThumbprint }

    /// Whether it is worth nothing without a proof by a key.
    @inlinable
    package var isKeyBound: Bool { unsafe storage.pointee.isKeyBound }

    /// Whether it is worth nothing without a client certificate.
    @inlinable
    package var isCertificateBound: Bool { unsafe storage.pointee.isCertificateBound }

    /// `auth_time` in Unix seconds; `Int64.min` when the token does not say.
    @inlinable
    package var authTime: Int64 { unsafe storage.pointee.authTime }

    /// The first 64 bits of SHA-256(`sub`), of which the log shows half (OPS-03).
    @inlinable
    package var subjectDigest: UInt64 { unsafe storage.pointee.subjectDigest }

    /// One bit for each predicate of the configuration.
    @inlinable
    package var answers: Span<UInt64> {
        @_lifetime(borrow self) get {
            // The initialiser put so many behind the storage.
            let words = unsafe storage.behind(UInt64.self, count: Int(storage.pointee.answerCount)).span
            return unsafe _overrideLifetime(words, borrowing: self)
        }
    }

    /// The 128 bits that limits count it by, at this place of the configuration's list; 0 where the list is longer.
    @inlinable
    package func limitKey(_ place: Int) -> (UInt64, UInt64) {
        let (answers, keys) = unsafe (Int(storage.pointee.answerCount), Int(storage.pointee.limitKeyCount))
        guard place >= 0, place < keys else { return (0, 0) }
        // The initialiser put two words for each behind the answers.
        let words = unsafe storage.behind(UInt64.self, count: answers + 2 * keys).span
        return (words[answers + 2 * place], words[answers + 2 * place + 1])
    }

    /// The claims as JSON text, and `client_id` behind them.
    @inlinable
    var text: Span<UInt8> {
        @_lifetime(borrow self) get {
            // The initialiser put both behind the answers and the keys.
            let words = unsafe Int(storage.pointee.answerCount) + 2 * Int(storage.pointee.limitKeyCount)
            let answersSize = MemoryLayout<UInt64>.stride * words
            let count = unsafe Int(storage.pointee.claimsCount) + Int(storage.pointee.clientIDCount)
            let bytes = unsafe storage.behind(UInt8.self, offset: answersSize, count: count).span
            return unsafe _overrideLifetime(bytes, borrowing: self)
        }
    }

    /// `client_id`, empty when there is none.
    @inlinable
    package var clientID: Span<UInt8> {
        @_lifetime(borrow self) get { unsafe text.extracting(droppingFirst: Int(storage.pointee.claimsCount)) }
    }

    /// The claims, read anew: for identity mappings met for the first time, and for the operator's log.
    package var claims: JSONValue? {
        let text = unsafe text.extracting(first: Int(storage.pointee.claimsCount))
        return try? JSONValue.parse(text, limits: .filled(to: text.count))
    }

    /// A claim as the operator's log shows it.
    package func shown(_ claim: String) -> String {
        guard let claims, let value = Claims.value(at: [claim], in: claims),
            let bytes = Claims.identityBytes(value, separator: ", ")
        else { return "none" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: What is kept with it

extension TokenRecord {
    /// What is made for a token once, and kept with its record.
    package enum Attachment {
        /// The identity field lines of a mapping, CRLF included.
        case identityFields
        /// The field line with an assertion of the gateway's own, CRLF included.
        case assertion
        /// A token for an upstream that this one was exchanged for.
        case upstreamToken
    }

    /// What a rule has made for this token, if anything; perhaps no longer usable.
    @inlinable
    package func attached(_ kind: Attachment, rule: Int) -> AttachedBlock? {
        switch kind {
        case .identityFields: unsafe storage.pointee.identityFields.find(rule)
        case .assertion: unsafe storage.pointee.assertions.find(rule)
        case .upstreamToken: unsafe storage.pointee.upstreamTokens.find(rule)
        }
    }

    /// Takes over a use of `block`, in the place of what its rule made before.
    ///
    /// Answers by how many bytes the record costs more, for the cache to be charged with.
    package func attach(_ block: AttachedBlock, as kind: Attachment) -> Int {
        switch kind {
        case .identityFields: unsafe storage.pointee.identityFields.put(block)
        case .assertion: unsafe storage.pointee.assertions.put(block)
        case .upstreamToken: unsafe storage.pointee.upstreamTokens.put(block)
        }
    }

    /// The session that it is the record of; nil for a token.
    @inlinable
    package var session: SessionState? { unsafe storage.pointee.session }

    /// Makes it the record of a session, which ends with it and costs the cache so many bytes besides.
    package func attach(_ session: SessionState, cost: Int) {
        precondition(self.session == nil, "a record is of one session")
        unsafe storage.pointee.session = session
        unsafe storage.pointee.cost += cost
    }
}

extension TokenRecord {
    /// The record of a session is good until then: its store said that it is the same.
    package func prolong(until time: Int64) {
        precondition(session != nil, "whoever judged a token is believed no longer")
        unsafe storage.pointee.usableUntil = min(time, storage.pointee.expiresAt)
    }
}

extension TokenRecord {
    /// Unix seconds: from then on nobody needs it, whatever is said of it until then.
    var keptUntil: Int64 { session?.usableUntil ?? usableUntil }
}

// MARK: Who uses it

extension TokenRecord {
    /// Takes one more use, which ends with `release`.
    @inlinable
    package func retain() { unsafe storage.pointee.uses += 1 }

    /// Ends a use, and the record with the last one.
    @inlinable
    package func release() {
        unsafe storage.pointee.uses -= 1
        if unsafe storage.pointee.uses == 0 { free() }
    }

    /// Says that a request came with it since the cache's hand passed.
    @inlinable
    package func markUsed() { unsafe storage.pointee.wasUsed = true }

    @usableFromInline
    func free() {
        unsafe storage.pointee.identityFields.removeAll()
        unsafe storage.pointee.assertions.removeAll()
        unsafe storage.pointee.upstreamTokens.removeAll()
        unsafe storage.pointee.session?.free()
        unsafe storage.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(storage).deallocate()
    }
}

// MARK: What its cache notes

extension TokenRecord {
    /// How many have a use of it.
    var uses: Int32 { unsafe storage.pointee.uses }

    /// Whether a request came with it since the cache's hand passed.
    var wasUsed: Bool {
        get { unsafe storage.pointee.wasUsed }
        nonmutating set { unsafe storage.pointee.wasUsed = newValue }
    }

    /// Whether a cache holds it.
    var isCached: Bool {
        get { unsafe storage.pointee.isCached }
        nonmutating set { unsafe storage.pointee.isCached = newValue }
    }

    /// Bytes that the cache counts for it.
    var cost: Int {
        get { unsafe storage.pointee.cost }
        nonmutating set { unsafe storage.pointee.cost = newValue }
    }

    /// The neighbours in the ring that the cache's hand goes round.
    var previous: TokenRecord? {
        get { unsafe storage.pointee.previous }
        nonmutating set { unsafe storage.pointee.previous = newValue }
    }

    /// The other one.
    var next: TokenRecord? {
        get { unsafe storage.pointee.next }
        nonmutating set { unsafe storage.pointee.next = newValue }
    }
}

extension SHA256Digest {
    /// The first 64 bits as a number, most significant first, as hexadecimal digits show them.
    package var leadingBits: UInt64 { UInt64(bigEndian: prefix) }
}
