import Crypto
import JOSE
import JSON
import Refusals
import TestSupport
import TestTraits
import Testing

@testable import OAuth

private let clients: [(SigningKey, SignatureAlgorithm)] = [
    (.p256, .es256), (.rsa, .ps256), (.ed25519, .edDSA), (.p384, .es384), (.p521, .es512), (.rsa, .rs256),
]

@Suite struct `a DPoP proof` {
    @Test(.holds("DPOP-01"), arguments: clients)
    func `is accepted for its request, token and key`(key: SigningKey, algorithm: SignatureAlgorithm) throws {
        let mint = ProofMint(key: key, algorithm: algorithm)
        var asked = Asked(thumbprint: mint.thumbprint)
        asked.rules.algorithms = [algorithm]
        for round in 0..<3 {
            let proof = try asked.prove(mint.proof(id: "\(round)"))
            #expect(proof.thumbprint.base64URL == mint.thumbprint && proof.issuedAt == now)
        }
        #expect(asked.keys.hits == 2 && asked.keys.misses == 1 && asked.keys.count == 1)
    }

    @Test(
        .refuses("DPOP-01"),
        arguments: [
            ("", JOSERefusal.notCompact), ("a", .notCompact), ("a.b", .notCompact), ("a.b.c.d", .notCompact),
            ("a.b.c.d.e", .encrypted), ("..", .headerNotJSON(.unexpectedEnd)),
        ])
    func `what is no JWT is refused`(text: String, cause: JOSERefusal) {
        #expect(Asked().refusal(text) == .malformed(cause))
    }

    @Test(.refuses("DPOP-01")) func `two proofs joined by a comma are none`() {
        let mint = ProofMint()
        #expect(Asked().refusal(mint.proof() + "," + mint.proof()) == .malformed(.encrypted))
        #expect(Asked().refusal(mint.proof() + ",") == .malformed(.notBase64URL))
        #expect(Asked().refusal(" " + mint.proof()) == .malformed(.notBase64URL))
        #expect(Asked().refusal(mint.proof() + "=") == .malformed(.notBase64URL))
    }

    @Test(.holds("DPOP-01"), .refuses("DPOP-01")) func `a proof that is too long is not decoded`() {
        var asked = Asked()
        let proof = ProofMint().proof()
        asked.rules.maximumBytes = proof.utf8.count
        #expect(asked.refusal(proof) == nil)
        asked.rules.maximumBytes -= 1
        #expect(asked.refusal(proof) == .tooLarge)
        let long = ProofMint().proof(claims: ["x": "\"\(String(repeating: "x", count: 6500))\""])
        #expect(long.utf8.count > 8192 && Asked().refusal(long) == .tooLarge)
    }

    @Test(
        .refuses("DPOP-02"),
        arguments: [
            "\"JWT\"", "\"jwt\"", "\"at+jwt\"", "\"dpop\"", "\"dpop+jwt \"", "\"\"", "\"application/jwt\"", nil,
            "\"dpop+jwt+x\"",
        ])
    func `another type is refused`(type: String?) {
        #expect(refusal(header: ["typ": type]) == .typeNotAccepted(type.map { String($0.dropFirst().dropLast()) }))
    }

    @Test(
        .holds("DPOP-02"), .refuses("DPOP-02"), arguments: ["\"dpop+jwt\"", "\"DPoP+JWT\"", "\"application/dpop+jwt\""])
    func `its type is a media type`(type: String) {
        #expect(refusal(header: ["typ": type]) == nil)
        for type in ["1", "null", "[\"dpop+jwt\"]"] {
            #expect(refusal(header: ["typ": type]) == .malformed(.typeInvalid))
        }
    }

    @Test(
        .refuses("DPOP-03"),
        arguments: ["none", "NONE", "HS256", "HS512", "es256", "ES256K", "RS256", "ES384", "", "RSA-OAEP"])
    func `an algorithm that is not on the list is refused`(name: String) {
        #expect(refusal(header: ["alg": "\"\(name)\""]) == .algorithmNotAllowed(name))
    }

