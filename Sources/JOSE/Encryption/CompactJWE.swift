// SPDX-License-Identifier: Apache-2.0
import Bytes

/// JWE in compact serialization: bytes that only the owner of a key can read (RFC 7516 §7.1).
///
///     header . encrypted key . initialization vector . ciphertext . tag
///
/// Anybody can encrypt to a public key: what is decrypted says nothing about who wrote it, until the signature inside
/// is checked (RFC 8725 §3.11; JOSE-24).
public enum CompactJWE {
    /// What was encrypted, and what its header says of it.
    public struct Decrypted: Sendable {
        /// The content.
        public let plaintext: [UInt8]
        /// `cty`: `JWT` when the content is a token itself.
        public let contentType: String?
        /// `alg`.
        public let algorithm: String
        /// `enc`.
        public let encoding: String
    }

    /// Whether `text` has the five segments of an encrypted token; says nothing about what is in them.
    public static func isJWE(_ text: Span<UInt8>) -> Bool {
        var dots = 0
        for index in text.indices where text[index] == UInt8(ascii: ".") {
            dots += 1
            if dots > 4 { return false }
        }
        return dots == 4
    }

    /// What `text` says to the owner of one of `keys`, or to one who shares one of `secrets`.
    ///
    /// The key is chosen by `alg` and, when the header has one, `kid`.
    public static func decrypt(
        _ text: Span<UInt8>, with keys: [DecryptionJWK], secrets: [DecryptionSecret] = [], maximumBytes: Int
    ) throws(JWERefusal) -> Decrypted {
        throw .notDecrypted
    }

    /// `plaintext`, for the owner of `key` alone.
    ///
    /// `algorithm` and `encoding` are names of RFC 7518 §4.1 and §5.1, `contentType` is `JWT` when a token is nested.
    public static func encrypt(
        _ plaintext: Span<UInt8>, to key: JWK, algorithm: String, encoding: String, contentType: String?
    ) throws(JWERefusal) -> [UInt8] {
        throw .notEncrypted
    }
}
