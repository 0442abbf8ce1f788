import Bytes
import Crypto
import JOSE
import TestSupport
import TestTraits
import Testing

private let message = Array("what is to be signed".utf8)
private let all: [(SigningKey, SignatureAlgorithm)] =
    [(.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA)]
    + [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].map { (.rsa, $0) }

private func read(_ pem: String) throws(SigningRefusal) -> PrivateKey {
    try PrivateKey(pem: Secret(Array(pem.utf8)))
}

/// Why this is no key to sign with; nil when it is one.
private func refusal(_ pem: String) -> SigningRefusal? {
    do throws(SigningRefusal) {
        _ = try read(pem)
        return nil
    } catch {
        return error
    }
}

private func verificationKey(_ key: PrivateKey) throws -> VerificationKey {
    switch key.publicNumbers {
    case .rsa(let modulus, let exponent): try VerificationKey(rsaModulus: modulus.span, exponent: exponent.span)
    case .ellipticCurve(let curve, let x, let y): try VerificationKey(curve: curve, x: x.span, y: y.span)
    case .ed25519(let bytes): try VerificationKey(ed25519: bytes.span)
    case .x25519: throw CryptoRefusal.notForSignatures
    }
}

extension VerificationKey {
    fileprivate func accepts(_ signature: [UInt8], of message: [UInt8], by scheme: SignatureScheme) -> Bool {
        verify(signature.span, of: message.span, by: scheme)
    }
}

