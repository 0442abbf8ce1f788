import COpenSSL
import Synchronization

/// Multiples of one P-256 public key, prepared once, with which its signatures are checked in less than half the time.
///
/// Nearly all of an ECDSA verification is `R = u1·G + u2·Q`. For the generator G the library has a table of multiples
/// and needs no doublings; for the public key Q it has none. `EC_GROUP_set_generator` and `EC_GROUP_precompute_mult`
/// let anybody have such a table for another point: here a group is P-256 with Q for its generator, and `u2·Q` is as
/// cheap as `u1·G`. All arithmetic, on numbers and on the curve, is the library's; ours are the seven lines of
/// FIPS 186-5 §6.4.2 in `verify`, which tests hold against `EVP_PKEY_verify`. A table costs some 25 ms and 150 KB.
///
/// Everything here is public (a signature, a digest, a public key), so nothing is lost by how long it takes.
@safe
final class PointTable: @unchecked Sendable {
    // All of them are only read once `init` is done, by any number of threads; the order is part of `curve`.
    private let curve: OpaquePointer
    private let multiples: OpaquePointer
    private let order: OpaquePointer
    /// n-2: by Fermat, a number to this power modulo n is its inverse, which `BN_mod_inverse` takes longer to find.
    private let exponent: OpaquePointer
    private let montgomery: OpaquePointer
    /// When it was used last, by its keeper's count.
    let lastUse = Atomic<UInt64>(0)

    /// Nil when `point` (04, x, y) is not on the curve, or the library keeps no table for other generators.
    ///
    /// Takes some 25 ms: never on a loop's thread.
    init?(point: [UInt8]) {
        guard let curve = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
        let exponent = unsafe BN_dup(EC_GROUP_get0_order(curve)), montgomery = unsafe BN_MONT_CTX_new()
        let context = unsafe BN_CTX_new()
        defer { unsafe BN_CTX_free(context) }
        guard let order = unsafe EC_GROUP_get0_order(curve), let exponent = unsafe exponent,
            let montgomery = unsafe montgomery, let context = unsafe context, unsafe BN_sub_word(exponent, 2) == 1,
            unsafe BN_MONT_CTX_set(montgomery, order, context) == 1,
            let multiples = unsafe Self.group(generatedBy: point)
        else {
            unsafe BN_free(exponent)
            unsafe BN_MONT_CTX_free(montgomery)
            unsafe EC_GROUP_free(curve)
            ErrorQueue.clear()
            return nil
        }
        unsafe self.curve = curve
        unsafe self.multiples = multiples
        unsafe self.order = order
        unsafe self.exponent = exponent
        unsafe self.montgomery = montgomery
    }

    deinit {
        unsafe BN_free(exponent)
        unsafe BN_MONT_CTX_free(montgomery)
        unsafe EC_GROUP_free(multiples)
        unsafe EC_GROUP_free(curve)
    }

    /// P-256 with another generator and its table (`EC_GROUP_precompute_mult`).
    private static func group(generatedBy point: [UInt8]) -> OpaquePointer? {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
        let generator = unsafe EC_POINT_new(group)
        defer { unsafe EC_POINT_free(generator) }
        let isOnCurve = unsafe point.withUnsafeBufferPointer { point in
            // Reads the bytes; answers 1 for a point of the curve and nothing else.
            unsafe EC_POINT_oct2point(group, generator, point.baseAddress, point.count, nil) == 1
        }
        // The order is prime, so every point but infinity generates the same group as G does.
        guard isOnCurve, unsafe EC_POINT_is_at_infinity(group, generator) == 0,
            unsafe EC_GROUP_set_generator(
                group, generator, EC_GROUP_get0_order(group), EC_GROUP_get0_cofactor(group)) == 1,
            unsafe EC_GROUP_precompute_mult(group, nil) == 1, unsafe EC_GROUP_have_precompute_mult(group) == 1
        else {
            unsafe EC_GROUP_free(group)
            return nil
        }
        return unsafe group
    }

