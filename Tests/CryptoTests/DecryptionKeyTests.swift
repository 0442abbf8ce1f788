import Bytes
@testable import Crypto
import TestSupport
import TestTraits
import Testing

/// The bytes that these hexadecimal digits are.
private func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
}

private func hex(_ bytes: [UInt8]) -> String { Hex.encode(bytes.span) }

/// The hexadecimal digits of the private number that these secret bytes become.
private func scalar(_ digits: String) -> String {
    let secret = bytes(digits)
    return hex(P256Scalar(secret.span).bytes)
}

private func rsa() throws -> PrivateKey { try PrivateKey(pem: Secret(Array(SigningKey.rsa.pem().utf8))) }

private func decrypt(_ ciphertext: [UInt8], _ key: PrivateKey, _ hash: OAEPHash) -> [UInt8]? {
    key.decrypt(ciphertext.span, oaep: hash)?.reveal()
}

@Suite struct `a key made of secret bytes` {
    // RFC 6979 appendix A.2.5: its private number, less one.
    @Test func `is the key of that number, every time`() throws {
        let secret = Secret(bytes("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6720"))
        let key = try PrivateKey.p256(scalar: secret), again = try PrivateKey.p256(scalar: secret)
        #expect(key.publicNumbers == again.publicNumbers)
        #expect(
            key.publicNumbers
                == .ellipticCurve(
                    .p256, x: bytes("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"),
                    y: bytes("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")))
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `signs what its public half verifies, and agrees as any other`() throws {
        let message = Array("text".utf8)
        for _ in 0..<20 {
            let key = try PrivateKey.p256(scalar: Secret(RandomBytes.fill(32)))
            guard case .ellipticCurve(let curve, let x, let y) = key.publicNumbers else { return }
            let signature = try key.sign(message.span, by: .ecdsa(.sha256))
            let verifier = try VerificationKey(curve: curve, x: x.span, y: y.span)
            let isVerified = verifier.verify(signature.span, of: message.span, by: .ecdsa(.sha256))
            #expect(isVerified)
            let other = try PrivateKey.generate(.p256)
            #expect(try key.agree(with: other.publicNumbers).reveal() == other.agree(with: key.publicNumbers).reveal())
        }
    }

    // n = ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
    @Test(arguments: [
        (
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000001"
        ),
        (
            "00000000000000000000000000000000ffffffffffffffffffffffffffffffff",
            "0000000000000000000000000000000100000000000000000000000000000000"
        ),
        (
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63254f",
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
        ),
        (
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550",
            "0000000000000000000000000000000000000000000000000000000000000001"
        ),
        (
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            "0000000000000000000000000000000000000000000000000000000000000002"
        ),
        (
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "00000000ffffffff00000000000000004319055258e8617b0c46353d039cdab0"
        ),
    ])
    func `has a private number from 1 to n-1`(secret: String, number: String) throws {
        #expect(scalar(secret) == number)
        _ = try PrivateKey.p256(scalar: Secret(bytes(secret)))
    }

    @Test func `is none of another number of bytes`() {
        for count in [0, 1, 31, 33, 64] {
            #expect(throws: SigningRefusal.keyTypeNotAccepted) {
                try PrivateKey.p256(scalar: Secret([UInt8](repeating: 1, count: count)))
            }
        }
    }
}

