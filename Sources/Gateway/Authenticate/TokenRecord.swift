import Crypto
import Glibc
import JSON
import OAuth

/// One access token whose signature and form were verified, with the answers to every predicate.
///
/// Holds no token and no secret: a digest, times, answers, the claims' text, and the identity fields made from them.
/// One piece of memory, so that a hundred thousand of them fit where a tree of claims each would not:
///
///     record │ answers │ claims as JSON text │ client_id
///
/// Counted by hand, because an exchange may outlive the entry's place in the cache.
struct TokenRecord {
    let digest: SHA256Digest
    let issuer: Int
    /// The issuer's key generation that verified it; another generation means verifying anew.
    let generation: UInt64
    /// Unix seconds, leeway included: from then on the token is refused.
    let expiresAt: Int64
    /// Unix seconds: from then on the token is verified, or asked about, once more; never after `expiresAt`.
    let usableUntil: Int64
    /// Unix seconds, leeway included: before then the token is refused.
    let usableFrom: Int64
    /// The thumbprint of the key whose possession its sender must prove, where `isKeyBound` (RFC 9449 §6.1).
    let keyThumbprint: SHA256Digest
    /// The digest of the client certificate that its sender must have, where `isCertificateBound` (RFC 8705 §3.1).
    let certificateThumbprint: SHA256Digest
    let isKeyBound: Bool
    let isCertificateBound: Bool
    /// `auth_time` in Unix seconds; `Int64.min` when the token does not say.
    let authTime: Int64
    /// One bit for each predicate of the configuration.
    let answers: UnsafeMutablePointer<UInt64>
    /// The first 64 bits of SHA-256(`sub`), of which the log shows half (OPS-03).
    let subjectDigest: UInt64
    private let text: UnsafeMutablePointer<UInt8>
    private let claimsCount: Int
    private let clientIDCount: Int
    /// Identity field lines already built, one block for each mapping used with this token.
    var identity: UnsafeMutablePointer<IdentityBlock>?
    /// Identity assertions made for it, one for each rule used with this token.
    var assertions: UnsafeMutablePointer<AssertionBlock>?
    /// Tokens for upstreams that it was exchanged for, one for each rule used with it.
    var exchanged: UnsafeMutablePointer<ExchangedToken>?
    /// Of a browser's session; nil for a token.
    var session: UnsafeMutablePointer<SessionState>?
    /// Bytes that the cache counts for it.
    var cost: Int
    var uses = 1
    var wasUsed = false
    var isCached = false
    var previous: UnsafeMutablePointer<TokenRecord>?
    var next: UnsafeMutablePointer<TokenRecord>?

    /// The answers with their bound: as many words as stand before the text.
    var answerWords: UnsafeBufferPointer<UInt64> {
        let size = UnsafeRawPointer(answers).distance(to: UnsafeRawPointer(text))
        return UnsafeBufferPointer(start: answers, count: size / MemoryLayout<UInt64>.stride)
    }

