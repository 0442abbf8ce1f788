import Access
import Configuration
import Crypto
import Gateway
import JOSE
import TestTraits
import Testing

@Suite struct `a route's DPoP` {
    @Test(.holds("DPOP-22")) func `schemes are what is accepted, Bearer alone when nothing is said`() throws {
        #expect(try token(of: Sample().text).schemes == [.bearer])
        #expect(try token(of: Sample.token("schemes: [DPoP]")).schemes == [.dpop])
        #expect(try token(of: Sample.token("schemes: [DPoP, Bearer]")).schemes == [.dpop, .bearer])
    }

    @Test(.holds("DPOP-11")) func `a route says which nonces and algorithms it wants`() throws {
        let silent = try token(of: Sample.token("schemes: [DPoP]")).dpop
        #expect(silent == DPoPSettings(algorithms: [.es256, .ps256, .edDSA], nonce: .off))
        let said = try token(of: Sample.token("schemes: [DPoP], dpop: { nonce: required, algorithms: [EdDSA, ES256] }"))
        #expect(said.dpop == DPoPSettings(algorithms: [.edDSA, .es256], nonce: .required))
        let optional = try token(of: Sample.token("schemes: [DPoP], dpop: { nonce: optional }"))
        #expect(optional.dpop.nonce == .optional)
    }

    @Test(.holds("DPOP-09")) func `a route has further public URLs, without the slash that paths begin with`() throws {
        let text = Sample.tokenRoute(
            "public_urls: ['https://a.example/', 'https://b.example/v1', 'http://c.example:81/x/']")
        #expect(
            try settings(of: text).routes[0].publicURLs
                == ["https://a.example", "https://b.example/v1", "http://c.example:81/x"])
        #expect(try settings(of: Sample().text).routes[0].publicURLs == [])
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else { throw NotATokenRoute() }
        return token
    }

    private struct NotATokenRoute: Error {}
}

@Suite struct `the settings of proofs` {
    @Test(.holds("DPOP-10")) func `proofs are judged by what the file says`() throws {
        let text = Sample(
            rest: """
                dpop: { past: 2m, future: 0s, proof_size: 4KiB, jti_size: 64B, replay_memory: 1GiB, nonce_lifetime: 10m,
                  nonce_keys: [{ file: long.secret }, { env: NONCE }] }
                """
        ).text
        let sources = ConfigurationSources.scripted(environment: ["NONCE": String(repeating: "n", count: 32)])
        let proofs = try settings(of: text, from: sources).proofs
        #expect(proofs.past == .seconds(120))
        #expect(proofs.future == .zero)
        #expect(proofs.maximumBytes == 4096)
        #expect(proofs.maximumIDBytes == 64)
        #expect(proofs.replayBytes == 1 << 30)
        #expect(proofs.nonceLifetime == .seconds(600))
        // Random bytes may end with that of a line break, which is then theirs.
        #expect(proofs.nonceKeys.map { $0.reveal().count } == [32, 32])
    }

    @Test(.holds("DPOP-12")) func `a nonce key in a text is the text without its line break`() throws {
        let text = Sample(rest: "dpop: { nonce_keys: [{ file: other.secret }] }").text
        #expect(try settings(of: text).proofs.nonceKeys[0].reveal() == Array(repeating: UInt8(ascii: "x"), count: 40))
    }

    @Test func `64 keys have their multiples computed in advance, unless the file says otherwise`() throws {
        #expect(try settings(of: Sample().text).precomputedKeys == 64)
        #expect(try settings(of: Sample(rest: "precomputed_keys: 1024").text).precomputedKeys == 1024)
        #expect(try settings(of: Sample(rest: "precomputed_keys: 0").text).precomputedKeys == 0)
    }

    @Test func `requests are remembered only when the file says so`() throws {
        #expect(try settings(of: Sample().text).explainBuffer == 0)
        #expect(try settings(of: Sample(rest: "explain_buffer: 500").text).explainBuffer == 500)
    }
}
