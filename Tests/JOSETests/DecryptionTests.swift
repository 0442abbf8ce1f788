import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

private let published = [
    RFC7520DecryptionVectors.rsaOAEP, RFC7520DecryptionVectors.agreementWithWrap, RFC7520DecryptionVectors.agreement,
    RFC7520DecryptionVectors.direct, RFC7520DecryptionVectors.wrap, OtherJWEVectors.rsaOAEP256, OtherJWEVectors.p521,
    OtherJWEVectors.partyInfo, OtherJWEVectors.x25519, OtherJWEVectors.x25519WithWrap, OtherJWEVectors.a256KW,
    OtherJWEVectors.direct,
]

private func key(_ kind: PrivateKey.Generated, _ algorithm: String = "ECDH-ES") throws -> DecryptionJWK {
    try DecryptionJWK(PrivateKey.generate(kind), algorithm: algorithm)
}

/// The token with one character of a segment changed.
private func touched(_ token: String, segment: Int, at position: Int = 0) -> String {
    var segments = token.split(separator: ".", omittingEmptySubsequences: false).map(Array.init)
    let old = segments[segment][position]
    segments[segment][position] = old == "A" ? "B" : "A"
    return segments.map { String($0) }.joined(separator: ".")
}

/// The members of a header for a token that agrees on a key.
private func agreeing(epk: String, encoding: String = "A128GCM") -> String {
    #"{"alg":"ECDH-ES","enc":"\#(encoding)","epk":\#(epk)}"#
}

