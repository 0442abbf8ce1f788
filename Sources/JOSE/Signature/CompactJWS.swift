import Bytes

/// A JWS in compact serialization, taken apart and not yet believed (RFC 7515 §7.1).
///
///     header . payload . signature
///     └── signing input ┘
public struct CompactJWS: Sendable {
    /// The whole token.
    public let bytes: [UInt8]
    /// Bytes of header, dot and payload: what the signature covers.
    public let signingInputCount: Int
    /// The protected header, the only one there is.
    public let header: JWSHeader
    /// What was signed, if the signature holds.
    public let payload: [UInt8]
    /// The signature's bytes.
    public let signature: [UInt8]

    /// Header bytes allowed after decoding (JOSE-26).
    static let maximumHeaderBytes = 4096

    /// Takes `token` apart; sizes are checked before anything is decoded (JOSE-26).
    public static func parse(_ token: Span<UInt8>, maximumBytes: Int) throws(JOSERefusal) -> CompactJWS {
        let segments = try JWSSegments(token, maximumBytes: maximumBytes)
        guard let headerBytes = Base64URL.decode(token.extracting(segments.header)),
            let payload = Base64URL.decode(token.extracting(segments.payload)),
            let signature = Base64URL.decode(token.extracting(segments.signature))
        else { throw .notBase64URL }
        return CompactJWS(
            bytes: [UInt8](copying: token), signingInputCount: segments.signingInput.count,
            header: try JWSHeader(owned: headerBytes), payload: payload, signature: signature)
    }
}
