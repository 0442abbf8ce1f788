import COpenSSL

/// Owns an `EC_KEY`: a public point of one curve, for checking ECDSA signatures.
///
/// The library's older type, on purpose. `EVP_PKEY_verify` ends in the same `ECDSA_verify`; but to make an `EVP_PKEY`
/// costs ten times what this does, about half a verification, and proofs bring keys that were never seen before.
@safe
final class ECPublicKey {
    private let key: OpaquePointer

    /// The curves, made once; a key copies its own.
    nonisolated(unsafe) private static let groups: [OpaquePointer?] = unsafe EllipticCurve.allCases.map { curve in
        unsafe EC_GROUP_new_by_curve_name(curve.libraryNumber)
    }

    /// Nil unless x and y, each as long as the field, are a point of the curve.
    init?(curve: EllipticCurve, x: Span<UInt8>, y: Span<UInt8>) {
        var point: [UInt8] = [0x04]
        for index in x.indices { point.append(x[index]) }
        for index in y.indices { point.append(y[index]) }
        guard let key = unsafe EC_KEY_new() else {
            ErrorQueue.clear()
            return nil
        }
        let isMade = unsafe point.withUnsafeBufferPointer { point in
            // Copies the group and the point; the latter is refused unless it is on the curve.
            unsafe EC_KEY_set_group(key, Self.groups[Int(curve.rawValue)]) == 1
                && EC_KEY_oct2key(key, point.baseAddress, point.count, nil) == 1
        }
        guard isMade else {
            unsafe EC_KEY_free(key)
            ErrorQueue.clear()
            return nil
        }
        unsafe self.key = key
    }

    deinit {
        unsafe EC_KEY_free(key)
    }

    /// Hashes `message` and checks `signature`, in DER, over the digest (`ECDSA_verify`).
    func verify(_ signature: Span<UInt8>, of message: Span<UInt8>, hash: HashFunction) -> Bool {
        let digest = OpenSSLDigest.hash(hash, message)
        let span = digest.span
        let verified = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe span.withUnsafeBufferPointer { digest in
                // Reads both; the first argument is ignored. Both lengths are far below what an Int32 holds.
                unsafe ECDSA_verify(
                    0, digest.baseAddress, Int32(clamping: hash.length), signature.baseAddress,
                    Int32(clamping: signature.count), key)
            }
        }
        // 1 is yes; 0 and every negative number are no.
        if verified == 1 { return true }
        ErrorQueue.clear()
        return false
    }
}

extension EllipticCurve {
    fileprivate var libraryNumber: Int32 {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        }
    }
}
