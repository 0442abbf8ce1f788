import Bytes
import Crypto
import JOSE
import TestSupport
import TestTraits
import Testing

/// The numbers of a test key's public half by their JWK names.
private func numbers(_ key: SigningKey) -> [String: [UInt8]] {
    var numbers: [String: [UInt8]] = [:]
    for member in key.publicMembers {
        let text = Array(member.value.utf8)
        numbers[member.name] = Base64URL.decode(text.span)
    }
    return numbers
}

private func verificationKey(_ key: SigningKey) throws(CryptoRefusal) -> VerificationKey {
    let numbers = numbers(key)
    let n = numbers["n"] ?? [], e = numbers["e"] ?? [], x = numbers["x"] ?? [], y = numbers["y"] ?? []
    switch key.kind {
    case .rsa: return try VerificationKey(rsaModulus: n.span, exponent: e.span)
    case .p256: return try VerificationKey(curve: .p256, x: x.span, y: y.span)
    case .p384: return try VerificationKey(curve: .p384, x: x.span, y: y.span)
    case .p521: return try VerificationKey(curve: .p521, x: x.span, y: y.span)
    case .ed25519, .ed448: return try VerificationKey(ed25519: x.span)
    }
}

extension VerificationKey {
    fileprivate func accepts(_ signature: [UInt8], of message: [UInt8], by scheme: SignatureScheme) -> Bool {
        verify(signature.span, of: message.span, by: scheme)
    }
}

private let message = Array("what was signed".utf8)
private let pairs: [(SigningKey, SignatureAlgorithm)] =
    [(.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA)]
    + [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].map { (.rsa, $0) }

@Suite struct `verification` {
    @Test(arguments: pairs)
    func `a signature is verified by its own key and scheme alone`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) throws {
        let signature = key.sign(message, by: algorithm)
        for (other, _) in pairs {
            let verifier = try verificationKey(other)
            for scheme in SignatureAlgorithm.allCases.map(\.scheme) {
                let isRight = other.kind == key.kind && scheme == algorithm.scheme
                #expect(verifier.accepts(signature, of: message, by: scheme) == isRight)
            }
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.holds("RS-14"), .refuses("RS-14"), arguments: pairs)
    func `a changed bit anywhere is refused, and the prepared context survives it`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) throws {
        let verifier = try verificationKey(key)
        let signature = key.sign(message, by: algorithm)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(!verifier.accepts(changed, of: message, by: algorithm.scheme))
        }
        for index in message.indices {
            var changed = message
            changed[index] ^= 0x40
            #expect(!verifier.accepts(signature, of: changed, by: algorithm.scheme))
        }
        #expect(verifier.accepts(signature, of: message, by: algorithm.scheme))
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-08"), arguments: pairs)
    func `a signature of any other length is refused`(key: SigningKey, algorithm: SignatureAlgorithm) throws {
        let verifier = try verificationKey(key)
        let signature = key.sign(message, by: algorithm)
        for cut in everyStart(of: signature) {
            #expect(!verifier.accepts(cut, of: message, by: algorithm.scheme))
        }
        for longer in [signature + [0], [0] + signature, signature + signature] {
            #expect(!verifier.accepts(longer, of: message, by: algorithm.scheme))
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-10")) func `a PSS signature without salt is refused`() throws {
        let verifier = try verificationKey(.rsa)
        for algorithm in [SignatureAlgorithm.ps256, .ps384, .ps512] {
            let unsalted = SigningKey.rsa.sign(message, by: algorithm, salt: .empty)
            #expect(!verifier.accepts(unsalted, of: message, by: algorithm.scheme))
        }
    }

    @Test func `one RSA key serves its six algorithms in turn`() throws {
        let verifier = try verificationKey(.rsa)
        let signatures = pairs.filter { $0.1.keyKind == .rsa }.map { ($0.1, SigningKey.rsa.sign(message, by: $0.1)) }
        for _ in 0..<20 {
            for (algorithm, signature) in signatures {
                #expect(verifier.accepts(signature, of: message, by: algorithm.scheme))
            }
        }
    }
}

