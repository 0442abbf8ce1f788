// SPDX-License-Identifier: Apache-2.0
import Bytes
import JSON

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

    /// Header bytes allowed after decoding (REQUIREMENTS 0.4).
    static let maximumHeaderBytes = 4096

    /// Takes `token` apart; sizes are checked before anything is decoded (JOSE-26).
    public static func parse(_ token: Span<UInt8>, maximumBytes: Int) throws(JOSERefusal) -> CompactJWS {
        guard token.count <= maximumBytes else { throw .tooLarge }
        let (first, second) = try dots(in: token)
        guard first <= (maximumHeaderBytes * 4 + 2) / 3 else { throw .headerTooLarge }
        guard let headerBytes = Base64URL.decode(token.extracting(0..<first)),
            let payload = Base64URL.decode(token.extracting(first + 1..<second)),
            let signature = Base64URL.decode(token.extracting(second + 1..<token.count))
        else { throw .notBase64URL }
        return CompactJWS(
            bytes: [UInt8](copying: token), signingInputCount: second, header: try JWSHeader(owned: headerBytes),
            payload: payload, signature: signature)
    }

    /// Where the two dots are; any other number of them is another serialization (JOSE-01).
    private static func dots(in token: Span<UInt8>) throws(JOSERefusal) -> (Int, Int) {
        var first = 0
        var second = 0
        var count = 0
        for index in token.indices where token[index] == UInt8(ascii: ".") {
            count += 1
            if count == 1 { first = index }
            if count == 2 { second = index }
        }
        if count == 4 { throw .encrypted }
        guard count == 2 else { throw .notCompact }
        return (first, second)
    }
}
