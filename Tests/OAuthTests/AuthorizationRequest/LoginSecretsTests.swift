import Bytes
import Crypto
import TestTraits
import Testing

@testable import OAuth

private func secrets(_ seed: [UInt8]) throws -> LoginSecrets { try LoginSecrets(seed: Secret(seed)) }

private let seed = Array(UInt8(0)..<32)

@Suite struct `the secrets of a login` {
    @Test(.holds("CF-04")) func `make the challenge of RFC 7636 appendix B from its verifier`() {
        let verifier = Array("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".utf8)
        let challenge = LoginSecrets.challenge(of: verifier.span)
        #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(.holds("CF-04")) func `are what another implementation of HKDF derives`() throws {
        let found = try secrets(seed)
        #expect(
            String(decoding: found.verifier.reveal(), as: UTF8.self) == "BTqyeN_j4Vet7MVYlmixzciwwCGSXnmAALYBGrZD0CY")
        #expect(found.challenge == "yf1TxRg96Qp2fd4O5KxFC0__T78mWrD0mLflJ_TzE9g")
        #expect(found.nonce == "PqTT8uw_6v3x3HXc2vHiVmVMR5IbXi_fb4WLr79f_uk")
        let scalar = found.proofKeyScalar.reveal()
        let hex = Hex.encode(scalar.span)
        #expect(hex == "b20b3b97b58a54171085b5aee8b515caecb3a23160679e422e21bdc1e91b5ef1")
    }

    @Test(.holds("CF-04")) func `have a verifier and a nonce of 43 characters that need no escape`() throws {
        for _ in 0..<50 {
            let found = try secrets(RandomBytes.fill(32))
            for text in [found.verifier.reveal(), Array(found.nonce.utf8)] {
                #expect(text.count == 43)
                let bytes = Base64URL.decode(text.span)
                #expect(bytes?.count == 32)
            }
            #expect(found.proofKeyScalar.count == 32)
        }
    }

    @Test(.holds("CF-06")) func `are the same whenever the seed is: the browser's cookie need keep no more`() throws {
        let one = try secrets(seed), again = try secrets(seed)
        #expect(one.verifier.reveal() == again.verifier.reveal())
        #expect(one.challenge == again.challenge && one.nonce == again.nonce)
        #expect(one.proofKeyScalar.reveal() == again.proofKeyScalar.reveal())
    }

    @Test(.refuses("CF-06")) func `are all others when one bit of the seed is`() throws {
        let right = try secrets(seed)
        for bit in 0..<256 {
            var other = seed
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            let wrong = try secrets(other)
            #expect(wrong.verifier.reveal() != right.verifier.reveal())
            #expect(wrong.challenge != right.challenge)
            #expect(wrong.nonce != right.nonce)
            #expect(wrong.proofKeyScalar.reveal() != right.proofKeyScalar.reveal())
        }
    }

    @Test(.refuses("CF-04")) func `tell nothing of one another: what is public is not what is secret`() throws {
        let found = try secrets(seed)
        let verifier = String(decoding: found.verifier.reveal(), as: UTF8.self)
        #expect(verifier != found.nonce)
        #expect(verifier != found.challenge)
        let nonce = Array(found.nonce.utf8)
        let behind = Base64URL.decode(nonce.span)
        #expect(behind != found.proofKeyScalar.reveal())
        #expect(!"\(found)".contains(verifier))
    }

    @Test(.refuses("CF-03"), arguments: [0, 1, 16, 31, 33, 64])
    func `are not made of a seed that could be guessed`(count: Int) {
        #expect(throws: CryptoRefusal.keyLength) { try secrets([UInt8](repeating: 7, count: count)) }
    }
}
