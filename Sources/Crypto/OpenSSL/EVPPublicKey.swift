import COpenSSL

/// Owns an `EVP_PKEY` of RSA or Ed25519 and the contexts initialised for verifying with it.
///
/// Initialising a context costs about as much as an RSA verification, and every verification by the same key and
/// padding can use the same one; so each is made once and kept. Nothing unsafe leaves this type.
@safe
final class EVPPublicKey {
    /// Which prepared context a verification uses.
    enum Slot {
        case pkcs1(HashFunction), pss(HashFunction)

        var index: Int {
            switch self {
            case .pkcs1(let hash): Int(hash.rawValue)
            case .pss(let hash): 3 + Int(hash.rawValue)
            }
        }
    }

    private let key: OpaquePointer
    private var contexts = unsafe InlineArray<6, OpaquePointer?>(repeating: nil)
    private var messageDigest: OpaquePointer?

    private init(owning key: OpaquePointer) {
        unsafe self.key = key
    }

    deinit {
        // Each was created here and handed to nobody; the free functions accept null.
        for index in 0..<6 { unsafe EVP_PKEY_CTX_free(contexts[index]) }
        unsafe EVP_MD_CTX_free(messageDigest)
        unsafe EVP_PKEY_free(key)
    }

    /// `EVP_PKEY_fromdata` with modulus and exponent, big-endian.
    convenience init?(rsaModulus modulus: Span<UInt8>, exponent: Span<UInt8>) {
        let made = unsafe modulus.withUnsafeBufferPointer { n in
            unsafe exponent.withUnsafeBufferPointer { e in
                // Copies both numbers; the result is ours to free.
                unsafe COpenSSL_RSA_public_key(n.baseAddress, n.count, e.baseAddress, e.count)
            }
        }
        guard let key = unsafe made else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.init(owning: key)
    }

    /// `EVP_PKEY_new_raw_public_key`.
    convenience init?(ed25519 publicKey: Span<UInt8>) {
        let made = unsafe publicKey.withUnsafeBufferPointer { bytes in
            // Copies the bytes; the result is ours to free.
            unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes.baseAddress, bytes.count)
        }
        guard let key = unsafe made else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.init(owning: key)
    }

    /// Hashes `message` and checks `signature` over the digest (`EVP_PKEY_verify`).
    func verify(_ signature: Span<UInt8>, of message: Span<UInt8>, hash: HashFunction, slot: Slot) -> Bool {
        guard let context = unsafe preparedContext(slot, hash: hash) else { return false }
        let digest = OpenSSLDigest.hash(hash, message)
        let span = digest.span
        let verified = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe span.withUnsafeBufferPointer { digest in
                // Reads both; the context stays initialised for the next call whatever the outcome.
                unsafe EVP_PKEY_verify(
                    context, signature.baseAddress, signature.count, digest.baseAddress, hash.length)
            }
        }
        // 1 is yes; 0 and every negative number are no.
        if verified == 1 { return true }
        ErrorQueue.clear()
        return false
    }

    /// Checks an Ed25519 signature, which hashes the message itself (`EVP_DigestVerify`).
    func verifyEd25519(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        if unsafe messageDigest == nil { unsafe messageDigest = EVP_MD_CTX_new() }
        guard let context = unsafe messageDigest,
            // No digest is named: Ed25519 has its own.
            unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
        else {
            ErrorQueue.clear()
            return false
        }
        let verified = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestVerify(
                    context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        if verified == 1 { return true }
        ErrorQueue.clear()
        return false
    }

    private func preparedContext(_ slot: Slot, hash: HashFunction) -> OpaquePointer? {
        if let context = unsafe contexts[slot.index] { return unsafe context }
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else {
            ErrorQueue.clear()
            return nil
        }
        guard unsafe prepare(context, slot, hash: hash) else {
            unsafe EVP_PKEY_CTX_free(context)
            ErrorQueue.clear()
            return nil
        }
        unsafe contexts[slot.index] = context
        return unsafe context
    }

    /// `EVP_PKEY_verify_init` and the parameters of RFC 7518; each call answers 1 for done.
    private func prepare(_ context: OpaquePointer, _ slot: Slot, hash: HashFunction) -> Bool {
        guard unsafe EVP_PKEY_verify_init(context) == 1 else { return false }
        switch slot {
        case .pkcs1:
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 else { return false }
        case .pss:
            // A salt as long as the hash, nothing else: RFC 7518 §3.5 (JOSE-10).
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash.evp) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
            else { return false }
        }
        return unsafe EVP_PKEY_CTX_set_signature_md(context, hash.evp) == 1
    }
}