@Suite struct `an encrypted token` {
    @Test(.holds("JOSE-22"), arguments: published)
    func `is read with the key it was encrypted to`(vector: PublishedJWE) throws {
        let (keys, secrets) = try vector.keys()
        let decrypted = try decrypt(vector.compact, keys, secrets: secrets)
        #expect(String(decoding: decrypted.plaintext, as: UTF8.self) == vector.plaintext)
        #expect(decrypted.algorithm == vector.algorithm)
        #expect(try readJSON(vector.header)["enc"]?.string == decrypted.encoding)
        #expect(try readJSON(vector.header)["cty"]?.string == decrypted.contentType)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-22"), arguments: published)
    func `is refused in one way, whatever part of it was touched`(vector: PublishedJWE) throws {
        let (keys, secrets) = try vector.keys()
        let segments = vector.compact.split(separator: ".", omittingEmptySubsequences: false)
        for segment in 1..<5 where !segments[segment].isEmpty {
            for position in [0, segments[segment].count / 2] {
                let token = touched(vector.compact, segment: segment, at: position)
                #expect(refusal(decrypting: token, keys, secrets: secrets) == .notDecrypted)
            }
        }
        // The header is authenticated as it was written: another spelling of the same members is another header.
        let spaced = replacingHeader(of: vector.compact, with: vector.header + " ")
        #expect(refusal(decrypting: spaced, keys, secrets: secrets) == .notDecrypted)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-22"), arguments: published)
    func `is refused at every length but the whole`(vector: PublishedJWE) throws {
        let (keys, secrets) = try vector.keys()
        // Each attempt with RSA costs a millisecond; those that cut the header cost nothing.
        let stride = vector.algorithm.hasPrefix("RSA") ? 37 : 7
        for count in Swift.stride(from: 0, to: vector.compact.utf8.count, by: stride) {
            let token = String(vector.compact.prefix(count))
            #expect(refusal(decrypting: token, keys, secrets: secrets) != nil)
        }
        #expect(refusal(decrypting: vector.compact + "A", keys, secrets: secrets) != nil)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-22"), arguments: published)
    func `is refused when no key is configured, or one for another algorithm or of another name`(
        vector: PublishedJWE
    ) throws {
        let (keys, secrets) = try vector.keys()
        #expect(refusal(decrypting: vector.compact, []) == .unknownKey)
        for name in ["RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"] {
            guard name != vector.algorithm, let key = keys.first,
                let other = try? DecryptionJWK(key.key, algorithm: name, keyID: key.keyID)
            else { continue }
            #expect(refusal(decrypting: vector.compact, [other]) == .unknownKey)
        }
        let members = vector.header.dropFirst().replacing("\"kid\"", with: "\"x\"")
        let named = replacingHeader(of: vector.compact, with: #"{"kid":"another","# + members)
        let keysOfOneName = try secrets.map { _ in
            try DecryptionSecret(Secret(RandomBytes.fill(32)), algorithm: "A256KW", keyID: "one")
        }
        #expect(refusal(decrypting: named, keys, secrets: keysOfOneName) == .unknownKey)
    }

    @Test func `is printed nowhere, nor are its keys`() throws {
        let secret = try DecryptionSecret(Secret(Array("sixteen letters!".utf8)), algorithm: "dir")
        let decrypted = try decrypt(encrypt("what nobody sees", with: secret, "A128GCM"), [], secrets: [secret])
        let key = try key(.p256)
        var dumped = ""
        dump((decrypted, secret), to: &dumped)
        for text in ["\(decrypted)", String(reflecting: decrypted), "\(secret)", dumped] {
            // As text, and as the bytes of a dump; an address may have the digits of one.
            let words = text.split { !$0.isLetter && !$0.isNumber }
            #expect(!text.contains("sees") && !words.contains("119") && !text.contains("letters"))
        }
        // Apart: a key's published half is bytes that chance chose, among them the one looked for above.
        dump(key, to: &dumped)
        #expect("\(decrypted)" == "[decrypted]")
        #expect(dumped.contains("[secret]") && dumped.contains("[private key]"))
    }

    @Test(.holds("JOSE-22"), .refuses("JOSE-22")) func `without a name is tried with each key, three at most`() throws {
        let right = try key(.p256, "ECDH-ES+A128KW")
        let token = try encrypt("text", to: JWK(material: right.published.material), "ECDH-ES+A128KW", "A128GCM")
        let others = try (0..<3).map { _ in try key(.p256, "ECDH-ES+A128KW") }
        #expect(try decrypt(token, [others[0], others[1], right]).plaintext == Array("text".utf8))
        #expect(refusal(decrypting: token, others) == .notDecrypted)
        #expect(refusal(decrypting: token, others + [right]) == .tooManyKeys)
    }

    @Test(.refuses("JOSE-22")) func `of RSA1_5, PBES2 or another algorithm is refused without a key operation`() throws
    {
        let frodo = Secret(Array(RFC7520DecryptionVectors.frodo.utf8))
        #expect(throws: SigningRefusal.algorithmMismatch) { try DecryptionJWK(pem: frodo, algorithm: "RSA1_5") }
        let key = try DecryptionJWK(pem: frodo, algorithm: "RSA-OAEP", keyID: "frodo.baggins@hobbiton.example")
        let tokens = [
            ("RSA1_5", RFC7520EncryptedVectors.rsa15.compact),
            ("PBES2-HS512+A256KW", RFC7520EncryptedVectors.pbes2.compact),
            ("A256GCMKW", RFC7520DecryptionVectors.wrapGCM),
        ]
        for (name, token) in tokens { #expect(refusal(decrypting: token, [key]) == .algorithmNotAllowed(name)) }
        for name in [
            "none", "RSA1_5", "rsa-oaep", "RSA-OAEP-384", "RSA-OAEP-512", "A192KW", "A128GCMKW", "ECDH-ES+A192KW",
            "PBES2-HS256+A128KW", "ECDH-1PU", "", "dir ",
        ] {
            let header = #"{"alg":"\#(name)","enc":"A128GCM"}"#
            #expect(
                refusal(decrypting: base64URL(header) + ".AAAA.AAAA.AAAA.AAAA", [key]) == .algorithmNotAllowed(name))
        }
    }

    @Test(.refuses("JOSE-22"), arguments: ["A192GCM", "A192CBC-HS384", "A128CBC", "XC20P", "none", "a128gcm", ""])
    func `of another content encryption is refused`(encoding: String) throws {
        let header = #"{"alg":"RSA-OAEP-256","enc":"\#(encoding)"}"#
        let token = replacingHeader(of: OtherJWEVectors.rsaOAEP256.compact, with: header)
        #expect(refusal(decrypting: token, try OtherJWEVectors.rsaOAEP256.keys().keys) == .encodingNotAllowed(encoding))
    }

    @Test(.refuses("JOSE-22")) func `whose key is not as long as the encoding's is refused as everything else`() throws
    {
        let secret = try DecryptionSecret(Secret(RandomBytes.fill(16)), algorithm: "A128KW")
        let text = try encrypt("text", with: secret, "A128GCM")
        #expect(refusal(decrypting: text, [], secrets: [secret]) == nil)
        let longer = replacingHeader(of: text, with: #"{"alg":"A128KW","enc":"A256GCM"}"#)
        #expect(refusal(decrypting: longer, [], secrets: [secret]) == .notDecrypted)
    }

    @Test(.refuses("JOSE-22")) func `has an encrypted key exactly where its algorithm sends one`() throws {
        let (_, secrets) = try OtherJWEVectors.direct.keys()
        var segments = OtherJWEVectors.direct.compact.split(separator: ".", omittingEmptySubsequences: false)
        segments[1] = "AAAA"
        #expect(
            refusal(decrypting: segments.joined(separator: "."), [], secrets: secrets) == .encryptedKeyInvalid)
        var others = OtherJWEVectors.rsaOAEP256.compact.split(separator: ".", omittingEmptySubsequences: false)
        others[1] = ""
        let keys = try OtherJWEVectors.rsaOAEP256.keys().keys
        #expect(refusal(decrypting: others.joined(separator: "."), keys) == .encryptedKeyInvalid)
    }

    // A public key is known to everybody: as a secret it would let anybody write what looks encrypted by a friend.
    @Test(.refuses("JOSE-22")) func `is never read with a public key's bytes as a secret`() throws {
        let right = try key(.p256)
        guard case .ellipticCurve(_, let x, _) = right.published.material else { return }
        let forged = try encrypt("text", with: DecryptionSecret(Secret(x), algorithm: "dir"), "A256GCM")
        #expect(refusal(decrypting: forged, [right]) == .unknownKey)
        #expect(throws: SigningRefusal.algorithmMismatch) { try DecryptionJWK(right.key, algorithm: "dir") }
        #expect(throws: SigningRefusal.algorithmMismatch) { try DecryptionSecret(Secret(x), algorithm: "ECDH-ES") }
        #expect(throws: SigningRefusal.algorithmMismatch) { try DecryptionSecret(Secret(x), algorithm: "A128KW") }
    }

    @Test(.refuses("JOSE-23")) func `that is compressed is refused, and never inflated`() throws {
        let (_, secrets) = try RFC7520DecryptionVectors.wrap.keys()
        #expect(refusal(decrypting: RFC7520EncryptedVectors.compressed.compact, [], secrets: secrets) == .compressed)
        for value in [#""DEF""#, #""none""#, "null", "1"] {
            let header = #"{"alg":"A128KW","enc":"A128GCM","zip":\#(value)}"#
            let token = replacingHeader(of: RFC7520DecryptionVectors.wrap.compact, with: header)
            #expect(refusal(decrypting: token, [], secrets: secrets) == .compressed)
        }
    }

    @Test(.refuses("JOSE-23")) func `that wants two billion rounds is refused at once`() throws {
        let (_, secrets) = try RFC7520DecryptionVectors.wrap.keys()
        let header = #"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":2147483648,"p2s":"AAAAAAAAAAAAAAAA"}"#
        let token = replacingHeader(of: RFC7520DecryptionVectors.wrap.compact, with: header)
        let clock = ContinuousClock()
        let time = clock.measure {
            for _ in 0..<100 {
                #expect(
                    refusal(decrypting: token, [], secrets: secrets) == .algorithmNotAllowed("PBES2-HS256+A128KW"))
            }
        }
        // Of two billion rounds each, they would take hours.
        #expect(time < .seconds(300))
        // Beside an algorithm that has none, it is a word like any other.
        let secret = try DecryptionSecret(Secret(RandomBytes.fill(16)), algorithm: "dir")
        let sealed = try encrypt("text", with: secret, "A128GCM")
        let text = replacingHeader(of: sealed, with: #"{"alg":"dir","enc":"A128GCM","p2c":2147483648}"#)
        #expect(refusal(decrypting: text, [], secrets: [secret]) == .notDecrypted)
    }

    @Test(.holds("JOSE-25"), .refuses("JOSE-25"), arguments: PrivateKey.Generated.allCases.filter { $0 != .ed25519 })
    func `agrees on a key with an ephemeral key of the same curve`(kind: PrivateKey.Generated) throws {
        let right = try key(kind)
        let token = try encrypt("text", to: right.published, "ECDH-ES", "A256GCM")
        #expect(try decrypt(token, [right]).plaintext == Array("text".utf8))
        #expect(refusal(decrypting: token, [try key(kind)]) == .unknownKey)
    }

    @Test(.refuses("JOSE-25")) func `whose ephemeral key is off its curve, or of another one, is refused`() throws {
        let right = try key(.p256), other = try key(.p384)
        guard case .ellipticCurve(_, let x, let y) = right.published.material,
            case .ellipticCurve(_, let longX, let longY) = other.published.material
        else { return }
        func text(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes.span) }
        let off = Array(y.dropLast()) + [y[31] ^ 1]
        let zero = [UInt8](repeating: 0, count: 32)
        let point = #""crv":"P-256","x":"\#(text(x))""#
        let keys = [
            #"{"kty":"EC",\#(point),"y":"\#(text(off))"}"#,
            #"{"kty":"EC","crv":"P-256","x":"\#(text(zero))","y":"\#(text(zero))"}"#,
            #"{"kty":"EC",\#(point),"y":"\#(text([0] + y))"}"#,
            #"{"kty":"EC",\#(point),"y":"\#(text(Array(y.dropFirst())))"}"#,
            #"{"kty":"EC",\#(point)}"#,
            #"{"kty":"EC",\#(point),"y":1}"#,
            #"{"kty":"EC",\#(point),"y":"\#(text(y))","d":"AAAA"}"#,
            #"{"kty":"EC","crv":"P-384","x":"\#(text(longX))","y":"\#(text(longY))"}"#,
            #"{"kty":"EC","crv":"secp256k1","x":"\#(text(x))","y":"\#(text(y))"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"\#(text(x))"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"\#(text(x))"}"#,
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"{"kty":"oct","k":"AAAA"}"#, "{}", "[]", "null", #""text""#,
        ]
        for epk in keys {
            let token = base64URL(agreeing(epk: epk)) + "..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
            #expect(refusal(decrypting: token, [right]) == .ephemeralKeyInvalid, "\(epk)")
        }
        let absent = base64URL(#"{"alg":"ECDH-ES","enc":"A128GCM"}"#) + "..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
        #expect(refusal(decrypting: absent, [right]) == .ephemeralKeyInvalid)
        #expect(OpenSSLErrors.isEmpty)
    }

    // RFC 7748 §6.1: with such a point everybody would know the key.
    @Test(
        .refuses("JOSE-25"),
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func `whose X25519 point has a small order is refused`(point: String) throws {
        let digits = Array(point)
        let bytes = stride(from: 0, to: 64, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
        let epk = #"{"kty":"OKP","crv":"X25519","x":"\#(Base64URL.encode(bytes.span))"}"#
        let token = base64URL(agreeing(epk: epk)) + "..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
        #expect(refusal(decrypting: token, [try key(.x25519)]) == .ephemeralKeyInvalid)
        #expect(OpenSSLErrors.isEmpty)
    }
}
