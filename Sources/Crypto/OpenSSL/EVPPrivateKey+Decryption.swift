import COpenSSL

extension EVPPrivateKey {
    /// RSAES-OAEP with `hash` as its hash and that of its mask; nil when the padding does not fit.
    func decryptOAEP(_ ciphertext: Span<UInt8>, hash: OAEPHash) -> [UInt8]? {
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else {
            ErrorQueue.clear()
            return nil
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_decrypt_init(context) == 1, unsafe hash.prepare(context) else {
            ErrorQueue.clear()
            return nil
        }
        // The largest modulus has 1024 bytes.
        var count = 1024
        var plaintext = [UInt8](repeating: 0, count: count)
        let made = unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
            unsafe ciphertext.withUnsafeBufferPointer { ciphertext in
                // Writes at most `count` bytes.
                unsafe EVP_PKEY_decrypt(
                    context, plaintext.baseAddress, &count, ciphertext.baseAddress, ciphertext.count)
            }
        }
        ErrorQueue.clear()
        guard made == 1, count <= plaintext.count else { return nil }
        plaintext.removeLast(plaintext.count - count)
        return plaintext
    }

    /// The secret shared with the owner of `peer` (`EVP_PKEY_derive`), which must be of the same curve.
    ///
    /// - Throws: `.pointNotOnCurve` for a peer that is no point of the curve, `.notBuilt` when nothing was agreed on.
    func agree(with peer: EVPPeer) throws(CryptoRefusal) -> [UInt8] {
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else {
            ErrorQueue.clear()
            throw .notBuilt
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        // Checks that the peer is on the curve, whose order is prime: an invalid one would draw the private number out
        // bit by bit (RFC 8725 §3.4).
        guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer_ex(context, peer.key, 1) == 1
        else {
            ErrorQueue.clear()
            throw .pointNotOnCurve
        }
        // The largest field has 66 bytes.
        var count = 66
        var secret = [UInt8](repeating: 0, count: count)
        let made = unsafe secret.withUnsafeMutableBufferPointer { secret in
            // Writes at most `count` bytes.
            unsafe EVP_PKEY_derive(context, secret.baseAddress, &count)
        }
        guard made == 1, count <= secret.count else {
            ErrorQueue.clear()
            throw .notBuilt
        }
        secret.removeLast(secret.count - count)
        return secret
    }
}

/// Owns an `EVP_PKEY` with a public half alone: whom a secret is shared with, or encrypted to.
@safe
final class EVPPeer {
    fileprivate let key: OpaquePointer

    /// Nil when the numbers are no key; an elliptic curve's point is one of its curve.
    init?(_ numbers: PrivateKey.PublicNumbers) {
        let made: OpaquePointer? =
            switch numbers {
            case .rsa(let modulus, let exponent): unsafe Self.rsa(modulus, exponent)
            case .ellipticCurve(let curve, let x, let y): unsafe Self.point(curve, x, y)
            case .x25519(let bytes): unsafe Self.x25519(bytes)
            case .ed25519: nil
            }
        guard let made = unsafe made else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.key = made
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> OpaquePointer? {
        unsafe modulus.withUnsafeBufferPointer { n in
            unsafe exponent.withUnsafeBufferPointer { e in
                // Copies both numbers.
                unsafe COpenSSL_RSA_public_key(n.baseAddress, n.count, e.baseAddress, e.count)
            }
        }
    }

    private static func point(_ curve: EllipticCurve, _ x: [UInt8], _ y: [UInt8]) -> OpaquePointer? {
        guard x.count == curve.fieldLength, y.count == curve.fieldLength else { return nil }
        let point = [0x04] + x + y
        return unsafe point.withUnsafeBufferPointer { point in
            // Copies the bytes; null unless they are a point of the curve.
            unsafe COpenSSL_EC_public_key(curve.libraryName, point.baseAddress, point.count)
        }
    }

    private static func x25519(_ bytes: [UInt8]) -> OpaquePointer? {
        guard bytes.count == 32 else { return nil }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            // Copies the bytes.
            unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, bytes.baseAddress, bytes.count)
        }
    }

    /// RSAES-OAEP with `hash` as its hash and that of its mask; nil for a message that is too long.
    func encryptOAEP(_ message: Span<UInt8>, hash: OAEPHash) -> [UInt8]? {
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else {
            ErrorQueue.clear()
            return nil
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_encrypt_init(context) == 1, unsafe hash.prepare(context) else {
            ErrorQueue.clear()
            return nil
        }
        // The largest modulus has 1024 bytes.
        var count = 1024
        var ciphertext = [UInt8](repeating: 0, count: count)
        let made = unsafe ciphertext.withUnsafeMutableBufferPointer { ciphertext in
            unsafe message.withUnsafeBufferPointer { message in
                // Writes at most `count` bytes.
                unsafe EVP_PKEY_encrypt(context, ciphertext.baseAddress, &count, message.baseAddress, message.count)
            }
        }
        guard made == 1, count <= ciphertext.count else {
            ErrorQueue.clear()
            return nil
        }
        ciphertext.removeLast(ciphertext.count - count)
        return ciphertext
    }
}

extension OAEPHash {
    /// Sets the padding and its two hashes, which RFC 7518 §4.3 wants to be the same.
    fileprivate func prepare(_ context: OpaquePointer) -> Bool {
        let hash = unsafe self == .sha1 ? EVP_sha1() : EVP_sha256()
        return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_oaep_md(context, hash) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash) == 1
    }
}

extension EllipticCurve {
    /// The library's name.
    fileprivate var libraryName: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        }
    }
}