    @Test(.refuses("DPOP-03")) func `an HMAC with the key as its secret is refused`() {
        let mint = ProofMint()
        let header = mint.headerText(["alg": "\"HS256\"", "jwk": #"{"kty":"oct","k":"c2VjcmV0"}"#])
        let proof = TokenMint.authenticate(
            header: header, claims: mint.claimsText(), secret: Array("secret".utf8), hash: .sha256)
        #expect(Asked().refusal(proof) == .algorithmNotAllowed("HS256"))
        let unsigned = TokenMint.signingInput(
            header: mint.headerText(["alg": "\"none\""]), payload: Array(mint.claimsText().utf8))
        #expect(Asked().refusal(unsigned + ".") == .algorithmNotAllowed("none"))
    }

    @Test(.refuses("DPOP-03")) func `the list is the route's, for keys seen before too`() {
        let mint = ProofMint()
        var asked = Asked()
        #expect(asked.refusal(mint.proof()) == nil && asked.keys.count == 1)
        asked.rules.algorithms = [.edDSA, .ps256]
        #expect(asked.refusal(mint.proof()) == .algorithmNotAllowed("ES256"))
        asked.rules.algorithms = []
        #expect(asked.refusal(mint.proof()) == .algorithmNotAllowed("ES256"))
        for alg in [nil, "1", "null"] {
            #expect(refusal(header: ["alg": alg]) == .malformed(.algorithmInvalid))
        }
    }

    @Test(.refuses("DPOP-04"), arguments: [nil, "null", "1", "[]", "\"x\"", "[{}]"])
    func `a proof without a key is refused`(jwk: String?) {
        #expect(refusal(header: ["jwk": jwk]) == .keyMissing)
    }

    @Test(.refuses("DPOP-04"), arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `a key with private members is refused`(member: String) {
        let key = SigningKey.p256.publicJWK([member: "\"AQAB\""])
        #expect(refusal(header: ["jwk": key]) == .keyNotPublic)
    }

    @Test(.refuses("DPOP-04")) func `a secret and a key of another kind are refused`() {
        #expect(refusal(header: ["jwk": #"{"kty":"oct"}"#]) == .keyNotPublic)
        #expect(refusal(header: ["jwk": "{}"]) == .keyInvalid(.keyTypeUnknown))
        for other in [SigningKey.rsa, .ed25519, .p384] {
            #expect(refusal(header: ["jwk": other.publicJWK()]) == .keyInvalid(.algorithmMismatch))
        }
        let restricted = SigningKey.p256.publicJWK(["use": "\"enc\""])
        #expect(refusal(header: ["jwk": restricted]) == .keyInvalid(.notForSignatures))
        let extended = SigningKey.p256.publicJWK(["use": "\"sig\"", "alg": "\"ES256\"", "x5c": "[]"])
        #expect(refusal(header: ["jwk": extended]) == nil)
    }

    @Test(.refuses("DPOP-04")) func `a weak key or one in a second spelling is refused`() throws {
        let weak = ProofMint(key: .weakRSA, algorithm: .ps256)
        #expect(
            Asked(thumbprint: weak.thumbprint).refusal(weak.proof())
                == .keyInvalid(.material(.modulusLength(bits: 1024))))
        let members = Dictionary(
            uniqueKeysWithValues: SigningKey.p256.publicMembers.map { ($0.name, $0.value) })
        let x = try #require(members["x"]), y = try #require(members["y"])
        #expect(
            refusal(header: ["jwk": SigningKey.p256.publicJWK(["x": "\"AA\(x)\""])]) == .keyInvalid(.memberInvalid("x"))
        )
        #expect(
            refusal(header: ["jwk": SigningKey.p256.publicJWK(["x": "\"AAAA\(x)\""])])
                == .keyInvalid(.material(.coordinateLength)))
        #expect(
            refusal(header: ["jwk": SigningKey.p256.publicJWK(["x": "\"\(y)\"", "y": "\"\(x)\""])])
                == .keyInvalid(.material(.pointNotOnCurve)))
        let modulus = try #require(SigningKey.rsa.publicMembers.first { $0.name == "n" }?.value)
        let padded = ProofMint(key: .rsa, algorithm: .ps256)
            .proof(header: ["jwk": SigningKey.rsa.publicJWK(["n": "\"AAAA\(modulus)\""])])
        #expect(Asked().refusal(padded) == .keyInvalid(.material(.numberNotMinimal)))
    }

    @Test(
        .refuses("DPOP-04"),
        arguments: [
            ("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", CryptoRefusal.pointOfSmallOrder),
            ("7P_______________________________________38", .pointOfSmallOrder),
            ("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA", .pointOfSmallOrder),
            ("7v_______________________________________38", .pointNotCanonical),
        ])
    func `an Ed25519 key that anybody can sign for is refused`(x: String, refusal: CryptoRefusal) {
        let mint = ProofMint(key: .ed25519, algorithm: .edDSA)
        let proof = mint.proof(header: ["jwk": SigningKey.ed25519.publicJWK(["x": "\"\(x)\""])])
        #expect(Asked(thumbprint: mint.thumbprint).refusal(proof) == .keyInvalid(.material(refusal)))
    }

    @Test(.refuses("DPOP-05")) func `a signature by another key, or none, is refused`() {
        let mint = ProofMint()
        let other = ProofMint(key: .otherP256)
        let swapped = TokenMint.sign(
            header: mint.headerText(), claims: mint.claimsText(), key: .otherP256, algorithm: .es256)
        var asked = Asked()
        // For a key never seen, for one that is known, and for one that is known in another header.
        for _ in 0..<2 {
            #expect(asked.refusal(swapped) == .signatureInvalid)
            #expect(refusal(header: ["jwk": SigningKey.otherP256.publicJWK()], asked: asked) == .signatureInvalid)
            let parts = mint.proof().split(separator: ".")
            #expect(asked.refusal("\(parts[0]).\(parts[1]).") == .signatureInvalid)
            #expect(asked.refusal(mint.proof()) == nil)
        }
        asked.thumbprint = other.thumbprint
        #expect(asked.refusal(other.proof()) == nil)
    }

    @Test(.refuses("DPOP-06"), arguments: ["jti", "htm", "htu", "iat", "ath"])
    func `every claim must be there`(claim: String) {
        #expect(refusal(claims: [claim: nil]) == .claim(.missing(claim)))
        for value in ["null", "true", "[]", "{}"] {
            #expect(refusal(claims: [claim: value]) == .claim(.malformed(claim)))
        }
        #expect(refusal(claims: [claim: claim == "iat" ? "\"\(now)\"" : "1"]) == .claim(.malformed(claim)))
        if claim != "iat" { #expect(refusal(claims: [claim: "\"\""]) == .claim(.malformed(claim))) }
    }

    @Test(.holds("DPOP-06"), .refuses("DPOP-06"))
    func `other claims are nobody's business, but every nonce is a string`() {
        #expect(refusal(claims: ["sub": "1", "exp": "1", "nbf": "9999999999", "aud": "null"]) == nil)
        for value in ["1", "null", "\"\""] { #expect(refusal(claims: ["nonce": value]) == .claim(.malformed("nonce"))) }
        #expect(refusal(claims: ["nonce": "\"x\""]) == nil)
        #expect(refusal(claims: ["jti\":\"x\",\"jti": "\"x\""]) == .malformed(.claimsNotJSON(.duplicateMember)))
    }

    @Test(.refuses("DPOP-07"), arguments: ["get", "Get", "HEAD", "POST", "GET ", " GET", "GETS", "GE"])
    func `a proof for another method is refused`(method: String) {
        #expect(refusal(claims: ["htm": "\"\(method)\""]) == .methodMismatch)
        #expect(Asked(method: method).refusal(ProofMint().proof()) == .methodMismatch)
        #expect(Asked(method: method).refusal(ProofMint(method: method).proof()) == nil)
    }

    @Test(.holds("DPOP-26"), arguments: ["kid", "jku", "x5u", "x5c", "x5t", "x5t#S256", "cty", "unheard"])
    func `other header parameters are ignored`(name: String) {
        let value = name == "x5c" ? "[\"AQAB\"]" : "\"https://attacker.example/key\""
        #expect(refusal(header: [name: value]) == nil)
    }

    @Test(.refuses("DPOP-26"), arguments: ["[\"unheard\"]", "[]", "[\"exp\"]", "null", "[\"alg\"]"])
    func `a critical parameter is refused`(critical: String) {
        let refusal = refusal(header: ["crit": critical, "unheard": "1"])
        #expect(refusal == .malformed(critical.contains("unheard") ? .criticalNotUnderstood : .criticalInvalid))
        #expect(refusal?.check == "JOSE-12")
    }
}

@Suite struct `the time of a proof` {
    @Test(.holds("DPOP-10"), arguments: [0, 1, 59, 60, -1, -9, -10] as [Int64])
    func `a proof within the window is accepted`(age: Int64) {
        #expect(refusal(claims: ["iat": "\(now - age)"]) == nil)
    }

    @Test(
        .refuses("DPOP-10"),
        arguments: [
            (61, .claim(.issuedTooEarly(secondsAgo: 61))), (3600, .claim(.issuedTooEarly(secondsAgo: 3600))),
            (-11, .claim(.issuedInFuture(secondsLeft: 11))), (now, .claim(.issuedTooEarly(secondsAgo: now))),
        ] as [(Int64, DPoPRefusal)])
    func `a proof outside the window is refused`(age: Int64, refusal: DPoPRefusal) {
        #expect(OAuthTests.refusal(claims: ["iat": "\(now - age)"]) == refusal)
        var asked = Asked()
        asked.checksTime = false
        #expect(OAuthTests.refusal(claims: ["iat": "\(now - age)"], asked: asked) == nil)
    }

    @Test(.holds("DPOP-10"), .refuses("DPOP-10")) func `a fraction counts to the strict side`() {
        #expect(refusal(claims: ["iat": "\(now - 60).5"]) == nil)
        #expect(refusal(claims: ["iat": "\(now - 61).5"]) == .claim(.issuedTooEarly(secondsAgo: 61)))
        #expect(refusal(claims: ["iat": "\(now + 9).5"]) == nil)
        #expect(refusal(claims: ["iat": "\(now + 10).5"]) == .claim(.issuedInFuture(secondsLeft: 11)))
    }

    @Test(.refuses("DPOP-10"), arguments: ["9007199254740994", "1e400", "-1", "1e300"])
    func `a number that is no time is refused, with a nonce too`(value: String) {
        var asked = Asked()
        #expect(refusal(claims: ["iat": value], asked: asked) == .claim(.malformed("iat")))
        asked.checksTime = false
        #expect(refusal(claims: ["iat": value], asked: asked) == .claim(.malformed("iat")))
        #expect(
            refusal(claims: ["iat": "9007199254740992"])
                == .claim(.issuedInFuture(secondsLeft: 9_007_199_254_740_992 - now)))
    }

    @Test(.holds("DPOP-10"), .refuses("DPOP-10")) func `the window is the rules'`() {
        var asked = Asked()
        asked.rules.pastSeconds = 5
        asked.rules.futureSeconds = 0
        #expect(refusal(claims: ["iat": "\(now - 5)"], asked: asked) == nil)
        #expect(refusal(claims: ["iat": "\(now - 6)"], asked: asked) == .claim(.issuedTooEarly(secondsAgo: 6)))
        #expect(refusal(claims: ["iat": "\(now + 1)"], asked: asked) == .claim(.issuedInFuture(secondsLeft: 1)))
    }
}