    /// `client_id`, empty when there is none.
    var clientID: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text + claimsCount, count: clientIDCount)
    }

    /// The claims, read anew: for identity mappings met for the first time, and for the operator's log.
    var claims: JSONValue? {
        try? JSONValue.parse(
            UnsafeBufferPointer(start: text, count: claimsCount).span, limits: .filled(to: claimsCount))
    }

    /// A claim as the operator's log shows it.
    func shown(_ claim: String) -> String {
        guard let claims, let value = Claims.value(at: [claim], in: claims),
            let bytes = Claims.identityBytes(value, separator: ", ")
        else { return "none" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A record with one use, its maker's, that ends with `release`.
    static func make(
        _ digest: SHA256Digest, _ token: VerifiedAccessToken, issuer: Int, generation: UInt64, leeway: Int64,
        usableUntil limit: Int64 = .max, wordCount: Int
    ) -> UnsafeMutablePointer<TokenRecord> {
        var writer = JSONWriter()
        writer.value(token.claims)
        let claims = writer.bytes
        let clientID = Array((token.clientID ?? "").utf8)
        let recordSize = MemoryLayout<TokenRecord>.stride
        let size = recordSize + 8 * wordCount + claims.count + clientID.count
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<TokenRecord>.alignment)
        let record = memory.bindMemory(to: TokenRecord.self, capacity: 1)
        let expiresAt = token.expiresAt.addingReportingOverflow(leeway).partialValue
        let answers = (memory + recordSize).bindMemory(to: UInt64.self, capacity: wordCount)
        let text = (memory + recordSize + 8 * wordCount).bindMemory(
            to: UInt8.self, capacity: claims.count + clientID.count)
        text.update(from: claims, count: claims.count)
        (text + claims.count).update(from: clientID, count: clientID.count)
        record.initialize(
            to: TokenRecord(
                digest: digest, issuer: issuer, generation: generation, expiresAt: expiresAt,
                usableUntil: min(limit, expiresAt),
                usableFrom: token.times.usableFrom(leewaySeconds: leeway),
                keyThumbprint: token.binding.keyThumbprint ?? digest,
                certificateThumbprint: token.binding.certificateThumbprint ?? digest,
                isKeyBound: token.binding.keyThumbprint != nil,
                isCertificateBound: token.binding.certificateThumbprint != nil, authTime: token.authTime ?? .min,
                answers: answers,
                subjectDigest: SHA256.hash(Array((token.subject ?? "").utf8).span).leadingBits, text: text,
                claimsCount: claims.count, clientIDCount: clientID.count, identity: nil, cost: size + overhead))
        return record
    }

    /// What the allocator and the table add to a record.
    private static let overhead = 48

    static func release(_ record: UnsafeMutablePointer<TokenRecord>) {
        record.pointee.uses -= 1
        guard record.pointee.uses == 0 else { return }
        var block = record.pointee.identity
        while let one = block {
            block = one.pointee.next
            IdentityBlock.free(one)
        }
        freeAssertions(of: record)
        while let one = record.pointee.exchanged {
            record.pointee.exchanged = one.pointee.next
            ExchangedToken.release(one)
        }
        if let session = record.pointee.session { SessionState.free(session) }
        record.deinitialize(count: 1)
        UnsafeMutableRawPointer(record).deallocate()
    }

    /// The built field lines for a mapping, or nil when they have not been built yet.
    static func identity(
        of record: UnsafeMutablePointer<TokenRecord>, mapping: Int
    ) -> UnsafeMutablePointer<IdentityBlock>? {
        var block = record.pointee.identity
        while let one = block, one.pointee.mapping != mapping { block = one.pointee.next }
        return block
    }
}

/// The field lines of one identity mapping for one token, CRLF included, in one piece of memory.
struct IdentityBlock {
    let mapping: Int
    let lines: UnsafeMutablePointer<UInt8>
    let count: Int
    var next: UnsafeMutablePointer<IdentityBlock>?

    /// Bytes that the cache counts for a block with so many bytes of lines.
    static func cost(_ count: Int) -> Int { MemoryLayout<IdentityBlock>.stride + count + 16 }

    static func make(
        _ mapping: Int, _ lines: [UInt8], next: UnsafeMutablePointer<IdentityBlock>?
    ) -> UnsafeMutablePointer<IdentityBlock> {
        let head = MemoryLayout<IdentityBlock>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: head + lines.count, alignment: MemoryLayout<IdentityBlock>.alignment)
        let block = memory.bindMemory(to: IdentityBlock.self, capacity: 1)
        let bytes = (memory + head).bindMemory(to: UInt8.self, capacity: lines.count)
        bytes.update(from: lines, count: lines.count)
        block.initialize(to: IdentityBlock(mapping: mapping, lines: bytes, count: lines.count, next: next))
        return block
    }

    static func free(_ block: UnsafeMutablePointer<IdentityBlock>) {
        block.deinitialize(count: 1)
        UnsafeMutableRawPointer(block).deallocate()
    }
}

extension SHA256Digest {
    /// The first 64 bits as a number, most significant first, as hexadecimal digits show them.
    var leadingBits: UInt64 { UInt64(bigEndian: prefix) }
}
