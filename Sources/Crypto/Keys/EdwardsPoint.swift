/// What can be told of an Ed25519 public key from its 32 bytes: whether they are its one spelling, and whether it is one of the
/// eight points that anybody can sign for.
///
/// With a point of small order as the key, R of the same kind and S = 0 pass as the signature of at least one message in eight,
/// and with the neutral element as the key of every message: a token that is bound to such a key is bound to nobody. The library takes them (RFC 8032
/// §5.1.7 does not forbid it).
enum EdwardsPoint {
    /// Why no key is made of `bytes`, which are 32; nil when they may be one.
    static func refusal(of bytes: Span<UInt8>) -> CryptoRefusal? {
        guard isBelowPrime(bytes) else { return .pointNotCanonical }
        for y in smallOrders where equalsIgnoringSign(bytes, y) { return .pointOfSmallOrder }
        return nil
    }

    /// Whether y is below 2^255 - 19: what is not has a second spelling (RFC 8032 §5.1.3).
    private static func isBelowPrime(_ bytes: Span<UInt8>) -> Bool {
        guard bytes[31] & 0x7f == 0x7f else { return true }
        for index in 1..<31 where bytes[index] != 0xff { return true }
        return bytes[0] < 0xed
    }

    /// The sign of x is the top bit; both signs of each y are of small order, or spell x = 0 in two ways.
    private static func equalsIgnoringSign(_ bytes: Span<UInt8>, _ y: [UInt8]) -> Bool {
        for index in 0..<31 where bytes[index] != y[index] { return false }
        return bytes[31] & 0x7f == y[31]
    }

    /// y of the points of order 1, 2, 4 and 8, least significant byte first.
    private static let smallOrders: [[UInt8]] = [
        [1] + [UInt8](repeating: 0, count: 31),
        [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [UInt8](repeating: 0, count: 32),
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
    ]
}
