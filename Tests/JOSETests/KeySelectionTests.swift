import Crypto
import JOSE
import JSON
import Synchronization
import TestSupport
import TestTraits
import Testing

private let every: [(SigningKey, SignatureAlgorithm)] =
    [(.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA)]
    + [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].map { (.rsa, $0) }

private func named(_ key: SigningKey, _ keyID: String?) -> SigningKey { SigningKey(renaming: key, keyID: keyID) }

@Suite struct `finding the key` {
    @Test(.holds("JOSE-05", "JOSE-06", "JOSE-08", "JOSE-10"), arguments: every)
    func `a token by every algorithm is verified by its kid`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) throws {
        let token = TokenMint(key: key, algorithm: algorithm).accessToken()
        let set = try readKeySet(SigningKey.keySet([.rsa, .p256, .p384, .p521, .ed25519]))
        let used = try VerificationKeys(set).verify(try readJWS(token), algorithms: SignatureAlgorithm.allCases)
        #expect(used.keyID == key.keyID)
    }

    @Test func `a busy P-256 key asks for its multiples where it was given tables`() throws {
        let works = Mutex(0)
        let tables = PointTables(limit: 4) { _ in
            works.withLock { $0 += 1 }
            return true
        }
        let set = try readKeySet(SigningKey.keySet([.p256, .p384]))
        let jws = try readJWS(TokenMint(key: .p256, algorithm: .es256).accessToken())
        let keys = VerificationKeys(set, tables: tables)
        for _ in 0..<2000 { _ = try keys.verify(jws, algorithms: [.es256]) }
        #expect(works.withLock(\.self) == 1)
    }

    @Test(.holds("JOSE-09")) func `the name Ed25519 is verified like EdDSA`() {
        let mint = TokenMint(key: .ed25519)
        let token = mint.accessToken(header: ["alg": #""Ed25519""#])
        #expect(refusal(of: token, keys: [SigningKey.ed25519.publicJWK()]) == nil)
        #expect(refusal(of: token, keys: [SigningKey.ed25519.publicJWK(["alg": #""EdDSA""#])]) == nil)
    }

    @Test(.refuses("JOSE-06"), arguments: every)
    func `a header that names another algorithm than the key's is refused`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) {
        for other in SignatureAlgorithm.allCases where other != algorithm {
            let token = TokenMint(key: key, algorithm: algorithm).accessToken(header: ["alg": "\"\(other.name)\""])
            let found = refusal(of: token, keys: [key.publicJWK()])
            let isSameKind = other.keyKind == algorithm.keyKind
            #expect(found == (isSameKind ? .signatureInvalid : .unknownKey))
        }
    }

    @Test(.refuses("JOSE-06"), arguments: [SignatureAlgorithm.rs384, .rs512, .ps256])
    func `a key restricted to one algorithm refuses the others`(algorithm: SignatureAlgorithm) {
        let restricted = SigningKey.rsa.publicJWK(["alg": #""RS256""#])
        let token = TokenMint(key: .rsa, algorithm: algorithm).accessToken()
        #expect(refusal(of: token, keys: [restricted]) == .unknownKey)
        #expect(refusal(of: TokenMint(key: .rsa).accessToken(), keys: [restricted]) == nil)
    }

    @Test(.refuses("JOSE-06"), arguments: [HashFunction.sha256, .sha384, .sha512])
    func `a code made with the public key's bytes is refused`(hash: HashFunction) {
        for key in [SigningKey.rsa, .p256, .ed25519] {
            let name = ["HS256", "HS384", "HS512"][Int(hash.rawValue)]
            for alg in [name, key.algorithm.name] {
                let header = #"{"alg":"\#(alg)","kid":"\#(key.keyID ?? "")"}"#
                let secret = Array(key.publicJWK().utf8)
                let token = TokenMint.authenticate(header: header, claims: "{}", secret: secret, hash: hash)
                #expect(
                    refusal(of: token, keys: [key.publicJWK()])
                        == (alg == name ? .algorithmNotAllowed : .signatureInvalid))
            }
        }
    }

    @Test(.holds("JOSE-13"), .refuses("JOSE-13")) func `a key that the token brings is never used`() {
        let attacker = SigningKey.otherP256
        let mint = TokenMint(key: attacker)
        let ours = SigningKey.p256.publicJWK()
        for (name, value) in [
            ("jwk", attacker.publicJWK()), ("jku", #""https://attacker.example/keys""#), ("x5c", #"["MIIB"]"#),
            ("x5u", #""https://attacker.example/x""#), ("x5t", #""AAAA""#), ("x5t#S256", #""AAAA""#),
        ] {
            #expect(
                refusal(of: mint.accessToken(header: [name: value, "kid": nil]), keys: [ours]) == .signatureInvalid)
            let known = mint.accessToken(header: [name: value, "kid": #""p256-1""#])
            #expect(refusal(of: known, keys: [ours]) == .signatureInvalid)
            let honest = TokenMint(key: .p256).accessToken(header: [name: value])
            #expect(refusal(of: honest, keys: [ours]) == nil)
        }
    }

    @Test(.holds("JOSE-15"), .refuses("JOSE-15")) func `a token without kid is tried with at most three keys that fit`()
    {
        let key = named(.p256, nil)
        let token = TokenMint(key: key).accessToken()
        let p256 = { (count: Int) in (0..<count).map { _ in SigningKey(.p256).publicJWK() } }
        let others = [SigningKey.rsa, .p384, .p521, .ed25519].map { $0.publicJWK() }
        #expect(refusal(of: token, keys: [key.publicJWK()]) == nil)
        #expect(refusal(of: token, keys: others + p256(2) + [key.publicJWK()]) == nil)
        #expect(refusal(of: token, keys: others + p256(3)) == .signatureInvalid)
        #expect(refusal(of: token, keys: [key.publicJWK()] + p256(3)) == .tooManyKeys)
        #expect(refusal(of: token, keys: others) == .unknownKey)
        #expect(refusal(of: token, keys: []) == .unknownKey)
    }

    @Test(.holds("JOSE-15")) func `keys restricted to another algorithm are no candidates`() {
        let key = named(.rsa, nil)
        let token = TokenMint(key: key, algorithm: .ps256).accessToken()
        let restricted = (0..<4).map { _ in key.publicJWK(["alg": #""RS256""#]) }
        #expect(refusal(of: token, keys: restricted + [key.publicJWK()]) == nil)
    }

    @Test(.holds("JOSE-16"), .refuses("JOSE-16"))
    func `keys that share a kid are told apart by their type, curve and algorithm`() {
        let keys = [SigningKey.rsa, .p256, .p384, .p521, .ed25519].map { named($0, "1") }
        for key in keys {
            #expect(refusal(of: TokenMint(key: key).accessToken(), keys: keys.map { $0.publicJWK() }) == nil)
        }
        let byAlgorithm = [
            named(.rsa, "1").publicJWK(["alg": #""RS256""#]), named(.otherRSA, "1").publicJWK(["alg": #""PS256""#]),
        ]
        #expect(
            refusal(of: TokenMint(key: named(.otherRSA, "1"), algorithm: .ps256).accessToken(), keys: byAlgorithm)
                == nil)
        #expect(
            refusal(of: TokenMint(key: named(.otherRSA, "1"), algorithm: .rs256).accessToken(), keys: byAlgorithm)
                == .signatureInvalid)
    }

    @Test(.refuses("JOSE-16")) func `a third key with the same kid is refused`() {
        let keys = [named(.rsa, "1"), named(.p256, "1")].map { $0.publicJWK() }
        #expect(refusal(of: TokenMint(key: named(.otherP256, "1")).accessToken(), keys: keys) == .signatureInvalid)
        #expect(refusal(of: TokenMint(key: named(.p384, "1")).accessToken(), keys: keys) == .unknownKey)
    }

    @Test(.refuses("JOSE-17")) func `a kid that no key has is unknown, though a key would fit`() {
        let token = TokenMint(key: named(.p256, "new")).accessToken()
        #expect(refusal(of: token, keys: [SigningKey.p256.publicJWK()]) == .unknownKey)
        #expect(refusal(of: token, keys: [named(.p256, nil).publicJWK()]) == .unknownKey)
    }

    @Test(.holds("JOSE-17"), .refuses("JOSE-17")) func `a kid is compared by its bytes`() {
        let composed = named(.p256, "caf\u{E9}"), decomposed = named(.p256, "cafe\u{301}")
        #expect(refusal(of: TokenMint(key: decomposed).accessToken(), keys: [composed.publicJWK()]) == .unknownKey)
        #expect(refusal(of: TokenMint(key: composed).accessToken(), keys: [composed.publicJWK()]) == nil)
        #expect(
            refusal(of: TokenMint(key: named(.p256, "P256-1")).accessToken(), keys: [SigningKey.p256.publicJWK()])
                == .unknownKey)
    }

    @Test(.refuses("JOSE-21")) func `another issuer's key with the same kid is refused`() {
        let ours = named(.p256, "1"), theirs = named(.otherP256, "1")
        let token = TokenMint(key: theirs).accessToken()
        #expect(refusal(of: token, keys: [ours.publicJWK()]) == .signatureInvalid)
        #expect(refusal(of: token, keys: [theirs.publicJWK()]) == nil)
    }

    @Test func `a token with any character changed is refused`() throws {
        let token = TokenMint().accessToken()
        let keys = VerificationKeys(try readKeySet(SigningKey.keySet([.p256])))
        let letters = Array(token.utf8)
        for index in letters.indices {
            var changed = letters
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: JOSERefusal.self) {
                let jws = try CompactJWS.parse(changed.span, maximumBytes: 16_384)
                _ = try keys.verify(jws, algorithms: SignatureAlgorithm.allCases)
            }
        }
        for count in letters.indices {
            let cut = Array(letters[..<count])
            #expect(throws: JOSERefusal.self) {
                let jws = try CompactJWS.parse(cut.span, maximumBytes: 16_384)
                _ = try keys.verify(jws, algorithms: SignatureAlgorithm.allCases)
            }
        }
        _ = try keys.verify(try readJWS(token), algorithms: [.es256])
        #expect(OpenSSLErrors.isEmpty)
    }
}