@Suite struct `what a proof is bound to` {
    @Test(.refuses("DPOP-18")) func `a proof for another token is refused`() {
        #expect(Asked(token: "other").refusal(ProofMint().proof()) == .tokenHashMismatch)
        #expect(Asked(token: "other").refusal(ProofMint(token: "other").proof()) == nil)
    }

    @Test(.refuses("DPOP-18")) func `the digest has one spelling`() {
        let right = digest("token").base64URL
        for wrong in [
            right + "=", right.lowercased(), String(right.dropLast()), right + "A", "x",
            right.replacing("_", with: "/"),
            digest("token").bytes.map { String($0, radix: 16) }.joined(),
        ] where wrong != right {
            #expect(refusal(claims: ["ath": "\"\(wrong)\""]) == .tokenHashMismatch)
        }
    }

    @Test(.refuses("DPOP-19")) func `a good proof of another key than the token's is refused`() {
        let other = ProofMint(key: .otherP256)
        #expect(Asked().refusal(other.proof()) == .keyMismatch)
        #expect(Asked(thumbprint: other.thumbprint).refusal(other.proof()) == nil)
        #expect(Asked(thumbprint: other.thumbprint).refusal(ProofMint().proof()) == .keyMismatch)
    }

    @Test(.holds("DPOP-15")) func `each key and id is seen as one, whatever else the proof says`() throws {
        let asked = Asked()
        let first = try asked.prove(ProofMint().proof(id: "a"))
        #expect(try asked.prove(ProofMint().proof(id: "a")).replayKey == first.replayKey)
        #expect(try asked.prove(ProofMint().proof(id: "a", claims: ["x": "1"])).replayKey == first.replayKey)
        #expect(try asked.prove(ProofMint().proof(id: "a", header: ["kid": "\"x\""])).replayKey == first.replayKey)
        #expect(try asked.prove(ProofMint().proof(id: #"\u0061"#)).replayKey == first.replayKey)
        let later = ProofMint(now: now + 1)
        #expect(try asked.prove(later.proof(id: "a")).replayKey == first.replayKey)
    }