@Suite struct `elliptic curve signatures` {
    private let order: [UInt8] =
        [UInt8](repeating: 0xFF, count: 4) + [UInt8](repeating: 0, count: 4) + [UInt8](repeating: 0xFF, count: 8) + [
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]

    @Test(.refuses("JOSE-08")) func `R and S outside 1 to n-1 are refused`() throws {
        let verifier = try verificationKey(.p256)
        let signature = SigningKey.p256.sign(message, by: .es256)
        let zero = [UInt8](repeating: 0, count: 32), all = [UInt8](repeating: 0xFF, count: 32)
        let r = Array(signature[..<32]), s = Array(signature[32...])
        for forged in [zero + zero, zero + s, r + zero, r + order, order + s, order + order, all + all, zero + order] {
            #expect(!verifier.accepts(forged, of: message, by: .ecdsa(.sha256)))
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-08")) func `a DER signature is refused`() throws {
        let verifier = try verificationKey(.p256)
        let signature = SigningKey.p256.sign(message, by: .es256)
        let integer = { (half: [UInt8]) -> [UInt8] in
            let digits = Array(half.drop { $0 == 0 })
            let padded = digits[0] >= 0x80 ? [0] + digits : digits
            return [0x02, UInt8(padded.count)] + padded
        }
        let content = integer(Array(signature[..<32])) + integer(Array(signature[32...]))
        let der = [0x30, UInt8(content.count)] + content
        #expect(!verifier.accepts(der, of: message, by: .ecdsa(.sha256)))
    }

    @Test(arguments: [(SigningKey.p256, SignatureAlgorithm.es256), (.p384, .es384), (.p521, .es512)])
    func `halves with zeros in front are verified`(key: SigningKey, algorithm: SignatureAlgorithm) throws {
        let verifier = try verificationKey(key)
        var seen = 0
        for attempt in 0..<4000 where seen < 2 {
            let text = Array("message \(attempt)".utf8)
            let signature = key.sign(text, by: algorithm)
            let half = signature.count / 2
            guard signature[0] == 0 || signature[half] == 0 else { continue }
            // P-521 has seven zero bits in front always; look for a whole octet below them.
            guard key.kind != .p521 || signature[1] < 0x80 || signature[half + 1] < 0x80 else { continue }
            seen += 1
            #expect(verifier.accepts(signature, of: text, by: algorithm.scheme))
        }
        #expect(seen == 2)
    }

    @Test(.refuses("JOSE-08")) func `a point that is not on the curve is refused`() throws {
        for (key, curve) in [(SigningKey.p256, EllipticCurve.p256), (.p384, .p384), (.p521, .p521)] {
            let numbers = numbers(key)
            let x = try #require(numbers["x"])
            var y = try #require(numbers["y"])
            y[y.count - 1] ^= 1
            #expect(throws: CryptoRefusal.pointNotOnCurve) {
                _ = try VerificationKey(curve: curve, x: x.span, y: y.span)
            }
            let zero = [UInt8](repeating: 0, count: x.count)
            #expect(throws: CryptoRefusal.pointNotOnCurve) {
                _ = try VerificationKey(curve: curve, x: zero.span, y: zero.span)
            }
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-32")) func `a coordinate that is not as long as the field is refused`() throws {
        let numbers = numbers(.p256)
        let x = try #require(numbers["x"]), y = try #require(numbers["y"])
        for wrong in [Array(x.dropFirst()), [0] + x, []] {
            #expect(throws: CryptoRefusal.coordinateLength) {
                _ = try VerificationKey(curve: .p256, x: wrong.span, y: y.span)
            }
            #expect(throws: CryptoRefusal.coordinateLength) {
                _ = try VerificationKey(curve: .p256, x: y.span, y: wrong.span)
            }
        }
        #expect(throws: CryptoRefusal.coordinateLength) { _ = try VerificationKey(curve: .p384, x: x.span, y: y.span) }
    }
}