    /// Whether `signature` (R‖S) is the key's over `digest`, 32 bytes of SHA-256; nil when the library failed.
    func verify(_ signature: Span<UInt8>, digest: Span<UInt8>, _ scratch: PointScratch) -> Bool? {
        guard signature.count == 64, digest.count == 32 else { return false }
        guard scratch.load(r: signature.extracting(0..<32), s: signature.extracting(32..<64), digest: digest)
        else { return nil }
        let r = unsafe scratch.r, s = unsafe scratch.s, u1 = unsafe scratch.u1, u2 = unsafe scratch.u2
        let sum = unsafe scratch.sum, term = unsafe scratch.term, x = unsafe scratch.x
        let context = unsafe scratch.context
        // R and S are from 1 to n-1: a verifier that lets 0 through takes it for every signature (CVE-2022-21449).
        guard unsafe BN_is_zero(r) == 0, unsafe BN_is_zero(s) == 0, unsafe BN_cmp(r, order) < 0,
            unsafe BN_cmp(s, order) < 0
        else { return false }
        // x = 1/s, u1 = digest·x, u2 = r·x, all modulo n; R = u1·G + u2·Q.
        guard unsafe BN_mod_exp_mont(x, s, exponent, order, context, montgomery) == 1,
            unsafe BN_mod_mul(u1, scratch.digest, x, order, context) == 1,
            unsafe BN_mod_mul(u2, r, x, order, context) == 1,
            unsafe EC_POINT_mul(curve, sum, u1, nil, nil, context) == 1,
            unsafe EC_POINT_mul(multiples, term, u2, nil, nil, context) == 1,
            unsafe EC_POINT_add(curve, sum, sum, term, context) == 1
        else { return failed() }
        // Infinity has no coordinates, and is no signature's R.
        if unsafe EC_POINT_is_at_infinity(curve, sum) == 1 { return false }
        guard unsafe EC_POINT_get_affine_coordinates(curve, sum, x, nil, context) == 1,
            unsafe BN_nnmod(x, x, order, context) == 1
        else { return failed() }
        return unsafe BN_cmp(x, r) == 0
    }

    private func failed() -> Bool? {
        ErrorQueue.clear()
        return nil
    }
}

/// Numbers and points of one verification, kept for the next; one thread's alone.
@safe
final class PointScratch {
    fileprivate let context: OpaquePointer
    fileprivate let r: OpaquePointer
    fileprivate let s: OpaquePointer
    fileprivate let digest: OpaquePointer
    fileprivate let u1: OpaquePointer
    fileprivate let u2: OpaquePointer
    fileprivate let x: OpaquePointer
    fileprivate let sum: OpaquePointer
    fileprivate let term: OpaquePointer

    /// Nil when there is no memory.
    init?() {
        let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)
        // A point keeps nothing of the group it was made for but its arithmetic, which is the same for all of P-256.
        defer { unsafe EC_GROUP_free(group) }
        let made = unsafe (
            BN_CTX_new(), BN_new(), BN_new(), BN_new(), BN_new(), BN_new(), BN_new(), EC_POINT_new(group),
            EC_POINT_new(group)
        )
        guard let context = unsafe made.0, let r = unsafe made.1, let s = unsafe made.2, let digest = unsafe made.3,
            let u1 = unsafe made.4, let u2 = unsafe made.5, let x = unsafe made.6, let sum = unsafe made.7,
            let term = unsafe made.8
        else {
            unsafe Self.free(made.0, [made.1, made.2, made.3, made.4, made.5, made.6], [made.7, made.8])
            ErrorQueue.clear()
            return nil
        }
        unsafe self.context = context
        unsafe self.r = r
        unsafe self.s = s
        unsafe self.digest = digest
        unsafe self.u1 = u1
        unsafe self.u2 = u2
        unsafe self.x = x
        unsafe self.sum = sum
        unsafe self.term = term
    }

    deinit {
        unsafe Self.free(context, [r, s, digest, u1, u2, x], [sum, term])
    }

    /// Each free function accepts null.
    private static func free(_ context: OpaquePointer?, _ numbers: [OpaquePointer?], _ points: [OpaquePointer?]) {
        unsafe numbers.forEach { unsafe BN_free($0) }
        unsafe points.forEach { unsafe EC_POINT_free($0) }
        unsafe BN_CTX_free(context)
    }

    /// Reads three numbers, most significant byte first.
    fileprivate func load(r: Span<UInt8>, s: Span<UInt8>, digest: Span<UInt8>) -> Bool {
        unsafe Self.load(r, self.r) && Self.load(s, self.s) && Self.load(digest, self.digest)
    }

    private static func load(_ bytes: Span<UInt8>, _ number: OpaquePointer) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // Reads the bytes; null only when there is no memory.
            unsafe BN_bin2bn(bytes.baseAddress, Int32(clamping: bytes.count), number) != nil
        }
    }
}
