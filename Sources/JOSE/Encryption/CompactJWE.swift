import Bytes
import Crypto

/// JWE in compact serialization: bytes that only the owner of a key can read (RFC 7516 §7.1).
///
///     header . encrypted key . initialization vector . ciphertext . tag
///
/// Anybody can encrypt to a public key: what is decrypted says nothing about who wrote it, until the signature inside
/// is checked (RFC 8725 §3.11; JOSE-24).
public enum CompactJWE {
    /// What was encrypted, and what its header says of it; prints and mirrors as `[decrypted]`.
    public struct Decrypted: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The content.
        public let plaintext: [UInt8]
        /// `cty`: `JWT` when the content is a token itself.
        public let contentType: String?
        /// `alg`.
        public let algorithm: String
        /// `enc`.
        public let encoding: String

        /// `[decrypted]`.
        public var description: String { "[decrypted]" }

        /// `[decrypted]`.
        public var debugDescription: String { "[decrypted]" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
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
    /// The key is chosen by `alg`, `epk` and, when the header has one, `kid`. Whoever decrypts a login's token goes on with
    /// `signedToken` of the result.
    ///
    /// - Throws: for what can be seen of `text` without a key its own refusal, and `.notDecrypted` for everything that
    ///   depends on a secret: which step it was would tell a sender about the padding or the key.
    public static func decrypt(
        _ text: Span<UInt8>, with keys: [DecryptionJWK], secrets: [DecryptionSecret] = [], maximumBytes: Int
    ) throws(JWERefusal) -> Decrypted {
        let segments = try JWESegments(text, maximumBytes: maximumBytes)
        let header = try JWEHeader(segment: text.extracting(segments.header))
        let contentKeys = try ContentKeys(for: header, among: keys, secrets)
        guard let encryptedKey = Base64URL.decode(text.extracting(segments.encryptedKey)),
            let nonce = Base64URL.decode(text.extracting(segments.nonce)),
            let ciphertext = Base64URL.decode(text.extracting(segments.ciphertext)),
            let tag = Base64URL.decode(text.extracting(segments.tag))
        else { throw .notBase64URL }
        let additional = text.extracting(segments.header)
        for key in try contentKeys.open(encryptedKey.span) {
            let plaintext = header.encryption.cipher.open(
                ciphertext.span, tag: tag.span, key: key, nonce: nonce.span, additional: additional)
            guard let plaintext else { continue }
            return Decrypted(
                plaintext: plaintext, contentType: header.contentType, algorithm: header.management.name,
                encoding: header.encryption.name)
        }
        throw .notDecrypted
    }
}

extension CompactJWE.Decrypted {
    /// The signed token that was encrypted: sign, then encrypt, once (JOSE-24).
    ///
    /// - Throws: `.notSigned` for claims without a signature, which anybody can encrypt, or a `cty` that says it is no
    ///   token; `.nestedTwice` for another encrypted token.
    public func signedToken() throws(JWERefusal) -> [UInt8] {
        if CompactJWE.isJWE(plaintext.span) { throw .nestedTwice }
        // RFC 7519 §5.2 wants `JWT`; servers leave it out.
        if let contentType {
            let names = ["jwt", "application/jwt"]
            let name = contentType.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
            guard names.contains(where: { $0.utf8.elementsEqual(name) }) else { throw .notSigned }
        }
        guard plaintext.count(where: { $0 == UInt8(ascii: ".") }) == 2, plaintext.first != UInt8(ascii: "{")
        else { throw .notSigned }
        return plaintext
    }
}
