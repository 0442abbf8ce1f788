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

    @Test func `schemes said twice are refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [DPoP, DPoP]"))
                == """
                gateway.yaml:3:111: routes[0].token.schemes[1]: expected each value once, found "DPoP" again
                    keep one of them
                """)
    }

    @Test func `no scheme at all is refused`() {
        #expect(
            refusal(of: Sample.token("schemes: []"))
                == """
                gateway.yaml:3:104: routes[0].token.schemes: expected a list of 1 to 2 schemes, found an empty list
                    write it as  schemes: [DPoP, Bearer]
                """)
    }

    @Test func `rules for proofs that the route does not take are refused`() {
        #expect(
            refusal(of: Sample.token("dpop: { nonce: off }"))
                == """
                gateway.yaml:3:95: routes[0].token.dpop: expected DPoP among the schemes, found Bearer alone
                    write  schemes: [DPoP]  or  schemes: [DPoP, Bearer] , or leave dpop out
                """)
    }

    @Test func `rules for proofs beside Bearer alone are refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [Bearer], dpop: { nonce: required }"))
                == """
                gateway.yaml:3:114: routes[0].token.dpop: expected DPoP among the schemes, found Bearer alone
                    write  schemes: [DPoP]  or  schemes: [DPoP, Bearer] , or leave dpop out
                """)
    }

    @Test(.refuses("DPOP-11")) func `another word about nonces is refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [DPoP], dpop: { nonce: always }"))
                == """
                gateway.yaml:3:127: routes[0].token.dpop.nonce: expected one of off, optional, required, found "always"
                    words here: off, optional, required
                """)
    }

    @Test(.refuses("DPOP-04")) func `a symmetric algorithm for proofs is refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [DPoP], dpop: { algorithms: [HS256] }"))
                == """
                gateway.yaml:3:133: routes[0].token.dpop.algorithms[0]: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "HS256"
                    a proof is signed with the client's private key; choose ES256
                """)
    }

    @Test(.refuses("DPOP-04")) func `unsigned proofs are refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [DPoP], dpop: { algorithms: [none] }"))
                == """
                gateway.yaml:3:133: routes[0].token.dpop.algorithms[0]: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "none"
                    a proof is signed with the client's private key; choose ES256
                """)
    }

    @Test func `a misspelt algorithm for proofs is refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [DPoP], dpop: { algorithms: [ES265] }"))
                == """
                gateway.yaml:3:133: routes[0].token.dpop.algorithms[0]: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "ES265"
                    did you mean ES256?
                """)
    }

    @Test func `an algorithm for proofs said twice is refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [DPoP], dpop: { algorithms: [ES256, ES256] }"))
                == """
                gateway.yaml:3:140: routes[0].token.dpop.algorithms[1]: expected each value once, found "ES256" again
                    keep one of them
                """)
    }

    @Test(.refuses("DPOP-09")) func `a public URL with a query is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("public_urls: ['https://a.example/v1?x']"))
                == """
                gateway.yaml:3:111: routes[0].public_urls[0]: expected a URL such as https://shop.example.com/v1, found "https://a.example/v1?x"
                    leave out query and fragment: proofs are compared without them (RFC 9449 section 4.3)
                """)
    }

    @Test(.refuses("DPOP-09")) func `a public URL with a fragment is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("public_urls: ['https://a.example/v1#x']"))
                == """
                gateway.yaml:3:111: routes[0].public_urls[0]: expected a URL such as https://shop.example.com/v1, found "https://a.example/v1#x"
                    leave out query and fragment: proofs are compared without them (RFC 9449 section 4.3)
                """)
    }

    @Test(.refuses("DPOP-08")) func `a public URL with user information is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("public_urls: ['https://me@a.example/']"))
                == """
                gateway.yaml:3:111: routes[0].public_urls[0]: expected a URL such as https://shop.example.com/v1, found "https://…@a.example/"
                    write an absolute URL, as clients see it, without user information
                """)
    }

    @Test(.refuses("DPOP-09")) func `a relative public URL is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("public_urls: [/v1]"))
                == """
                gateway.yaml:3:111: routes[0].public_urls[0]: expected a URL such as https://shop.example.com/v1, found "/v1"
                    write an absolute URL, as clients see it, without user information
                """)
    }

    @Test(.refuses("DPOP-09")) func `a public URL of another scheme is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("public_urls: ['ftp://a.example']"))
                == """
                gateway.yaml:3:111: routes[0].public_urls[0]: expected a URL such as https://shop.example.com/v1, found "ftp://a.example"
                    write an absolute URL, as clients see it, without user information
                """)
    }

    @Test func `a public URL said twice is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("public_urls: ['https://a.example', 'https://a.example']"))
                == """
                gateway.yaml:3:132: routes[0].public_urls[1]: expected each value once, found "https://a.example" again
                    keep one of them
                """)
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
        #expect(proofs.pastSeconds == 120)
        #expect(proofs.futureSeconds == 0)
        #expect(proofs.maximumBytes == 4096)
        #expect(proofs.maximumIDBytes == 64)
        #expect(proofs.replayBytes == 1 << 30)
        #expect(proofs.nonceLifetimeSeconds == 600)
        // Random bytes may end with that of a line break, which is then theirs.
        #expect(proofs.nonceKeys.map { $0.reveal().count } == [32, 32])
    }

    @Test(.holds("DPOP-12")) func `a nonce key in a text is the text without its line break`() throws {
        let text = Sample(rest: "dpop: { nonce_keys: [{ file: other.secret }] }").text
        #expect(try settings(of: text).proofs.nonceKeys[0].reveal() == Array(repeating: UInt8(ascii: "x"), count: 40))
    }

    @Test(.refuses("DPOP-10")) func `older proofs than five minutes are not possible`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { past: 301s }").text)
                == """
                gateway.yaml:4:15: dpop.past: expected a duration from 1s to 5m in whole seconds, found "301s"
                    choose a duration from 1s to 5m
                """)
    }

    @Test(.refuses("DPOP-10")) func `proofs from further than a minute ahead are not possible`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { future: 61s }").text)
                == """
                gateway.yaml:4:17: dpop.future: expected a duration from 0ms to 1m in whole seconds, found "61s"
                    choose a duration from 0ms to 1m
                """)
    }

    @Test(.refuses("DPOP-12")) func `nonces of more than ten minutes are not possible`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { nonce_lifetime: 601s }").text)
                == """
                gateway.yaml:4:25: dpop.nonce_lifetime: expected a duration from 10s to 10m in whole seconds, found "601s"
                    choose a duration from 10s to 10m
                """)
    }

    @Test(.refuses("DPOP-15")) func `too little memory for replays is refused`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { replay_memory: 1023KiB }").text)
                == """
                gateway.yaml:4:24: dpop.replay_memory: expected a size from 1MiB to 4GiB, found "1023KiB"
                    choose a size from 1MiB to 4GiB
                """)
    }

    @Test(.refuses("DPOP-15")) func `too much memory for replays is refused`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { replay_memory: 5GiB }").text)
                == """
                gateway.yaml:4:24: dpop.replay_memory: expected a size from 1MiB to 4GiB, found "5GiB"
                    choose a size from 1MiB to 4GiB
                """)
    }

    @Test(.refuses("DPOP-16")) func `a jti of more than a kibibyte is not possible`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { jti_size: 2KiB }").text)
                == """
                gateway.yaml:4:19: dpop.jti_size: expected a size from 16B to 1KiB, found "2KiB"
                    choose a size from 16B to 1KiB
                """)
    }

    @Test func `a proof of more than any field is refused`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { proof_size: 128KiB }").text)
                == """
                gateway.yaml:4:21: dpop.proof_size: expected a size from 1KiB to 64KiB, found "128KiB"
                    choose a size from 1KiB to 64KiB
                """)
    }

    @Test func `a proof larger than a header field is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { field_line: 16KiB }\ndpop: { proof_size: 32KiB }").text)
                == """
                gateway.yaml:5:9: dpop.proof_size: expected a proof_size of at most limits.field_line, found 32KiB and 16KiB
                    raise field_line or lower proof_size
                """)
    }

    @Test(.refuses("DPOP-12")) func `a nonce key of 31 bytes is refused`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { nonce_keys: [{ file: short.secret }] }").text)
                == """
                gateway.yaml:4:30: dpop.nonce_keys[0].file: expected a nonce key of at least 32 bytes, found 31 bytes
                    make one with  openssl rand -base64 32
                """)
    }

    @Test(.refuses("DPOP-12")) func `one nonce key twice is refused`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { nonce_keys: [{ file: other.secret }, { file: other.secret }] }").text)
                == """
                gateway.yaml:4:54: dpop.nonce_keys[1].file: expected each nonce key once, found the same key again
                    keep one of them
                """)
    }

    @Test(.refuses("CA-17")) func `a nonce key that everybody can read is refused`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { nonce_keys: [{ file: open.secret }] }").text)
                == """
                gateway.yaml:4:30: dpop.nonce_keys[0].file: expected a nonce key that only its owner and group can read, found "open.secret" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test func `a nonce key that is not there is refused`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { nonce_keys: [{ file: nowhere.secret }] }").text)
                == """
                gateway.yaml:4:30: dpop.nonce_keys[0].file: expected a readable file with a nonce key, found "nowhere.secret": no such file
                    it was looked for at "nowhere.secret"; paths are absolute, or relative to this file's folder
                """)
    }

    @Test(.refuses("CA-17")) func `a nonce key written into the file is refused, and not repeated`() {
        #expect(
            refusal(of: Sample(rest: "dpop: { nonce_keys: [0123456789abcdef0123456789abcdef] }").text)
                == """
                gateway.yaml:4:22: dpop.nonce_keys[0]: expected a reference to a key, found a text
                    write it as  nonce_keys: [{ file: /run/secrets/nonce.key }]
                """)
    }

    @Test(.refuses("OPS-05")) func `more remembered requests than memory is refused`() {
        #expect(
            refusal(of: Sample(rest: "explain_buffer: 100001").text)
                == """
                gateway.yaml:4:17: explain_buffer: expected a whole number from 0 to 100000, found the number 100001
                    choose a number from 0 to 100000
                """)
    }

    @Test func `requests are remembered only when the file says so`() throws {
        #expect(try settings(of: Sample().text).explainBuffer == 0)
        #expect(try settings(of: Sample(rest: "explain_buffer: 500").text).explainBuffer == 500)
    }
}
