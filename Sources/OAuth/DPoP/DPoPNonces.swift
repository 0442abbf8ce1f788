import Bytes
public import Crypto

/// Nonces for DPoP proofs that nobody but this server and its replicas can make, and that none of them remembers.
///
///     base64url( period, 8 bytes │ HMAC-SHA-256(key, label │ period │ server) )
///
/// A period is as long as the lifetime; the nonces of this one and of the one before it are accepted, so that each is
/// good for at least one lifetime and at most two (RFC 9449 §8, §9).
public struct DPoPNonces: Sendable {
    /// What a nonce is worth; `until` is the last unix second at which it will be.
    public enum Verdict: Sendable, Equatable {
        /// Made in this period.
        case current(until: Int64)
        /// Made in the period before: good, and the answer should bring a new one (RFC 9449 §8.2).
        case previous(until: Int64)
        /// Not ours, or too old: the client must be given one (DPOP-11).
        case unknown
    }

    private let codes: [MAC]
    private let server: [UInt8]
    private let lifetime: Int64

    /// Separates this use of a key from every other.
    private static let label = Array("DPoP-Nonce\0".utf8)
    private static let periodBytes = 8
    /// Characters of a nonce: 40 bytes in base64url.
    private static let length = 54

    /// - Parameters:
    ///   - keys: at least one, each of 32 bytes or more; the first makes nonces, all are accepted. Replicas share them,
    ///     and a new one is added behind the first everywhere before it becomes the first.
    ///   - serverID: the same for all replicas and for no other server, whose nonces are then none here (DPOP-12).
    /// - Throws: `.secretTooShort` for a key that could be guessed, or when there is none.
    public init(keys: [Secret], serverID: String, lifetimeSeconds: Int) throws(CryptoRefusal) {
        guard !keys.isEmpty else { throw .secretTooShort }
        var codes: [MAC] = []
        for key in keys { codes.append(try MAC(.sha256, key: key)) }
        self.codes = codes
        server = Array(serverID.utf8)
        lifetime = Int64(max(lifetimeSeconds, 1))
    }

    /// A nonce for now: characters that a header field and a JSON string hold as they are.
    public func make(now: Int64) -> [UInt8] {
        let message = message(period: period(at: now))
        var nonce = Array(message[Self.label.count..<Self.label.count + Self.periodBytes])
        nonce.append(contentsOf: codes[0].authenticate(message.span))
        var text: [UInt8] = []
        Base64URL.append(nonce.span, to: &text)
        return text
    }

    /// What `nonce` is worth at `now`.
    public func judge(_ nonce: Span<UInt8>, now: Int64) -> Verdict {
        // The length first: what is longer is not decoded.
        guard nonce.count == Self.length, let bytes = Base64URL.decode(nonce) else { return .unknown }
        let span = bytes.span
        let code = span.extracting(Self.periodBytes..<span.count)
        var value: UInt64 = 0
        for index in 0..<Self.periodBytes { value = value << 8 | UInt64(span[index]) }
        let current = period(at: now)
        // The next one too: a replica whose clock is a moment ahead has begun it already.
        guard let made = Int64(exactly: value), made >= current - 1, made <= current + 1 else { return .unknown }
        let message = message(period: made)
        var isOurs = false
        for key in codes where key.verify(code, of: message.span) { isOurs = true }
        guard isOurs else { return .unknown }
        let until = (made + 2) * lifetime - 1
        return made < current ? .previous(until: until) : .current(until: until)
    }

    private func period(at now: Int64) -> Int64 { max(now, 0) / lifetime }

    private func message(period: Int64) -> [UInt8] {
        var message = Self.label
        for shift in stride(from: 56, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: period >> Int64(shift)))
        }
        message.append(contentsOf: server)
        return message
    }
}
