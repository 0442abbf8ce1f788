/// A key that seals bytes so that nobody else can read or change them: AES-256-GCM (NIST SP 800-38D).
///
/// A nonce must never be used twice with one key: two messages under one nonce give away both, and the key's power to
/// authenticate. Twelve random bytes are safe for 2^32 messages a key. May be used from several threads at once.
public struct AEADKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Bytes of a key.
    public static let keyLength = 32
    /// Bytes of a nonce.
    public static let nonceLength = 12
    /// Bytes by which what is sealed is longer.
    public static let tagLength = 16

    private let key: Secret

    /// Takes 32 bytes that nobody can foresee; refuses any other number of them (`.keyLength`).
    public init(_ key: Secret) throws(CryptoRefusal) {
        guard key.count == Self.keyLength else { throw .keyLength }
        self.key = key
    }

    /// Ciphertext and tag of `plaintext`, which only `open` with the same key, nonce and additional bytes reads.
    ///
    /// - Throws: `.nonceLength` unless `nonce` is 12 bytes, `.libraryFailed` when the library does.
    public func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], additional: Span<UInt8>
    ) throws(CryptoRefusal) -> [UInt8] {
        guard nonce.count == Self.nonceLength else { throw .nonceLength }
        let key = key.reveal()
        guard let sealed = OpenSSLCipher.sealGCM(plaintext, key: key.span, nonce: nonce.span, additional: additional)
        else { throw .libraryFailed }
        return sealed
    }

    /// What was sealed; nil, whatever the reason, when a bit of anything differs.
    public func open(_ sealed: Span<UInt8>, nonce: [UInt8], additional: Span<UInt8>) -> [UInt8]? {
        guard nonce.count == Self.nonceLength, sealed.count >= Self.tagLength else { return nil }
        let key = key.reveal()
        let end = sealed.count - Self.tagLength
        return OpenSSLCipher.openGCM(
            sealed.extracting(0..<end), tag: sealed.extracting(end..<sealed.count), key: key.span, nonce: nonce.span,
            additional: additional)
    }

    /// `[key]`.
    public var description: String { "[key]" }

    /// `[key]`.
    public var debugDescription: String { "[key]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
