import COpenSSL

extension EVPPrivateKey {
    /// A new RSA key with the exponent 65537 (`EVP_RSA_gen`).
    static func generateRSA(bits: UInt32) throws(SigningRefusal) -> EVPPrivateKey {
        guard let made = unsafe COpenSSL_RSA_gen(bits) else {
            ErrorQueue.clear()
            throw .libraryFailed
        }
        return unsafe EVPPrivateKey(owning: made)
    }

    /// PKCS#8 in PEM (`PEM_write_bio_PKCS8PrivateKey`).
    func pem() throws(SigningRefusal) -> Secret {
        var text = [UInt8](repeating: 0, count: 16 * 1024)
        let count = unsafe text.withUnsafeMutableBufferPointer { text in
            // Writes at most as many bytes as there are: the largest key makes about 6,500.
            unsafe COpenSSL_write_private_key(key, text.baseAddress, text.count)
        }
        ErrorQueue.clear()
        guard count > 0 else { throw .libraryFailed }
        // Shortened in its place: a copy would leave the key behind in the memory of the first array.
        text.removeLast(text.count - count)
        return Secret(text)
    }
}