    @Test(.holds("DPOP-15")) func `another id or another key is another proof`() throws {
        let asked = Asked()
        let first = try asked.prove(ProofMint().proof(id: "a"))
        for id in ["b", "A", "a ", "aa", #"a\u0000"#, #"\u0000a"#, "é", #"e\u0301"#] {
            #expect(try asked.prove(ProofMint().proof(id: id)).replayKey != first.replayKey)
        }
        let other = ProofMint(key: .otherP256)
        let same = try Asked(thumbprint: other.thumbprint).prove(other.proof(id: "a"))
        #expect(same.replayKey != first.replayKey && same.thumbprint != first.thumbprint)
    }

    @Test(.holds("DPOP-16")) func `an id of 256 bytes is good, however they are spelt`() {
        #expect(Asked().refusal(ProofMint().proof(id: String(repeating: "x", count: 256))) == nil)
        #expect(Asked().refusal(ProofMint().proof(id: String(repeating: "é", count: 128))) == nil)
        #expect(Asked().refusal(ProofMint().proof(id: String(repeating: #"\u0061"#, count: 256))) == nil)
    }

    @Test(.refuses("DPOP-16")) func `a longer id is refused`() {
        #expect(Asked().refusal(ProofMint().proof(id: String(repeating: "x", count: 257))) == .idTooLong)
        // Counted in bytes after unescaping.
        #expect(Asked().refusal(ProofMint().proof(id: String(repeating: "é", count: 129))) == .idTooLong)
        #expect(Asked().refusal(ProofMint().proof(id: String(repeating: #"\u00e9"#, count: 129))) == .idTooLong)
        var asked = Asked()
        asked.rules.maximumIDBytes = 16
        #expect(asked.refusal(ProofMint().proof(id: String(repeating: "x", count: 17))) == .idTooLong)
        #expect(Asked().refusal(ProofMint().proof(id: String(repeating: "x", count: 10_240))) == .tooLarge)
    }
}
