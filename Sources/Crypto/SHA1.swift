/// SHA-1, for protocols that use it where collisions do not matter, such as the WebSocket handshake (RFC 6455 §4.2.2).
///
/// Nothing that must be hard to forge is built on it.
public enum SHA1 {
    /// The digest of `bytes`; nil where the library does not offer SHA-1.
    public static func hash(_ bytes: Span<UInt8>) -> InlineArray<20, UInt8>? { OpenSSLDigest.sha1(bytes) }
}
