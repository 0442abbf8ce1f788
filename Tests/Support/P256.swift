import COpenSSL

/// Arithmetic on P-256 for tests that make signatures nobody would make by signing.
///
/// Numbers are 32 bytes, most significant first; points are uncompressed: 04, x, y.
public enum P256 {
    nonisolated(unsafe) private static let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)

    /// n, the number of points.
    public static let order = bytes(EC_GROUP_get0_order(group))

    /// A number from 1 to n-1.
    public static func randomNumber() -> [UInt8] {
        let value = BN_new()
        defer { BN_free(value) }
        repeat { BN_priv_rand_range(value, EC_GROUP_get0_order(group)) } while BN_is_zero(value) == 1
        return bytes(value)
    }

    /// a·b mod n.
    public static func product(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        calculate { result, context in
            withNumber(one) { a in
                withNumber(other) { b in BN_mod_mul(result, a, b, EC_GROUP_get0_order(group), context) }
            }
        }
    }

    /// a+b mod n.
    public static func sum(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        calculate { result, context in
            withNumber(one) { a in
                withNumber(other) { b in BN_mod_add(result, a, b, EC_GROUP_get0_order(group), context) }
            }
        }
    }

    /// 1/a mod n; a is not 0.
    public static func inverse(_ number: [UInt8]) -> [UInt8] {
        calculate { result, context in
            withNumber(number) { a in
                BN_mod_inverse(result, a, EC_GROUP_get0_order(group), context) == nil ? 0 : 1
            }
        }
    }

    /// -a mod n.
    public static func negative(_ number: [UInt8]) -> [UInt8] {
        product(difference(order, [UInt8](repeating: 0, count: 31) + [1]), number)
    }

    /// a-b as numbers; a is not less than b.
    public static func difference(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        calculate { result, _ in
            withNumber(one) { a in withNumber(other) { b in BN_sub(result, a, b) } }
        }
    }

    /// a·G + b·P; nil for the point at infinity.
    public static func combination(_ a: [UInt8], _ b: [UInt8], of point: [UInt8]) -> [UInt8]? {
        let result = EC_POINT_new(group)
        let other = EC_POINT_new(group)
        defer {
            EC_POINT_free(result)
            EC_POINT_free(other)
        }
        precondition(EC_POINT_oct2point(group, other, point, point.count, nil) == 1)
        let made = withNumber(a) { a in withNumber(b) { b in EC_POINT_mul(group, result, a, other, b, nil) } }
        precondition(made == 1)
        guard EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
        return encoded(result)
    }

    /// k·G; k is not 0.
    public static func multiple(_ number: [UInt8]) -> [UInt8] {
        let result = EC_POINT_new(group)
        defer { EC_POINT_free(result) }
        precondition(withNumber(number) { EC_POINT_mul(group, result, $0, nil, nil, nil) } == 1)
        return encoded(result)
    }

    /// A point with this x, if the curve has one.
    public static func point(x: [UInt8]) -> [UInt8]? {
        let result = EC_POINT_new(group)
        defer { EC_POINT_free(result) }
        guard EC_POINT_oct2point(group, result, [2] + x, x.count + 1, nil) == 1 else {
            ERR_clear_error()
            return nil
        }
        return encoded(result)
    }

    /// What `EVP_PKEY_verify` says of R and S over a digest.
    public static func accepts(r: [UInt8], s: [UInt8], digest: [UInt8], by point: [UInt8]) -> Bool {
        let key = COpenSSL_EC_public_key("P-256", point, point.count)
        let signature = ECDSA_SIG_new()
        defer {
            EVP_PKEY_free(key)
            ECDSA_SIG_free(signature)
            ERR_clear_error()
        }
        precondition(key != nil)
        ECDSA_SIG_set0(signature, BN_bin2bn(r, Int32(r.count), nil), BN_bin2bn(s, Int32(s.count), nil))
        var der = [UInt8](repeating: 0, count: 80)
        let count = der.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return i2d_ECDSA_SIG(signature, &position)
        }
        let context = EVP_PKEY_CTX_new(key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        precondition(EVP_PKEY_verify_init(context) == 1)
        return EVP_PKEY_verify(context, der, Int(count), digest, digest.count) == 1
    }

    private static func calculate(_ body: (OpaquePointer?, OpaquePointer?) -> Int32) -> [UInt8] {
        let result = BN_new()
        let context = BN_CTX_new()
        defer {
            BN_free(result)
            BN_CTX_free(context)
        }
        precondition(body(result, context) == 1)
        return bytes(result)
    }

    private static func withNumber<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
        let number = BN_bin2bn(bytes, Int32(bytes.count), nil)
        defer { BN_free(number) }
        return body(number)
    }

    private static func bytes(_ number: OpaquePointer?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        precondition(BN_bn2binpad(number, &bytes, 32) == 32)
        return bytes
    }

    private static func encoded(_ point: OpaquePointer?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65)
        precondition(EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, 65, nil) == 65)
        return bytes
    }
}
