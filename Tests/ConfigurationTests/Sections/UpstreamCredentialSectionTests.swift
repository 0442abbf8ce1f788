import Configuration
import Crypto
import Gateway
import JOSE
import TestTraits
import Testing

@Suite struct `an upstream's credential` {
    @Test(.holds("HTTP-47"), .refuses("HTTP-47")) func `is none unless the file says so`() throws {
        guard case .none = try settings(of: Sample().text).routes[0].credential else {
            Issue.record("a credential")
            return
        }
        guard case .none = try credential("none") else {
            Issue.record("a credential")
            return
        }
        guard case .pass = try credential("pass") else {
            Issue.record("no pass")
            return
        }
    }

    @Test(arguments: [
        ("assertion", "{ audience: orders }"), ("static", "{ file: /run/secrets/upstream-token }"),
        ("exchange", "{ client: shop, audience: orders }"),
    ])
    func `that is a mapping's key alone is told how to write the mapping`(word: String, example: String) {
        let refusal = refusal(of: Sample.tokenRoute("upstream_credential: \(word)"))
        #expect(
            refusal.contains(
                "expected one of none, pass or a mapping with exchange, static, assertion or pass, found \"\(word)\""),
            "\(refusal)")
        #expect(refusal.hasSuffix("write it as  upstream_credential: { \(word): \(example) }"), "\(refusal)")
    }

    @Test func `is always the same one, with its scheme`() throws {
        #expect(try fixed("file: other.secret") == "Bearer " + String(repeating: "x", count: 40))
        #expect(try fixed("file: other.secret, scheme: ApiKey") == "ApiKey " + String(repeating: "x", count: 40))
        let sources = ConfigurationSources.scripted(environment: ["UPSTREAM": "secret value"])
        #expect(try fixed("env: UPSTREAM", from: sources) == "Bearer secret value")
    }

    @Test func `is base64 of user and password for Basic`() throws {
        #expect(try fixed("file: basic.secret, scheme: Basic") == "Basic dXNlcjpwYXNzPz4=")
    }

    @Test func `is an assertion about the caller`() throws {
        #expect(try assertion("audience: orders") == AssertionSettings(audience: "orders"))
        #expect(
            try assertion("audience: orders, lifetime: 10m, claims: [email, tenant], field: X-Identity")
                == AssertionSettings(
                    audience: "orders", lifetimeSeconds: 600, claims: ["email", "tenant"], field: "X-Identity"))
        #expect(try assertion("audience: orders, field: authorization")?.field == "Authorization")
    }

    @Test func `in another word is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: forward"))
                == """
                gateway.yaml:3:118: routes[0].upstream_credential: expected one of none, pass, found "forward"
                    words here: none, pass
                """)
    }

    @Test func `of two kinds is refused`() {
        #expect(
            refusal(
                of: Sample.tokenRoute(
                    "upstream_credential: { static: { file: other.secret }, assertion: { audience: a } }"))
                    == """
                    gateway.yaml:3:152: routes[0].upstream_credential: expected exactly one of exchange, static, assertion, pass, found static and assertion
                        keep one of them
                    """)
    }

    @Test(.refuses("HTTP-47")) func `passed on from everybody is refused`() {
        #expect(
            refusal(of: Sample.route("public: true, upstream_credential: pass"))
                == """
                gateway.yaml:3:89: routes[0].upstream_credential: expected a token on a route with upstream_credential: pass, found public: true
                    nobody is known here: leave upstream_credential out, or say token in place of public
                """)
    }

    @Test func `that says who nobody is is refused`() {
        #expect(
            refusal(of: Sample.route("public: true, upstream_credential: { assertion: { audience: a } }"))
                == """
                gateway.yaml:3:89: routes[0].upstream_credential: expected a token on a route with upstream_credential: assertion, found public: true
                    nobody is known here: leave upstream_credential out, or say token in place of public
                """)
    }

    @Test(.refuses("DPOP-20")) func `passed on where keys are proved is refused`() {
        #expect(
            refusal(
                of: Sample.route(
                    "token: { issuers: [main], audience: api, schemes: [Bearer, DPoP] }, upstream_credential: pass"))
                    == """
                    gateway.yaml:3:143: routes[0].upstream_credential: expected Bearer alone in the schemes of a route that passes tokens on, found DPoP among them
                        a token bound to the client's key is of no use to the upstream; use exchange or assertion
                    """)
    }

    @Test func `of two lines is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { static: { file: lines.secret } }"))
                == """
                gateway.yaml:3:136: routes[0].upstream_credential.static.file: expected a credential of printable ASCII in one line, found other bytes, or spaces around it
                    put the credential alone there, without the scheme; one line break at the end is fine
                """)
    }

    @Test func `of nothing is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { static: { file: none.secret } }"))
                == """
                gateway.yaml:3:136: routes[0].upstream_credential.static.file: expected a credential of printable ASCII in one line, found nothing
                    put the credential alone there, without the scheme; one line break at the end is fine
                """)
    }

    @Test func `with a scheme of two words is refused`() {
        #expect(
            refusal(
                of: Sample.tokenRoute("upstream_credential: { static: { file: other.secret, scheme: 'Bearer x' } }"))
                    == """
                    gateway.yaml:3:158: routes[0].upstream_credential.static.scheme: expected a scheme such as Bearer or Basic, found "Bearer x"
                        write the scheme's name alone
                    """)
    }

    @Test func `for Basic without a colon is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { static: { file: other.secret, scheme: Basic } }"))
                == """
                gateway.yaml:3:136: routes[0].upstream_credential.static.file: expected user:password for the scheme Basic, found a value without a colon
                    write both in clear, joined by a colon: they are encoded here (RFC 7617)
                """)
    }

    @Test(.refuses("CA-17")) func `that everybody can read is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { static: { file: open.secret } }"))
                == """
                gateway.yaml:3:136: routes[0].upstream_credential.static.file: expected a credential that only its owner and group can read, found "open.secret" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test(.refuses("CA-17")) func `written into the file is refused, and not repeated`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { static: s3cret }"))
                == """
                gateway.yaml:3:128: routes[0].upstream_credential.static: expected a reference to a credential, found a text
                    write it as  static: { file: /run/secrets/upstream-token }
                """)
    }

    @Test func `that asserts to nobody is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { lifetime: 60s } }"))
                == """
                gateway.yaml:3:131: routes[0].upstream_credential.assertion.audience: expected an audience such as https://api.example.com, found nothing
                    add  audience: orders
                """)
    }

    @Test func `that is good for nine seconds is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, lifetime: 9s } }"))
                == """
                gateway.yaml:3:156: routes[0].upstream_credential.assertion.lifetime: expected a duration from 10s to 10m in whole seconds, found "9s"
                    choose a duration from 10s to 10m
                """)
    }

    @Test func `that is good for eleven minutes is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, lifetime: 11m } }"))
                == """
                gateway.yaml:3:156: routes[0].upstream_credential.assertion.lifetime: expected a duration from 10s to 10m in whole seconds, found "11m"
                    choose a duration from 10s to 10m
                """)
    }

    @Test func `in a field that frames messages is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, field: Content-Length } }"))
                == """
                gateway.yaml:3:153: routes[0].upstream_credential.assertion.field: expected a field name that nothing else uses, found "Content-Length"
                    Content-Length has a meaning of its own to servers; choose a name such as X-User-Id
                """)
    }

    @Test func `in a field that clients present certificates in is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, field: Client-Cert } }"))
                == """
                gateway.yaml:3:153: routes[0].upstream_credential.assertion.field: expected a field name that nothing else uses, found "Client-Cert"
                    Client-Cert has a meaning of its own to servers; choose a name such as X-User-Id
                """)
    }

    @Test func `in a field of the connection is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, field: Keep-Alive } }"))
                == """
                gateway.yaml:3:153: routes[0].upstream_credential.assertion.field: expected a field name that nothing else uses, found "Keep-Alive"
                    Keep-Alive has a meaning of its own to servers; choose a name such as X-User-Id
                """)
    }

    @Test func `in a field with a space is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, field: 'X Identity' } }"))
                == """
                gateway.yaml:3:153: routes[0].upstream_credential.assertion.field: expected Authorization or a field name such as X-Identity, found "X Identity"
                    use letters, digits and hyphens
                """)
    }

    @Test func `in a field that identity fills is refused`() {
        #expect(
            refusal(
                of: Sample.tokenRoute(
                    "identity: { X_User: sub }, upstream_credential: { assertion: { audience: a, field: X-User } }"))
                    == """
                    gateway.yaml:3:180: routes[0].upstream_credential.assertion.field: expected a field that identity does not fill, found "X-User", which identity fills on line 3
                        rename one of them
                    """)
    }

    @Test func `that repeats its own name of the subject is refused`() {
        let refusal = refusal(
            of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, claims: [sub_id] } }"))
        #expect(refusal.contains("expected a claim that the assertion does not write itself, found \"sub_id\""))
    }

    @Test func `that repeats what it says itself is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, claims: [email, sub] } }"))
                == """
                gateway.yaml:3:162: routes[0].upstream_credential.assertion.claims[1]: expected a claim that the assertion does not write itself, found "sub"
                    leave it out
                """)
    }

    @Test func `that repeats a claim twice is refused`() {
        #expect(
            refusal(
                of: Sample.tokenRoute("upstream_credential: { assertion: { audience: a, claims: [email, email] } }"))
                    == """
                    gateway.yaml:3:162: routes[0].upstream_credential.assertion.claims[1]: expected each value once, found "email" again
                        keep one of them
                    """)
    }

    @Test func `that is static may serve everybody`() throws {
        let text = Sample.route("public: true, upstream_credential: { static: { file: other.secret } }")
        guard case .fixed = try settings(of: text).routes[0].credential else {
            Issue.record("not static")
            return
        }
    }

    private func credential(_ value: String, from sources: ConfigurationSources = .scripted()) throws
        -> UpstreamCredentialSettings
    {
        try settings(of: Sample.tokenRoute("upstream_credential: \(value)"), from: sources).routes[0].credential
    }

    private func fixed(_ value: String, from sources: ConfigurationSources = .scripted()) throws -> String {
        guard case .fixed(let secret) = try credential("{ static: { \(value) } }", from: sources) else { return "" }
        return String(decoding: secret.reveal(), as: UTF8.self)
    }

    private func assertion(_ value: String) throws -> AssertionSettings? {
        guard case .assertion(let assertion) = try credential("{ assertion: { \(value) } }") else { return nil }
        return assertion
    }
}

@Suite struct `keys of assertions` {
    @Test func `come from files, the first one signs, or are made at start`() throws {
        let silent = try settings(of: Sample().text).assertionKeys
        #expect(silent.keys.isEmpty)
        #expect(silent.algorithm == .es256)
        #expect(silent.rotationSeconds == 86_400)
        let made = try settings(of: Sample(rest: "assertion_keys: { algorithm: EdDSA, rotation: 1h }").text)
            .assertionKeys
        #expect(made.algorithm == .edDSA)
        #expect(made.rotationSeconds == 3600)
        let files = try settings(of: Sample(rest: "assertion_keys: { files: [signing.key, second.key] }").text)
        #expect(files.assertionKeys.keys.map { $0.reveal() }.first == Array(RealCertificate.key.utf8))
        #expect(files.assertionKeys.keys.count == 2)
    }

    @Test(.refuses("CA-17")) func `that everybody can read are refused`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [open.key] }").text)
                == """
                gateway.yaml:4:27: assertion_keys.files[0]: expected a private key that only its owner and group can read, found "open.key" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test func `under a passphrase are refused`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [locked.key] }").text)
                == """
                gateway.yaml:4:27: assertion_keys.files[0]: expected a private key in PEM, found a private key under a passphrase
                    make one with  openssl ecparam -name prime256v1 -genkey -noout
                """)
    }

    @Test func `that are certificates are refused`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [tls.crt] }").text)
                == """
                gateway.yaml:4:27: assertion_keys.files[0]: expected a private key in PEM, found no private key in PEM
                    make one with  openssl ecparam -name prime256v1 -genkey -noout
                """)
    }

    @Test func `that are not there are refused`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [nowhere.key] }").text)
                == """
                gateway.yaml:4:27: assertion_keys.files[0]: expected a readable file with a private key, found "nowhere.key": no such file
                    it was looked for at "nowhere.key"; paths are absolute, or relative to this file's folder
                """)
    }

    @Test func `in one file named twice are refused`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [signing.key, signing.key] }").text)
                == """
                gateway.yaml:4:40: assertion_keys.files[1]: expected each key once, found the same key again
                    keep one of them
                """)
    }

    @Test func `in files are not rotated here`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [signing.key], rotation: 1h }").text)
                == """
                gateway.yaml:4:41: assertion_keys.rotation: expected no rotation beside files, found both
                    leave rotation out: it is about keys made at start; files are rotated by a new first one
                """)
    }

    @Test func `in files have their algorithm`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [signing.key], algorithm: EdDSA }").text)
                == """
                gateway.yaml:4:41: assertion_keys.algorithm: expected no algorithm beside files, found both
                    leave algorithm out: it is about keys made at start; files are rotated by a new first one
                """)
    }

    @Test func `of RSA are not made here`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { algorithm: RS256 }").text)
                == """
                gateway.yaml:4:30: assertion_keys.algorithm: expected one of ES256, ES384, ES512, EdDSA, found "RS256"
                    did you mean ES256?
                """)
    }

    @Test func `that rotate in seconds are refused`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { rotation: 10s }").text)
                == """
                gateway.yaml:4:29: assertion_keys.rotation: expected a duration from 1h to 720h in whole seconds, found "10s"
                    choose a duration from 1h to 720h
                """)
    }
}
