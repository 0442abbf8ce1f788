import Bytes
public import Crypto

/// Nonces for DPoP proofs that nobody but this server and its replicas can make, and that none of them remembers.
///
///     base64url( Unix second, 8 bytes │ HMAC-SHA-256(key, label │ second │ server) )
///
/// A nonce is good for two lifetimes, and for the second of them a new one should take its place (RFC 9449 §8, §9). Nobody
/// knew it before the second that it was made in: a proof with it is younger than that, whatever its client's clock says.
/// Releases up to 0.1.0 counted in periods of one lifetime, whose nonces are accepted, too.
public struct DPoPNonces: Sendable {
    /// The time of a nonce, in Unix seconds.
    public struct Life: Sendable, Equatable {
        /// The first second in which anybody can have known it.
        public let begin: Int64
        /// The last second in which it is good.
        public let end: Int64

        /// From the first second to the last.
        public init(begin: Int64, end: Int64) {
            self.begin = begin
            self.end = end
        }
    }

    /// What a nonce is worth.
    public enum Verdict: Sendable, Equatable {
        /// Younger than one lifetime.
        case current(Life)
        /// Older: good, and the answer should bring a new one (RFC 9449 §8.2).
        case previous(Life)
        /// Not ours, or too old: the client must be given one (DPOP-11).
        case unknown
    }

    private let codes: [MAC]
    private let server: [UInt8]
    private let lifetime: Int64

    /// Separates this use of a key from every other.
    private static let label = Array("DPoP-Nonce\0".utf8)
    private static let numberBytes = 8
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
        let message = message(number: max(now, 0))
        var nonce = Array(message[Self.label.count..<Self.label.count + Self.numberBytes])
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
        let code = span.extracting(Self.numberBytes..<span.count)
        var value: UInt64 = 0
        for index in 0..<Self.numberBytes { value = value << 8 | UInt64(span[index]) }
        guard let number = Int64(exactly: value), let life = life(number, now: max(now, 0)) else { return .unknown }
        let message = message(number: number)
        var isOurs = false
        for key in codes where key.verify(code, of: message.span) { isOurs = true }
        guard isOurs else { return .unknown }
        return life.end - now < lifetime ? .previous(life) : .current(life)
    }

    /// When a nonce with this number begins and ends; nil where that is not now.
    private func life(_ number: Int64, now: Int64) -> Life? {
        // A replica whose clock is a moment ahead has made it already.
        guard number > now / 2 else { return lifeOfPeriod(number, now: now) }
        let (end, overflows) = number.addingReportingOverflow(2 * lifetime - 1)
        guard !overflows, now <= end, number - now <= lifetime else { return nil }
        return Life(begin: number, end: end)
    }

    /// The same of one that an older release made, whose number is that of a period.
    private func lifeOfPeriod(_ number: Int64, now: Int64) -> Life? {
        let current = now / lifetime
        guard number >= current - 1, number <= current + 1 else { return nil }
        return Life(begin: number * lifetime, end: (number + 2) * lifetime - 1)
    }

    private func message(number: Int64) -> [UInt8] {
        var message = Self.label
        for shift in stride(from: 56, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
        message.append(contentsOf: server)
        return message
    }
}
