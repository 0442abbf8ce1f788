import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `the order in which a proof is checked` {
    @Test(.refuses("DPOP-01")) func `the first failure wins`() {
        let asked = Asked()
        let mint = ProofMint(key: .otherP256)
        // Wrong in everything; each line mends what the line before was refused for.
        var claims: [String: String?] = [
            "jti": nil, "htm": "\"POST\"", "htu": "\"https://other.example/\"", "iat": "1", "ath": "\"x\"",
        ]
        var header: [String: String?] = ["typ": "\"JWT\"", "alg": "\"none\"", "jwk": "{}"]
        func forged() -> String {
            TokenMint.sign(
                header: mint.headerText(header), claims: mint.claimsText(claims), key: .p256, algorithm: .es256)
        }
        #expect(asked.refusal(forged() + "=") == .malformed(.notBase64URL))
        #expect(asked.refusal(forged()) == .typeNotAccepted("JWT"))
        header["typ"] = .none
        #expect(asked.refusal(forged()) == .algorithmNotAllowed("none"))
        header["alg"] = .none
        #expect(asked.refusal(forged()) == .keyInvalid(.keyTypeUnknown))
        header["jwk"] = .none
        #expect(asked.refusal(forged()) == .claim(.missing("jti")))
        claims["jti"] = .none
        #expect(asked.refusal(forged()) == .methodMismatch)
        claims["htm"] = .none
        #expect(asked.refusal(forged()) == .targetMismatch)
        claims["htu"] = .none
        #expect(asked.refusal(forged()) == .claim(.issuedTooEarly(secondsAgo: now - 1)))
        claims["iat"] = .none
        #expect(asked.refusal(forged()) == .tokenHashMismatch)
        claims["ath"] = .none
        #expect(asked.refusal(forged()) == .signatureInvalid)
        #expect(asked.refusal(mint.proof()) == .keyMismatch)
        #expect(asked.keys.count == 0, "something was remembered of a proof that failed")
        #expect(asked.refusal(ProofMint().proof()) == nil)
        #expect(asked.keys.count == 1)
    }
}

@Suite struct `hostile proofs` {
    private func read(_ bytes: [UInt8], _ asked: Asked) -> DPoPRefusal? {
        asked.refusal(String(decoding: bytes, as: UTF8.self))
    }

    @Test(.refuses("DPOP-01")) func `no beginning of a proof is one`() {
        let asked = Asked()
        let proof = Array(ProofMint().proof().utf8)
        for known in [false, true] {
            if known { #expect(read(proof, asked) == nil) }
            for cut in everyStart(of: proof) { #expect(read(cut, asked) != nil) }
        }
    }

    @Test(.refuses("DPOP-05")) func `a proof with one changed bit is refused wherever it is`() {
        let asked = Asked()
        let proof = Array(ProofMint().proof().utf8)
        for known in [false, true] {
            if known { #expect(read(proof, asked) == nil) }
            for index in proof.indices {
                var changed = proof
                changed[index] ^= 1 << UInt8(index % 7)
                #expect(read(changed, asked) != nil, "bit \(index % 7) of byte \(index)")
            }
            #expect(asked.keys.count == (known ? 1 : 0))
        }
    }

    @Test(.refuses("DPOP-06")) func `claims cut short or changed never end the process`() {
        let mint = ProofMint()
        let claims = Array(mint.claimsText(["nonce": #""\u0061""#]).utf8)
        for index in claims.indices {
            var changed = claims
            changed[index] ^= 1 << UInt8(index % 7)
            for text in [Array(claims[..<index]), changed] {
                let input = TokenMint.signingInput(header: mint.headerText(), payload: text)
                let refusal = Asked().refusal(input + ".AAAA")
                #expect(refusal != nil)
            }
        }
    }
}
