import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

/// A published key's JSON text with these members in the place of its own; nil leaves one out.
private func keyText(_ key: JWK, _ members: [String: String?] = [:]) throws -> String {
    let document = try readJSON(String(decoding: JWKSetWriter.write([key]), as: UTF8.self))
    var texts: [String: String] = [:]
    for member in document["keys"]?.elements.first?.members ?? [] {
        texts[member.name] = "\"\(member.value.string ?? "")\""
    }
    for (name, value) in members { texts[name] = value }
    return "{" + texts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
}

private func parse(_ keys: [String]) throws -> KeySet { try readKeySet(SigningKey.keySet(jwks: keys)) }

/// Why nothing is encrypted; nil when it is.
private func refusal(_ key: JWK, _ algorithm: String, _ encoding: String) -> JWERefusal? {
    do throws(JWERefusal) {
        _ = try encrypt("text", to: key, algorithm, encoding)
        return nil
    } catch {
        return error
    }
}

@Suite struct `what is encrypted to a key` {
    @Test(
        .holds("JAR-10"), arguments: ["RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"],
        ["A128GCM", "A256GCM", "A128CBC-HS256", "A256CBC-HS512"])
    func `is read by its owner`(algorithm: String, encoding: String) throws {
        let pem = Secret(Array(try SigningKey.rsa.pem().utf8))
        let key =
            algorithm.hasPrefix("RSA")
            ? try DecryptionJWK(pem: pem, algorithm: algorithm)
            : try DecryptionJWK(PrivateKey.generate(.p384), algorithm: algorithm)
        for count in [0, 1, 15, 16, 17, 1000] {
            let text = String(repeating: "x", count: count)
            let token = try encrypt(text, to: key.published, algorithm, encoding)
            let decrypted = try decrypt(token, [key])
            #expect(String(decoding: decrypted.plaintext, as: UTF8.self) == text)
            #expect(decrypted.algorithm == algorithm)
            #expect(decrypted.encoding == encoding)
            #expect(decrypted.contentType == "JWT")
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.holds("JOSE-22"), .refuses("JOSE-22"), arguments: ["dir", "A128KW", "A256KW"])
    func `a secret that two share encrypts and decrypts`(algorithm: String) throws {
        let secret = try DecryptionSecret(
            Secret(RandomBytes.fill(algorithm == "A128KW" ? 16 : 32)), algorithm: algorithm, keyID: "shared")
        let text = try encrypt("text", with: secret, "A256GCM")
        #expect(try decrypt(text, [], secrets: [secret]).plaintext == Array("text".utf8))
        let other = try DecryptionSecret(
            Secret(RandomBytes.fill(algorithm == "A128KW" ? 16 : 32)), algorithm: algorithm, keyID: "shared")
        #expect(refusal(decrypting: text, [], secrets: [other]) == .notDecrypted)
    }

    @Test(.holds("JAR-10"), .refuses("JAR-10")) func `is never the same twice, and names the key it is for`() throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES", keyID: "theirs")
        let one = try encrypt("text", to: key.published, "ECDH-ES", "A128GCM")
        let other = try encrypt("text", to: key.published, "ECDH-ES", "A128GCM")
        #expect(Set(one.split(separator: ".")).isDisjoint(with: other.split(separator: ".")))
        let vector = PublishedJWE(compact: one, algorithm: "ECDH-ES", key: .secret(""), plaintext: "")
        let header = try readJSON(vector.header)
        #expect(header["kid"]?.string == "theirs")
        #expect(header["epk"]?.members.map(\.name) == ["kty", "crv", "x", "y"])
    }

