import COpenSSL

/// Derivations of keys with SHA-256, one call each; what is copied and computed on the way is wiped.
enum OpenSSLKDF {
    /// HKDF, extract and expand; `count` is 255 times 32 at most.
    static func hkdf(_ secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int) -> Secret {
        var output = [UInt8](repeating: 0, count: count)
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe secret.withUnsafeBufferPointer { secret in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe info.withUnsafeBufferPointer { info in
                        // Reads each of the three to its end, writes exactly `output.count` bytes, and keeps no pointer.
                        unsafe COpenSSL_HKDF_SHA256(
                            secret.baseAddress, secret.count, salt.baseAddress, salt.count, info.baseAddress,
                            info.count, output.baseAddress, output.count)
                    }
                }
            }
        }
        return Secret(output)
    }

    /// The one-step derivation with a hash (NIST SP 800-56C §4); nil when the library refuses.
    static func oneStep(_ secret: Span<UInt8>, info: Span<UInt8>, count: Int) -> Secret? {
        guard let algorithm = oneStep else { return nil }
        var output = [UInt8](repeating: 0, count: count)
        let made = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe secret.withUnsafeBufferPointer { secret in
                unsafe info.withUnsafeBufferPointer { info in
                    // Reads both to their ends, writes exactly `output.count` bytes, and keeps no pointer.
                    unsafe COpenSSL_SSKDF_SHA256(
                        algorithm.pointer, secret.baseAddress, secret.count, info.baseAddress, info.count,
                        output.baseAddress, output.count)
                }
            }
        }
        return taken(output, isMade: made == 1)
    }

    /// What was derived; wiped, and nil, when only a part of it was.
    private static func taken(_ output: [UInt8], isMade: Bool) -> Secret? {
        let derived = Secret(output)
        guard isMade else {
            ErrorQueue.clear()
            return nil
        }
        return derived
    }

    /// Looked up once and never freed; nil when the library was built without.
    private static let oneStep = Derivation("SSKDF")
}

/// A derivation of the library's, which lives as long as the process.
@safe
private struct Derivation: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(_ name: String) {
        guard let pointer = unsafe EVP_KDF_fetch(nil, name, nil) else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.pointer = pointer
    }
}