@Suite struct `RSA keys` {
    private func refusal(modulus: [UInt8], exponent: [UInt8] = [1, 0, 1]) -> CryptoRefusal? {
        do throws(CryptoRefusal) {
            _ = try VerificationKey(rsaModulus: modulus.span, exponent: exponent.span)
            return nil
        } catch {
            return error
        }
    }

    /// An odd number of exactly `bits` bits; whether it is a product of primes is not for a verifier to find out.
    private func modulus(bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0x5A, count: (bits + 7) / 8)
        let top = (bits - 1) % 8
        bytes[0] = 1 << UInt8(top)
        bytes[bytes.count - 1] |= 1
        return bytes
    }

    @Test(
        .holds("JOSE-07"), .refuses("JOSE-07"),
        arguments: [
            (2048, nil), (3072, nil), (8192, nil), (1024, .modulusLength(bits: 1024)),
            (2047, .modulusLength(bits: 2047)),
            (8193, .modulusLength(bits: 8193)), (16384, .modulusLength(bits: 16384)), (8, .modulusLength(bits: 8)),
        ] as [(Int, CryptoRefusal?)])
    func `a modulus has 2048 to 8192 bits`(bits: Int, expected: CryptoRefusal?) {
        #expect(refusal(modulus: modulus(bits: bits)) == expected)
    }

    @Test(.refuses("JOSE-07")) func `an even modulus is refused`() {
        var even = modulus(bits: 2048)
        even[255] &= 0xFE
        #expect(refusal(modulus: even) == .modulusEven)
    }

    @Test(
        .holds("JOSE-07"), .refuses("JOSE-07"),
        arguments: [
            ([1, 0, 1], nil), ([1, 0, 3], nil), ([1, 0xFF, 0xFF, 0xFF, 0xFF], nil), ([1], .exponentNotAllowed),
            ([3], .exponentNotAllowed), ([0xFF, 0xFF], .exponentNotAllowed), ([1, 0, 0], .exponentNotAllowed),
            ([2, 0, 0, 0, 1], .exponentNotAllowed), ([1, 0, 0, 0, 0, 1], .exponentNotAllowed),
            ([UInt8](repeating: 0xFF, count: 256), .exponentNotAllowed),
        ] as [([UInt8], CryptoRefusal?)])
    func `an exponent is odd, at least 65537 and below 2^33`(exponent: [UInt8], expected: CryptoRefusal?) {
        #expect(refusal(modulus: modulus(bits: 2048), exponent: exponent) == expected)
    }

    @Test(.refuses("JOSE-32")) func `zero octets in front are refused`() {
        #expect(refusal(modulus: [0] + modulus(bits: 2048)) == .numberNotMinimal)
        #expect(refusal(modulus: modulus(bits: 2048), exponent: [0, 1, 0, 1]) == .numberNotMinimal)
        #expect(refusal(modulus: []) == .numberNotMinimal)
        #expect(refusal(modulus: modulus(bits: 2048), exponent: []) == .numberNotMinimal)
    }
}

@Suite struct `Ed25519` {
    /// The group's order, least octet first (RFC 8032 §5.1).
    private let order: [UInt8] =
        [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
        ] + [UInt8](repeating: 0, count: 15) + [0x10]

    @Test(.refuses("JOSE-09")) func `a signature with S + L is refused`() throws {
        let verifier = try verificationKey(.ed25519)
        let signature = SigningKey.ed25519.sign(message, by: .edDSA)
        #expect(verifier.accepts(signature, of: message, by: .ed25519))
        var malleated = signature
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            malleated[32 + index] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
        #expect(carry == 0)
        #expect(!verifier.accepts(malleated, of: message, by: .ed25519))
        #expect(OpenSSLErrors.isEmpty)
    }

    /// 32 bytes: a first one, thirty like another, a last one.
    private static func point(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
        [first] + [UInt8](repeating: middle, count: 30) + [last]
    }