    @Test(.refuses("JAR-10")) func `is nothing when the key or the algorithm is for something else`() throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES").published
        let signer = try SigningJWK.generate(.es256).published, signsOnly = try SigningJWK.generate(.edDSA).published
        #expect(refusal(key, "ECDH-ES", "A128GCM") == nil)
        #expect(refusal(key, "ECDH-ES+A128KW", "A128GCM") == .recipientKeyInvalid)
        #expect(refusal(key, "RSA-OAEP", "A128GCM") == .recipientKeyInvalid)
        #expect(refusal(signer, "ECDH-ES", "A128GCM") == .recipientKeyInvalid)
        let verifies = JWK(material: key.material, use: "sig")
        #expect(refusal(verifies, "ECDH-ES", "A128GCM") == .recipientKeyInvalid)
        #expect(refusal(signsOnly, "ECDH-ES", "A128GCM") == .recipientKeyInvalid)
        for name in ["RSA1_5", "dir", "A128KW", "PBES2-HS256+A128KW", "none", "ECDH-ES+A192KW"] {
            #expect(refusal(key, name, "A128GCM") == .algorithmNotAllowed(name))
        }
        for name in ["A192GCM", "none", "A128CBC", ""] {
            #expect(refusal(key, "ECDH-ES", name) == .encodingNotAllowed(name))
        }
    }

    @Test(.refuses("JAR-10")) func `is nothing when the key is unsound`() throws {
        guard case .ellipticCurve(_, let x, let y) = try SigningJWK.generate(.es256).published.material else { return }
        let off = JWK(material: .ellipticCurve(.p256, x: x, y: Array(y.dropLast()) + [y[31] ^ 1]))
        #expect(refusal(off, "ECDH-ES", "A128GCM") == .recipientKeyInvalid)
        let short = JWK(material: .rsa(modulus: [UInt8](repeating: 0xFF, count: 128), exponent: [1, 0, 1]))
        #expect(refusal(short, "RSA-OAEP-256", "A128GCM") == .recipientKeyInvalid)
        #expect(refusal(JWK(material: .x25519([1, 2, 3])), "ECDH-ES", "A128GCM") == .recipientKeyInvalid)
        let zeros = JWK(material: .x25519([UInt8](repeating: 0, count: 32)))
        #expect(refusal(zeros, "ECDH-ES", "A128GCM") == .notEncrypted)
    }
}

