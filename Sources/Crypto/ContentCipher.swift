import Bytes

/// Encryption that also authenticates, in the two constructions of RFC 7518 §5 and their three sizes.
public enum ContentCipher: UInt8, Sendable, CaseIterable, Hashable {
    case aes128GCM, aes192GCM, aes256GCM
    /// AES-CBC and HMAC, encrypt-then-MAC (RFC 7518 §5.2).
    case aes128CBCSHA256, aes192CBCSHA384, aes256CBCSHA512

    /// Bytes of a key: for CBC the code's half, then the cipher's.
    public var keyLength: Int {
        switch self {
        case .aes128GCM: 16
        case .aes192GCM: 24
        case .aes256GCM, .aes128CBCSHA256: 32
        case .aes192CBCSHA384: 48
        case .aes256CBCSHA512: 64
        }
    }

    /// Bytes of a nonce, or for CBC of an initialization vector.
    public var nonceLength: Int { hash == nil ? 12 : 16 }

    /// Bytes of a tag.
    public var tagLength: Int { hash == nil ? 16 : keyLength / 2 }

    /// The code's hash; nil for GCM.
    private var hash: HashFunction? {
        switch self {
        case .aes128GCM, .aes192GCM, .aes256GCM: nil
        case .aes128CBCSHA256: .sha256
        case .aes192CBCSHA384: .sha384
        case .aes256CBCSHA512: .sha512
        }
    }

    /// Ciphertext and tag; a nonce is used once with a key.
    ///
    /// - Throws: `.keyLength`, `.nonceLength`, or `.libraryFailed` when the library does.
    public func seal(
        _ plaintext: Span<UInt8>, key: Secret, nonce: Span<UInt8>, additional: Span<UInt8>
    ) throws(CryptoRefusal) -> (ciphertext: [UInt8], tag: [UInt8]) {
        guard key.count == keyLength else { throw .keyLength }
        guard nonce.count == nonceLength else { throw .nonceLength }
        let bytes = key.reveal()
        guard let hash else {
            guard var sealed = OpenSSLCipher.sealGCM(plaintext, key: bytes.span, nonce: nonce, additional: additional)
            else { throw .libraryFailed }
            let tag = Array(sealed.suffix(tagLength))
            sealed.removeLast(tagLength)
            return (sealed, tag)
        }
        let half = keyLength / 2
        let cipherKey = bytes.span.extracting(half..<keyLength)
        guard let ciphertext = OpenSSLCipher.runCBC(plaintext, key: cipherKey, vector: nonce, encrypts: true)
        else { throw .libraryFailed }
        let macKey = bytes.span.extracting(0..<half)
        return (ciphertext, tag(hash, macKey, additional: additional, nonce: nonce, ciphertext: ciphertext.span))
    }

    /// What was sealed; nil, whatever the reason, when a bit of anything differs or has another length.
    ///
    /// The tag is compared in constant time, and before anything is decrypted: what CBC's padding looks like is never
    /// learnt from a ciphertext that somebody else made (Vaudenay 2002).
    public func open(
        _ ciphertext: Span<UInt8>, tag: Span<UInt8>, key: Secret, nonce: Span<UInt8>, additional: Span<UInt8>
    ) -> [UInt8]? {
        guard key.count == keyLength, nonce.count == nonceLength, tag.count == tagLength else { return nil }
        let bytes = key.reveal()
        guard let hash else {
            return OpenSSLCipher.openGCM(
                ciphertext, tag: tag, key: bytes.span, nonce: nonce, additional: additional)
        }
        let half = keyLength / 2
        let expected = self.tag(
            hash, bytes.span.extracting(0..<half), additional: additional, nonce: nonce, ciphertext: ciphertext)
        guard ConstantTime.equal(expected.span, tag) else { return nil }
        return OpenSSLCipher.runCBC(
            ciphertext, key: bytes.span.extracting(half..<keyLength), vector: nonce, encrypts: false)
    }

    /// The first half of the code over additional bytes, nonce, ciphertext and the first one's length in bits (§5.2.2.1).
    private func tag(
        _ hash: HashFunction, _ key: Span<UInt8>, additional: Span<UInt8>, nonce: Span<UInt8>, ciphertext: Span<UInt8>
    ) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(additional.count + nonce.count + ciphertext.count + 8)
        input.append(copying: additional)
        input.append(copying: nonce)
        input.append(copying: ciphertext)
        let bits = UInt64(additional.count) << 3
        for shift in stride(from: 56, through: 0, by: -8) {
            input.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        let code = OpenSSLMAC.authenticate(input.span, hash: hash, key: key)
        return Array(code.prefix(tagLength))
    }
}
