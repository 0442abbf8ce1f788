import Configuration
import Crypto
import Gateway
import Issuers
import JOSE
import OAuth
import TestTraits
import Testing

@Suite struct `a client` {
    @Test(.holds("CA-01")) func `has one method with what it needs`() throws {
        let secret = String(repeating: "x", count: 40)
        guard
            case .secretBasic(let basic) = try client("method: client_secret_basic, secret: { file: other.secret }")
                .method,
            case .secretPost(let post) = try client("method: client_secret_post, secret: { file: other.secret }").method,
            case .secretJWT(.hs256, let shared) = try client(
                "method: client_secret_jwt, secret: { file: other.secret }"
            )
            .method
        else {
            Issue.record("another method")
            return
        }
        #expect(
            [basic, post, shared].map { String(decoding: $0.reveal(), as: UTF8.self) } == [secret, secret, secret])
        #expect(try client("method: client_secret_basic, secret: { file: other.secret }").clientID == "shop-api")
    }

    @Test(.holds("CA-05")) func `signs with the algorithm that fits its key, under the name it was registered by`()
        throws
    {
        guard case .privateKeyJWT(let plain) = try client("method: private_key_jwt, key: { file: signing.key }").method,
            case .privateKeyJWT(let said) = try client(
                "method: private_key_jwt, key: { file: edwards.key }, algorithm: EdDSA, key_id: shop-2026"
            ).method
        else {
            Issue.record("another method")
            return
        }
        #expect(plain.algorithm == .es256)
        #expect(plain.keyID.utf8.count == 43)
        #expect(said.algorithm == .edDSA)
        #expect(said.keyID == "shop-2026")
    }

    @Test(.holds("CA-12")) func `shows a certificate from files`() throws {
        guard
            case .tls("tls.crt", "tls.key") = try client(
                "method: tls_client_auth, certificate: tls.crt, key: { file: tls.key }"
            ).method,
            case .selfSignedTLS("tls.crt", "tls.key") = try client(
                "method: self_signed_tls_client_auth, certificate: tls.crt, key: { file: tls.key }"
            ).method
        else {
            Issue.record("another method")
            return
        }
    }

    @Test(.holds("CA-06", "CA-08"))
    func `addresses assertions to the issuer, of the type JWT, unless the file says otherwise`()
        throws
    {
        let silent = try client("method: private_key_jwt, key: { file: signing.key }")
        #expect(silent.assertionAudience == .issuer)
        #expect(silent.assertionType == .jwt)
        let said = try client(
            "method: private_key_jwt, key: { file: signing.key }, audience: token_endpoint, type: client-authentication+jwt"
        )
        #expect(said.assertionAudience == .tokenEndpoint)
        #expect(said.assertionType == .clientAuthentication)
        let other = try client("method: client_secret_jwt, secret: { file: other.secret }, audience: endpoint")
        #expect(other.assertionAudience == .endpoint)
    }

    @Test(.holds("CA-04")) func `uses longer codes when asked`() throws {
        let sources = ConfigurationSources.scripted(environment: ["SECRET": String(repeating: "s", count: 64)])
        for (name, algorithm) in [("HS384", MACAlgorithm.hs384), ("HS512", .hs512)] {
            let text = Sample.client("method: client_secret_jwt, secret: { env: SECRET }, algorithm: \(name)")
            guard case .secretJWT(algorithm, _) = try settings(of: text, from: sources).clients[0].credentials.method
            else {
                Issue.record("another algorithm than \(name)")
                continue
            }
        }
    }

    @Test(.refuses("CA-04")) func `a secret of 31 bytes is refused for HS256`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_jwt, secret: { file: short.secret }"))
                == """
                gateway.yaml:4:109: clients.shop.authentication.secret.file: expected a secret of at least 32 bytes for HS256, found 31 bytes
                    a shorter one could be guessed from an assertion (RFC 7518 section 3.2): register a longer one
                """)
    }

    @Test(.refuses("CA-04")) func `a secret of 40 bytes is refused for HS512`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_jwt, secret: { file: other.secret }, algorithm: HS512"))
                == """
                gateway.yaml:4:109: clients.shop.authentication.secret.file: expected a secret of at least 64 bytes for HS512, found 40 bytes
                    a shorter one could be guessed from an assertion (RFC 7518 section 3.2): register a longer one
                """)
    }

    @Test(.refuses("CA-04")) func `a signature by a secret is refused`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_jwt, secret: { file: other.secret }, algorithm: ES256"))
                == """
                gateway.yaml:4:136: clients.shop.authentication.algorithm: expected HS256, HS384 or HS512 for client_secret_jwt, found "ES256"
                    a secret makes codes, not signatures; for signatures choose private_key_jwt
                """)
    }

    @Test(.refuses("CA-05")) func `a code by a private key is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: signing.key }, algorithm: HS256"))
                == """
                gateway.yaml:4:130: clients.shop.authentication.algorithm: expected an algorithm of private keys for private_key_jwt, found "HS256"
                    leave algorithm out: it follows from the key
                """)
    }

    @Test(.refuses("CA-05")) func `an algorithm of another kind of key is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: signing.key }, algorithm: PS256"))
                == """
                gateway.yaml:4:130: clients.shop.authentication.algorithm: expected an algorithm that fits the key, found PS256
                    leave algorithm out: it follows from the key; PS256 needs another kind of key
                """)
    }

    @Test(.refuses("CA-05")) func `no algorithm at all is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: signing.key }, algorithm: none"))
                == """
                gateway.yaml:4:130: clients.shop.authentication.algorithm: expected one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "none"
                    an unsigned assertion proves nothing
                """)
    }

    @Test(.refuses("CA-01")) func `a method without its secret is refused`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basic"))
                == """
                gateway.yaml:4:74: clients.shop.authentication.method: expected secret for client_secret_basic, found none
                    add  secret: { file: /run/secrets/client }
                """)
    }

    @Test(.refuses("CA-01")) func `a method without its key is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt"))
                == """
                gateway.yaml:4:74: clients.shop.authentication.method: expected key for private_key_jwt, found none
                    add  key: { file: /run/secrets/client.key }
                """)
    }

    @Test(.refuses("CA-01")) func `a method without its certificate is refused`() {
        #expect(
            refusal(of: Sample.client("method: tls_client_auth, key: { file: tls.key }"))
                == """
                gateway.yaml:4:74: clients.shop.authentication.method: expected certificate for tls_client_auth, found none
                    add  certificate: /run/secrets/client.crt
                """)
    }

    @Test(.refuses("CA-01")) func `a secret beside a key is refused`() {
        #expect(
            refusal(
                of: Sample.client("method: private_key_jwt, key: { file: signing.key }, secret: { file: other.secret }")
            )
                == """
                gateway.yaml:4:119: clients.shop.authentication.secret: expected no secret for private_key_jwt, found one
                    leave it out; it is for client_secret_basic, client_secret_post, client_secret_jwt
                """)
    }

    @Test(.refuses("CA-01")) func `a key beside a secret is refused`() {
        #expect(
            refusal(
                of: Sample.client(
                    "method: client_secret_post, secret: { file: other.secret }, key: { file: signing.key }"))
                    == """
                    gateway.yaml:4:126: clients.shop.authentication.key: expected no key for client_secret_post, found one
                        leave it out; it is for private_key_jwt, tls_client_auth, self_signed_tls_client_auth
                    """)
    }

    @Test(.refuses("CA-01")) func `the aud of no assertion is refused`() {
        #expect(
            refusal(
                of: Sample.client("method: client_secret_basic, secret: { file: other.secret }, audience: endpoint"))
                    == """
                    gateway.yaml:4:127: clients.shop.authentication.audience: expected no audience for client_secret_basic, found one
                        leave it out; it is for client_secret_jwt, private_key_jwt
                    """)
    }

    @Test(.refuses("CA-14")) func `a client without authentication is refused`() {
        #expect(
            refusal(of: Sample.client("method: none"))
                == """
                gateway.yaml:4:74: clients.shop.authentication.method: expected one of client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt, tls_client_auth, self_signed_tls_client_auth, found "none"
                    anybody could act as a public client: have the server give it a secret, or a key
                """)
    }

    @Test(.refuses("CA-01")) func `a misspelt method is refused`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basics, secret: { file: other.secret }"))
                == """
                gateway.yaml:4:74: clients.shop.authentication.method: expected one of client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt, tls_client_auth, self_signed_tls_client_auth, found "client_secret_basics"
                    did you mean client_secret_basic?
                """)
    }

    @Test(.refuses("CA-12")) func `a key in the environment is refused beside a certificate`() {
        #expect(
            refusal(of: Sample.client("method: tls_client_auth, certificate: tls.crt, key: { env: KEY }"))
                == """
                gateway.yaml:4:125: clients.shop.authentication.key.env: expected a key in a file beside certificate, found an environment variable
                    write it as  key: { file: /run/secrets/client.key }
                """)
    }

    @Test(.refuses("CA-12")) func `a certificate that is none is refused`() {
        #expect(
            refusal(of: Sample.client("method: tls_client_auth, certificate: tls.key, key: { file: tls.key }"))
                == """
                gateway.yaml:4:104: clients.shop.authentication.certificate: expected a certificate chain in PEM and the private key of its leaf, found no certificate in PEM
                    check that certificate and key name the right files, and belong together
                """)
    }

    @Test(.refuses("CA-17")) func `a key of a certificate that everybody can read is refused`() {
        #expect(
            refusal(of: Sample.client("method: tls_client_auth, certificate: tls.crt, key: { file: open.key }"))
                == """
                gateway.yaml:4:126: clients.shop.authentication.key.file: expected a private key that only its owner and group can read, found "open.key" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test(.refuses("CA-17")) func `a key that everybody can read is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: open.key }"))
                == """
                gateway.yaml:4:104: clients.shop.authentication.key.file: expected a private key that only its owner and group can read, found "open.key" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test(.refuses("CA-17")) func `a secret that everybody can read is refused`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basic, secret: { file: open.secret }"))
                == """
                gateway.yaml:4:111: clients.shop.authentication.secret.file: expected a client secret that only its owner and group can read, found "open.secret" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test(.refuses("CA-17")) func `a secret written into the file is refused, and not repeated`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basic, secret: hunter2"))
                == """
                gateway.yaml:4:103: clients.shop.authentication.secret: expected a reference to a secret, found a text
                    write it as  secret: { file: /run/secrets/client }
                """)
    }

    @Test func `a secret of two lines is refused`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basic, secret: { file: lines.secret }"))
                == """
                gateway.yaml:4:111: clients.shop.authentication.secret.file: expected a client secret in one line, found line breaks or other control characters
                    put the secret alone there; one line break at the end is fine
                """)
    }

    @Test func `an empty secret is refused`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basic, secret: { file: none.secret }"))
                == """
                gateway.yaml:4:111: clients.shop.authentication.secret.file: expected a client secret in one line, found nothing
                    put the secret alone there; one line break at the end is fine
                """)
    }

    @Test func `a secret in a variable that is not set is refused`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basic, secret: { env: SECRET }"))
                == """
                gateway.yaml:4:110: clients.shop.authentication.secret.env: expected a client secret in the environment variable SECRET, found no such variable
                    set it for this process: a service's environment is not that of your shell
                """)
    }

    @Test func `a key that is no key is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: tls.key }"))
                == """
                gateway.yaml:4:104: clients.shop.authentication.key.file: expected a private key in PEM, found no private key in PEM
                    make one with  openssl ecparam -name prime256v1 -genkey -noout
                """)
    }

    @Test func `a certificate in place of a key is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: tls.crt }"))
                == """
                gateway.yaml:4:104: clients.shop.authentication.key.file: expected a private key in PEM, found no private key in PEM
                    make one with  openssl ecparam -name prime256v1 -genkey -noout
                """)
    }

    @Test func `two keys in one file are refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: two.key }"))
                == """
                gateway.yaml:4:104: clients.shop.authentication.key.file: expected a private key in PEM, found more than one private key
                    make one with  openssl ecparam -name prime256v1 -genkey -noout
                """)
    }

    @Test func `a key under a passphrase is refused`() {
        #expect(
            refusal(of: Sample.client("method: private_key_jwt, key: { file: locked.key }"))
                == """
                gateway.yaml:4:104: clients.shop.authentication.key.file: expected a private key in PEM, found a private key under a passphrase
                    make one with  openssl ecparam -name prime256v1 -genkey -noout
                """)
    }

    @Test func `a client of an unknown issuer is refused with the one that was meant`() {
        #expect(
            refusal(of: Sample.client("method: client_secret_basic, secret: { file: other.secret }", issuer: "mian"))
                == """
                gateway.yaml:4:28: clients.shop.issuer: expected the name of an issuer, found "mian"
                    did you mean main?
                """)
    }

    @Test(.refuses("CA-06")) func `the token endpoint of an issuer that discovers nothing is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers:
                        "issuers: { main: { url: https://id.example.com/, jwks: { file: jwks.json }, introspection: { client: shop, endpoint: 'https://id.example.com/i' } } }",
                    rest:
                        "clients: { shop: { issuer: main, id: s, authentication: { method: private_key_jwt, key: { file: signing.key }, audience: token_endpoint } } }"
                ).text)
                    == """
                    gateway.yaml:4:122: clients.shop.authentication.audience: expected issuer or endpoint where nothing is discovered, found token_endpoint
                        the token endpoint is in the metadata: add  discovery: automatic  to the issuer main
                    """)
    }

    @Test func `a client that nothing uses is warned of`() throws {
        #expect(
            try warnings(
                of: Sample.client("method: client_secret_basic, secret: { file: other.secret }", uses: "methods: [GET]")
            )
                == """
                gateway.yaml:4:12: warning: clients.shop: expected a login, introspection or exchange that names the client, found none
                    leave it out, or name it where it is to ask
                """)
    }

    @Test func `a client without anything is refused`() {
        #expect(
            refusal(of: Sample(rest: "clients: { shop: {} }").text)
                == """
                gateway.yaml:4:18: clients.shop.issuer: expected a name of an issuer made of lower-case letters, digits, - and _, found nothing
                    add  issuer: main
                gateway.yaml:4:18: clients.shop.id: expected a client_id such as shop, found nothing
                    add  id: shop
                gateway.yaml:4:18: clients.shop.authentication: expected the authentication of a client, found nothing
                    add  authentication: { method: client_secret_basic, secret: { file: /run/secrets/client } }
                """)
    }

    @Test func `a client with a name of several words is refused`() {
        #expect(
            refusal(
                of: Sample(
                    rest:
                        "clients: { 'my shop': { issuer: main, id: s, authentication: { method: client_secret_basic, secret: { file: other.secret } } } }"
                ).text)
                    == """
                    gateway.yaml:4:12: clients.my shop: expected a name of a client made of lower-case letters, digits, - and _, found "my shop"
                        choose a name such as main
                    """)
    }

    private func client(_ authentication: String) throws -> ClientCredentials {
        let clients = try settings(of: Sample.client(authentication)).clients
        #expect(clients.map(\.name) == ["shop"])
        #expect(clients.map(\.issuer) == [0])
        return try #require(clients.first).credentials
    }
}

@Suite struct `keys that have one purpose` {
    @Test(.refuses("CA-10")) func `the key of a client signs no identity assertions`() {
        #expect(
            refusal(
                of: Sample.client("method: private_key_jwt, key: { file: signing.key }")
                    + "assertion_keys: { files: [second.key, signing.key] }\n")
                    == """
                    gateway.yaml:5:39: assertion_keys.files[1]: expected a key of its own for identity assertions, found the key of the client shop
                        what one signs must never pass for the other: make another key
                    """)
    }

    @Test(.refuses("CA-10")) func `one key in two files is refused`() {
        #expect(
            refusal(of: Sample(rest: "assertion_keys: { files: [signing.key, copy.key] }").text)
                == """
                gateway.yaml:4:40: assertion_keys.files[1]: expected each key once, found the same key again
                    keep one of them
                """)
    }

    @Test(.refuses("CA-11")) func `one key at two issuers is refused where assertions do not name the issuer`() {
        #expect(
            refusal(of: Self.two(audience: "endpoint"))
                == """
                gateway.yaml:12:77: clients.shop-b.authentication.key: expected a key of its own for each issuer, or audience: issuer for all of them, found the key of the client shop-a at another issuer
                    one issuer could present the assertion to the other: make another key
                """)
    }

    @Test(.refuses("CA-11"))
    func `one key at two issuers is refused also where a third client beside them names its issuer`() {
        // Compared with all of the others, not with the first that has the key.
        let third =
            "shop-c: { issuer: a, id: c, authentication: { method: private_key_jwt, key: { file: signing.key } } }"
        let text = Self.two(audience: "issuer", ofFirst: "endpoint", before: third)
        #expect(refusal(of: text).contains("found the key of the client shop-a at another issuer"))
    }

    @Test(.holds("CA-11")) func `one key at two issuers is fine where every assertion names its issuer`() throws {
        #expect(refusal(of: Self.two(audience: "issuer")) == "")
    }

    @Test(.holds("CA-10")) func `other keys are fine`() throws {
        let text =
            Sample.client("method: private_key_jwt, key: { file: signing.key }")
            + "assertion_keys: { files: [second.key, edwards.key] }\n"
        #expect(try settings(of: text).assertionKeys.keys.count == 2)
    }

    /// Two clients with one key, each of an issuer of its own.
    private static func two(audience: String, ofFirst: String? = nil, before: String = "") -> String {
        let client = { (name: String, audience: String) in
            """
            { issuer: \(name), id: shop, authentication: { method: private_key_jwt, key: { file: signing.key },
                audience: \(audience) } }
            """
        }
        return Sample(
            issuers: """
                issuers:
                  a: { url: https://a.example.com/, introspection: { client: shop-a } }
                  b: { url: https://b.example.com/, introspection: { client: shop-b } }
                """,
            routes: """
                routes:
                  - { path: /a, upstream: http://127.0.0.1:3000, token: { issuers: [a], audience: api } }
                  - { path: /b, upstream: http://127.0.0.1:3000, token: { issuers: [b], audience: api } }
                """,
            rest: """
                clients:
                  \(before)
                  shop-a: \(client("a", ofFirst ?? audience))
                  shop-b: \(client("b", audience))
                """
        ).text
    }
}