@Suite struct `keys to encrypt to` {
    @Test(.holds("JAR-10")) func `are those of a key set with use enc`() throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES+A256KW").published
        let agreement = try DecryptionJWK(PrivateKey.generate(.x25519), algorithm: "ECDH-ES").published
        let signer = try SigningJWK.generate(.es256).published
        let set = try parse([try keyText(signer), try keyText(key), try keyText(agreement)])
        #expect(set.keys == [signer])
        #expect(set.encryptionKeys == [key, agreement])
        #expect(set.encryptionKeys.filter { $0.fits(KeyManagementAlgorithm.ecdhESA256KW) } == [key])
        #expect(set.encryptionKeys.filter { $0.fits(KeyManagementAlgorithm.ecdhES) } == [agreement])
        #expect(!set.encryptionKeys.contains { $0.fits(KeyManagementAlgorithm.rsaOAEP256) })
        #expect(set.ignored.allSatisfy { !$0.reason.isAlarm })
    }

    @Test(.holds("JAR-10")) func `may leave their algorithm out, or say in key_ops what they are for`() throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES").published
        let open = try keyText(key, ["alg": nil]),
            operations = try keyText(key, ["use": nil, "key_ops": #"["deriveKey"]"#])
        #expect(try parse([open]).encryptionKeys.map { $0.fits(KeyManagementAlgorithm.ecdhESA128KW) } == [true])
        #expect(try parse([operations]).encryptionKeys.map { $0.fits(KeyManagementAlgorithm.ecdhES) } == [true])
    }

    @Test(
        .refuses("JAR-10"),
        arguments: [
            ["use": nil], ["use": nil, "alg": nil], ["use": #""sig""#], ["use": "1"],
            ["use": nil, "key_ops": #"["verify"]"#],
            ["key_ops": #"["verify"]"#], ["alg": #""RSA1_5""#], ["alg": #""RSA-OAEP""#], ["alg": #""dir""#],
            ["d": #""AAAA""#],
            ["y": #""AAAA""#], ["crv": #""P-384""#], ["crv": #""Ed25519""#], ["kty": #""oct""#, "k": #""AAAA""#],
            ["kid": "1"],
        ] as [[String: String?]])
    func `are none that are for something else, or unsound`(members: [String: String?]) throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES").published
        let set = try parse([try keyText(key, members)])
        #expect(set.encryptionKeys.isEmpty)
    }

    @Test(.refuses("JOSE-06")) func `verify nothing, even when somebody hands them over as such a key`() throws {
        let key = try PrivateKey.generate(.p256)
        let published = try DecryptionJWK(key, algorithm: "ECDH-ES").published
        #expect(!published.fits(SignatureAlgorithm.es256))
        let signer = try SigningJWK(key, keyID: published.keyID)
        let claims = Array("{}".utf8)
        let token = try CompactJWS.sign(claims.span, type: "JWT", by: signer)
        let jws = try CompactJWS.parse(token.span, maximumBytes: 16 * 1024)
        let keys = VerificationKeys(KeySet(keys: [published]))
        #expect(throws: JOSERefusal.unknownKey) { try keys.verify(jws, algorithms: [.es256]) }
    }

    @Test(.holds("OIDC-11"), .refuses("OIDC-11")) func `are published with what they are for, and nothing private`()
        throws
    {
        let key = try DecryptionJWK(PrivateKey.generate(.x25519), algorithm: "ECDH-ES")
        let text = String(decoding: JWKSetWriter.write([key.published]), as: UTF8.self)
        let member = try #require(readJSON(text)["keys"]?.elements.first)
        #expect(member["use"]?.string == "enc")
        #expect(member["alg"]?.string == "ECDH-ES")
        #expect(member["kid"]?.string == key.keyID)
        #expect(member["crv"]?.string == "X25519")
        #expect(member.members.map(\.name) == ["kty", "kid", "use", "alg", "crv", "x"])
    }

    @Test(.holds("OIDC-11"), .refuses("OIDC-11"))
    func `come from PEM files, for what their kind prefers unless said otherwise`() throws {
        func read(_ pem: String, _ algorithm: String? = nil) throws(SigningRefusal) -> DecryptionJWK {
            try DecryptionJWK(pem: Secret(Array(pem.utf8)), algorithm: algorithm)
        }
        #expect(try read(SigningKey.rsa.pem()).algorithm == "RSA-OAEP-256")
        #expect(try read(SigningKey.rsa.pem(), "RSA-OAEP").algorithm == "RSA-OAEP")
        #expect(try read(SigningKey.p521.pem()).algorithm == "ECDH-ES+A256KW")
        #expect(try read(SigningKey.p256.pem(), "ECDH-ES").algorithm == "ECDH-ES")
        #expect(throws: SigningRefusal.keyTypeNotAccepted) { try read(SigningKey.ed25519.pem()) }
        #expect(throws: SigningRefusal.algorithmMismatch) { try read(SigningKey.p256.pem(), "RSA-OAEP") }
        #expect(throws: SigningRefusal.modulusLength(bits: 1024)) { try read(SigningKey.weakRSA.pem()) }
        #expect(throws: SigningRefusal.notPrivateKey) { try read("no key") }
        #expect(!"\(try read(SigningKey.p256.pem()))".contains("PRIVATE"))
    }

    @Test func `a key for agreement signs nothing`() throws {
        let key = try PrivateKey.generate(.x25519)
        #expect(throws: SigningRefusal.keyTypeNotAccepted) { try SigningJWK(key) }
        #expect(throws: SigningRefusal.algorithmMismatch) { try SigningJWK(key, algorithm: .edDSA) }
    }
}