    private static let eighth: [[UInt8]] = [
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03",
    ].map { text in
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
        }
    }

    /// R of a signature whose S is nought: every point of small order signs something with one of these.
    private static let commitments = [point(1, 0, 0), point(0, 0, 0), point(0xEC, 0xFF, 0x7F)]

    @Test(
        .refuses("JOSE-09", "DPOP-04"),
        arguments: [
            point(1, 0, 0), point(1, 0, 0x80), point(0xEC, 0xFF, 0x7F), point(0xEC, 0xFF, 0xFF), point(0, 0, 0),
            point(0, 0, 0x80), eighth[0] + [0x05], eighth[0] + [0x85], eighth[1] + [0x7A], eighth[1] + [0xFA],
        ])
    func `a key that anybody can sign for is refused`(bytes: [UInt8]) {
        #expect(bytes.count == 32)
        #expect(throws: CryptoRefusal.pointOfSmallOrder) { _ = try VerificationKey(ed25519: bytes.span) }
    }

    @Test(
        .refuses("JOSE-09", "DPOP-04"),
        arguments: (UInt8(0xED)...0xFF).flatMap { [point($0, 0xFF, 0x7F), point($0, 0xFF, 0xFF)] })
    func `a key in a second spelling is refused`(bytes: [UInt8]) {
        #expect(throws: CryptoRefusal.pointNotCanonical) { _ = try VerificationKey(ed25519: bytes.span) }
    }

    @Test(
        .holds("JOSE-09"), .refuses("JOSE-09"),
        arguments: [
            point(2, 0, 0), point(0xEB, 0xFF, 0x7F), point(0xEC, 0xFE, 0x7F), point(1, 1, 0), eighth[0] + [0x04],
            point(0xEC, 0xFF, 0x7E), point(0xFF, 0xFF, 0x7E),
        ])
    func `a key beside those is taken for what it is`(bytes: [UInt8]) throws {
        let verifier = try VerificationKey(ed25519: bytes.span)
        for commitment in Self.commitments {
            let forged = commitment + [UInt8](repeating: 0, count: 32)
            #expect(!verifier.accepts(forged, of: message, by: .ed25519))
        }
    }

    @Test(.refuses("JOSE-09")) func `a public key of another length, Ed448's too, is refused`() throws {
        for count in [0, 31, 33, 57] {
            let bytes = [UInt8](repeating: 9, count: count)
            #expect(throws: CryptoRefusal.publicKeyLength) { _ = try VerificationKey(ed25519: bytes.span) }
        }
        #expect(throws: CryptoRefusal.publicKeyLength) { _ = try verificationKey(SigningKey(.ed448)) }
    }
}

@Suite struct `an RSA modulus` {
    /// 65537 to a power, big-endian: a power of it modulo every prime, as the weak generator makes them.
    private func power(_ exponent: Int) -> [UInt8] {
        var number: [UInt8] = [1]
        for _ in 0..<exponent {
            var carry = 0
            var product = [UInt8](repeating: 0, count: number.count + 2)
            for index in product.indices.reversed() {
                let place = index - 2
                let low = place >= 0 ? Int(number[place]) : 0
                let high = index < number.count ? Int(number[index]) : 0
                let sum = low + high + carry
                product[index] = UInt8(sum & 0xFF)
                carry = sum >> 8
            }
            number = (carry > 0 ? [UInt8(carry)] : []) + product
        }
        return Array(number.drop { $0 == 0 })
    }

    private func isGuessable(_ modulus: [UInt8]) -> Bool { WeakModulus.isGuessable(modulus.span) }

    @Test(.refuses("JOSE-07")) func `of the generator that made keys guessable is known`() {
        #expect(power(2) == [1, 0, 2, 0, 1])
        for exponent in [64, 128, 200, 255] { #expect(isGuessable(power(exponent))) }
    }

    @Test(.holds("JOSE-07")) func `of any other is not`() {
        for bits in [2048, 3072] {
            var modulus = power(bits / 16)
            modulus[modulus.count - 1] &+= 2
            #expect(!isGuessable(modulus))
        }
        #expect(!isGuessable(numbers(.rsa)["n"] ?? []))
        #expect(!isGuessable([UInt8](repeating: 0xFF, count: 256)))
    }
}