@Suite struct `a key that decrypts` {
    @Test(.holds("JOSE-22"), .refuses("JOSE-22"), arguments: OAEPHash.allCases)
    func `reads what was encrypted to it by the same padding`(hash: OAEPHash) throws {
        let key = try rsa()
        let secret = RandomBytes.fill(64)
        let ciphertext = try key.publicNumbers.encrypt(Secret(secret), oaep: hash)
        #expect(decrypt(ciphertext, key, hash) == secret)
        #expect(decrypt(ciphertext, key, hash == .sha1 ? .sha256 : .sha1) == nil)
        #expect(decrypt(Array(ciphertext.dropLast()), key, hash) == nil)
        #expect(decrypt([0] + ciphertext, key, hash) == nil)
        #expect(decrypt([], key, hash) == nil)
        #expect(decrypt([UInt8](repeating: 0xFF, count: ciphertext.count), key, hash) == nil)
        for index in stride(from: 0, to: ciphertext.count, by: 31) {
            var touched = ciphertext
            touched[index] ^= 1
            #expect(decrypt(touched, key, hash) == nil)
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-22")) func `is RSA, and what is encrypted fits it`() throws {
        let key = try rsa(), other = try PrivateKey.generate(.p256)
        #expect(throws: CryptoRefusal.libraryFailed) {
            try key.publicNumbers.encrypt(Secret(RandomBytes.fill(256)), oaep: .sha256)
        }
        #expect(throws: CryptoRefusal.notBuilt) {
            try other.publicNumbers.encrypt(Secret(RandomBytes.fill(16)), oaep: .sha256)
        }
        #expect(decrypt(RandomBytes.fill(256), other, .sha256) == nil)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.holds("JOSE-25"), .refuses("JOSE-25"), arguments: [PrivateKey.Generated.p256, .p384, .p521, .x25519])
    func `agrees with a key of its curve alone`(kind: PrivateKey.Generated) throws {
        let one = try PrivateKey.generate(kind), two = try PrivateKey.generate(kind)
        let secret = try one.agree(with: two.publicNumbers).reveal()
        #expect(try two.agree(with: one.publicNumbers).reveal() == secret)
        #expect(try one.agree(with: one.publicNumbers).reveal() != secret)
        for other in PrivateKey.Generated.allCases where other != kind {
            let key = try PrivateKey.generate(other)
            #expect(throws: CryptoRefusal.pointNotOnCurve) { try one.agree(with: key.publicNumbers) }
        }
        let rsa = try rsa()
        #expect(throws: CryptoRefusal.pointNotOnCurve) { try one.agree(with: rsa.publicNumbers) }
        #expect(OpenSSLErrors.isEmpty)
    }

    // P-521's secrets have a zero in front half of the time, the others one in 256: it stays (RFC 7518 §4.6.2).
    @Test(.holds("JOSE-25")) func `agrees on as many bytes as the field has`() throws {
        for (kind, count) in [(PrivateKey.Generated.p256, 32), (.p521, 66)] {
            for _ in 0..<20 {
                let one = try PrivateKey.generate(kind), two = try PrivateKey.generate(kind)
                #expect(try one.agree(with: two.publicNumbers).count == count)
            }
        }
    }

    @Test(.refuses("JOSE-25"), arguments: [EllipticCurve.p256, .p384, .p521])
    func `agrees with no point off its curve`(curve: EllipticCurve) throws {
        let kinds: [EllipticCurve: PrivateKey.Generated] = [.p256: .p256, .p384: .p384, .p521: .p521]
        let key = try PrivateKey.generate(#require(kinds[curve]))
        guard case .ellipticCurve(_, let x, let y) = key.publicNumbers else { return }
        let zero = [UInt8](repeating: 0, count: curve.fieldLength)
        let full = [UInt8](repeating: 0xFF, count: curve.fieldLength)
        for (x, y) in [
            (x, Array(y.dropLast()) + [(y.last ?? 0) ^ 1]), (zero, zero), (full, full), (x, []), ([], []), (x, y + [0]),
            (Array(x.dropFirst()), y), ([0] + x, y),
        ] {
            #expect(throws: CryptoRefusal.pointNotOnCurve) { try key.agree(with: .ellipticCurve(curve, x: x, y: y)) }
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    // RFC 7748 §6.1.
    @Test(.holds("JOSE-25"), .refuses("JOSE-25"))
    func `agrees on the secret of RFC 7748, and on none with a point of small order`() throws {
        let alice = try PrivateKey(
            pem: Secret(
                Array(
                    """
                    -----BEGIN PRIVATE KEY-----
                    MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq
                    -----END PRIVATE KEY-----
                    """.utf8)))
        #expect(
            alice.publicNumbers
                == .x25519(bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")))
        let bob = bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        #expect(
            hex(try alice.agree(with: .x25519(bob)).reveal())
                == "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            #expect(throws: CryptoRefusal.notBuilt) { try alice.agree(with: .x25519(point)) }
        }
        #expect(throws: CryptoRefusal.pointNotOnCurve) { try alice.agree(with: .x25519(Array(bob.dropLast()))) }
        #expect(OpenSSLErrors.isEmpty)
    }
}
