/// HMAC with SHA-256 (RFC 2104) under a key that many messages are authenticated with: its share of the work is done once.
///
/// May be used from several threads at once. What it keeps of the key prints as nothing, and is overwritten at its end.
public struct HMACSHA256: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let begun: BegunHMAC

    /// Refuses a key shorter than the hash's output (RFC 7518 §3.2): it could be guessed offline.
    public init(key: Secret) throws(CryptoRefusal) {
        guard key.count >= HashFunction.sha256.length else { throw .secretTooShort }
        let bytes = key.reveal()
        begun = BegunHMAC(key: bytes.span)
    }

    /// The code of `message`.
    public func authenticate(_ message: Span<UInt8>) -> SHA256Digest { begun.authenticate(message) }

    /// The same 32 bytes as a key, of which no other copy is left.
    public func derive(_ message: Span<UInt8>) -> Secret { begun.derive(message) }

    /// `[key]`.
    public var description: String { "[key]" }

    /// `[key]`.
    public var debugDescription: String { "[key]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