@Suite struct `a private key` {
    @Test(.holds("JOSE-35"), .refuses("JOSE-35"), arguments: all)
    func `signs what its public half verifies, by every scheme of its kind and by no other`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) throws {
        let signer = try read(key.pem())
        let verifier = try verificationKey(signer)
        let signature = try signer.sign(message.span, by: algorithm.scheme)
        #expect(verifier.accepts(signature, of: message, by: algorithm.scheme))
        for (_, other) in all where other.keyKind != algorithm.keyKind {
            #expect(throws: SigningRefusal.algorithmMismatch) { try signer.sign(message.span, by: other.scheme) }
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(arguments: [SigningKey.rsa, .p256, .p384, .p521, .ed25519])
    func `has the public numbers that the key was made with`(key: SigningKey) throws {
        let members = Dictionary(uniqueKeysWithValues: key.publicMembers.map { ($0.name, $0.value) })
        let found: [String: [UInt8]] =
            switch try read(key.pem()).publicNumbers {
            case .rsa(let modulus, let exponent): ["n": modulus, "e": exponent]
            case .ellipticCurve(_, let x, let y): ["x": x, "y": y]
            case .ed25519(let x), .x25519(let x): ["x": x]
            }
        for (name, bytes) in found { #expect(Base64URL.encode(bytes.span) == members[name]) }
    }

    @Test(arguments: [SigningKey.rsa, .p256, .p384, .p521])
    func `is read in its traditional form too`(key: SigningKey) throws {
        #expect(try read(key.pem(.traditional)).publicNumbers == read(key.pem()).publicNumbers)
    }

    @Test func `is found behind parameters, a certificate and other text`() throws {
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        let certificate = try TestCertificate.authority(named: "a").certificate
        let key = try SigningKey.p256.pem()
        let pem = "Bag Attributes\n    friendlyName: a\n" + parameters + certificate + key
        #expect(try read(pem).kind == .ellipticCurve(.p256))
        #expect(try read(SigningKey.p256.pem().replacing("\n", with: "\r\n")).kind == .ellipticCurve(.p256))
        #expect(OpenSSLErrors.isEmpty)
    }

    // Ed25519 and RSASSA-PKCS1-v1_5 have one signature for each message.
    @Test(.holds("JOSE-35")) func `makes the signature of RFC 8037 appendix A_4`() throws {
        let input = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        let signature = try read(PEMVectors.rfc8037).sign(input.span, by: .ed25519)
        #expect(
            Base64URL.encode(signature.span)
                == "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
    }

    @Test(.holds("JOSE-35")) func `makes the signature of RFC 7515 appendix A_2`() throws {
        let claims = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let input = Array(("eyJhbGciOiJSUzI1NiJ9." + claims).utf8)
        let signature = try read(PEMVectors.rfc7515RSA).sign(input.span, by: .rsaPKCS1(.sha256))
        #expect(
            Base64URL.encode(signature.span) == """
                cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJd\
                bF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN93\
                83LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhW\
                kWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """)
    }

    @Test(
        .holds("JOSE-35"), arguments: [(PEMVectors.rfc7515P256, EllipticCurve.p256), (PEMVectors.rfc7515P521, .p521)])
    func `writes R and S side by side, each as long as the field, every time`(
        pem: String, curve: EllipticCurve
    ) throws {
        let signer = try read(pem)
        let verifier = try verificationKey(signer)
        // One in 256 has a zero octet in front, which DER leaves out.
        for round in 0..<600 {
            let message = Array("round \(round)".utf8)
            let signature = try signer.sign(message.span, by: .ecdsa(curve.hash))
            try #require(signature.count == 2 * curve.fieldLength)
            try #require(verifier.accepts(signature, of: message, by: .ecdsa(curve.hash)))
        }
    }

    @Test(arguments: PrivateKey.Generated.allCases)
    func `is generated, and never the same twice`(kind: PrivateKey.Generated) throws {
        let one = try PrivateKey.generate(kind), other = try PrivateKey.generate(kind)
        #expect(one.kind == other.kind)
        #expect(one.publicNumbers != other.publicNumbers)
    }

    @Test func `signs from several threads at once`() async throws {
        let signer = try read(SigningKey.p256.pem())
        let verified = await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    let message = Array("thread \(thread)".utf8)
                    return (0..<200).allSatisfy { _ in
                        guard let verifier = try? verificationKey(signer),
                            let signature = try? signer.sign(message.span, by: .ecdsa(.sha256))
                        else { return false }
                        return verifier.verify(signature.span, of: message.span, by: .ecdsa(.sha256))
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(verified)
    }

    @Test(.refuses("CA-17")) func `prints nothing of itself`() throws {
        let key = try read(PEMVectors.rfc8037)
        #expect("\(key)" == "[private key]")
        #expect(String(reflecting: key) == "[private key]")
        #expect(Mirror(reflecting: key).children.isEmpty)
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("157"), "a byte of the key: \(dumped)")
    }
}

@Suite struct `a private key is refused` {
    @Test(.refuses("CA-17"), arguments: [SigningKey.rsa, .p256, .ed25519])
    func `when it is encrypted, and no passphrase is asked for`(key: SigningKey) throws {
        #expect(refusal(try key.pem(.encrypted)) == .encrypted)
        if key.kind != .ed25519 { #expect(refusal(try key.pem(.encryptedTraditional)) == .encrypted) }
        // An encrypted key behind the label of a plain one gets as far as the library, which is given no passphrase.
        let disguised = try key.pem(.encrypted).replacing("ENCRYPTED ", with: "")
        #expect(refusal(disguised) == .notPrivateKey)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `when it is none`() throws {
        let none = [
            "", "\n", "key", try SigningKey.p256.pem(.publicKey), try TestCertificate.authority(named: "a").certificate,
            "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----",
        ]
        for text in none { #expect(refusal(text) == .notPrivateKey, "\(text)") }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("CA-10")) func `when there are two in the file`() throws {
        #expect(refusal(try SigningKey.p256.pem() + SigningKey.p384.pem()) == .severalKeys)
        #expect(refusal(try SigningKey.p256.pem() + SigningKey.rsa.pem(.traditional)) == .severalKeys)
    }

    @Test(.refuses("JOSE-07")) func `when it is too weak`() throws {
        #expect(refusal(try SigningKey.weakRSA.pem()) == .modulusLength(bits: 1024))
        #expect(refusal(PEMVectors.exponentThree) == .exponentNotAllowed)
    }

    @Test func `when it is of a kind that does not sign here`() throws {
        let ed448 = SigningKey(.ed448)
        for pem in [PEMVectors.secp256k1, try ed448.pem()] {
            #expect(refusal(pem) == .keyTypeNotAccepted)
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `when its halves are of two keys`() {
        #expect(refusal(PEMVectors.halvesOfTwoKeys) == .inconsistent)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `at every length but the whole`() throws {
        let pem = Array(try SigningKey.p256.pem().utf8)
        let trimmed = pem.prefix(pem.count - 1)
        for count in 0..<trimmed.count {
            let part = String(decoding: pem.prefix(count), as: UTF8.self)
            #expect(refusal(part) == .notPrivateKey, "\(count)")
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `or is another key, when any byte of it is changed`() throws {
        let pem = Array(PEMVectors.rfc7515P256.utf8)
        let original = try read(PEMVectors.rfc7515P256).publicNumbers
        for index in pem.indices where pem[index] != 0x0A {
            var changed = pem
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            guard let key = try? PrivateKey(pem: Secret(changed)) else { continue }
            // What is left is a spelling of the same key.
            #expect(key.publicNumbers == original, "\(index)")
        }
        #expect(OpenSSLErrors.isEmpty)
    }
}
