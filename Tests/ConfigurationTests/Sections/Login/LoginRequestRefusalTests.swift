import TestTraits
import Testing

@Suite struct `an authorization request that does not load` {
    @Test(.refuses("CF-01")) func `another response type than code is refused`() {
        #expect(
            refusal(of: Sample.login("response_type: id_token token"))
                == """
                gateway.yaml:9:5: clients.shop.response_type: expected a key of a client, found "response_type"
                    leave it out: only code is spoken, for tokens in a URL are anybody's (RFC 9700 section 2.1.2)
                """)
    }

    @Test(.refuses("CF-01")) func `an answer in the fragment is refused`() {
        #expect(
            refusal(of: Sample.login("response_mode: fragment"))
                == """
                gateway.yaml:9:20: clients.shop.response_mode: expected one of query, form_post, query.jwt, form_post.jwt, jwt, found "fragment"
                    a fragment never reaches a server: choose query or form_post
                """)
    }

    @Test(.refuses("CF-02", "PAR-07")) func `a redirect_uri of its own is refused: it is made of the public URL`() {
        #expect(
            refusal(of: Sample.login("redirect_uri: https://shop.example.com/cb"))
                == """
                gateway.yaml:9:5: clients.shop.redirect_uri: expected a key of a client, found "redirect_uri"
                    it is public_url and /.portcullis/callback/NAME, the client's name: register that
                """)
    }

    @Test(.refuses("CF-02")) func `plain HTTP in front of a login is refused`() {
        #expect(
            refusal(of: Sample.login(url: "http://shop.example.com"))
                == """
                gateway.yaml:1:52: listeners[0].public_url: expected an https public_url where routes say login (line 3), found "http://shop.example.com"
                    the redirect_uri and the session cookie begin with it: add tls here, or end TLS in front and write https
                """)
    }

    @Test(.refuses("CF-05")) func `PKCE cannot be switched off`() {
        #expect(
            refusal(of: Sample.login("pkce: off"))
                == """
                gateway.yaml:9:5: clients.shop.pkce: expected a key of a client, found "pkce"
                    leave it out: PKCE with S256 is always used; for a server that does not say so there is assume_pkce
                """)
    }

    @Test(.refuses("CA-01")) func `a login has no other authentication than its client`() {
        #expect(
            refusal(of: Sample.login("token_endpoint_auth_method: client_secret_post"))
                == """
                gateway.yaml:9:5: clients.shop.token_endpoint_auth_method: expected a key of a client, found "token_endpoint_auth_method"
                    write it as  authentication: { method: client_secret_basic, secret: { file: … } }
                """)
    }

    @Test(.refuses("CA-04")) func `a secret of 31 bytes is refused for a login too`() {
        #expect(
            refusal(of: Sample.login(authentication: "method: client_secret_jwt, secret: { file: short.secret }"))
                == """
                gateway.yaml:8:66: clients.shop.authentication.secret.file: expected a secret of at least 32 bytes for HS256, found 31 bytes
                    a shorter one could be guessed from an assertion (RFC 7518 section 3.2): register a longer one
                """)
    }

    @Test(.refuses("CA-14")) func `a login of a public client is refused`() {
        #expect(
            refusal(of: Sample.login(authentication: "method: none"))
                == """
                gateway.yaml:8:31: clients.shop.authentication.method: expected one of client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt, tls_client_auth, self_signed_tls_client_auth, found "none"
                    anybody could act as a public client: have the server give it a secret, or a key
                """)
    }

    @Test(.refuses("CA-17")) func `a secret written beside the client is refused, and not repeated`() {
        #expect(
            refusal(of: Sample.login("client_secret: hunter2"))
                == """
                gateway.yaml:9:5: clients.shop.client_secret: expected a key of a client, found "client_secret"
                    write it as  authentication: { method: client_secret_basic, secret: { file: … } }
                """)
    }

    @Test(.refuses("JAR-01")) func `a form that is signed needs a key`() {
        #expect(
            refusal(of: Sample.login("authorization_request: signed"))
                == """
                gateway.yaml:9:28: clients.shop.authorization_request: expected a key for signed beside client_secret_basic, found none
                    add  request_object: { key: { file: /run/secrets/request.key } } ; make one with  portcullis keys new client
                """)
    }

    @Test(.refuses("JAR-01")) func `an unsigned request object is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { key: { file: request.key }, algorithm: none }
                    """))
                    == """
                    gateway.yaml:10:62: clients.shop.request_object.algorithm: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "none"
                        whoever sees an unsigned request can change it; choose ES256 or PS256
                    """)
    }

    @Test(.refuses("JAR-01")) func `a request object by a shared secret is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { key: { file: request.key }, algorithm: HS256 }
                    """))
                    == """
                    gateway.yaml:10:62: clients.shop.request_object.algorithm: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "HS256"
                        it is signed with a private key; choose ES256 or PS256
                    """)
    }

    @Test(.refuses("JAR-01")) func `an algorithm of another kind of key is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { key: { file: request.key }, algorithm: RS256 }
                    """))
                    == """
                    gateway.yaml:10:62: clients.shop.request_object.algorithm: expected an algorithm that fits the key, found RS256
                        leave algorithm out: it follows from the key; RS256 needs another kind of key
                    """)
    }

    @Test(.refuses("JAR-01")) func `a second algorithm for the key of assertions is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { algorithm: RS256 }
                    """, authentication: "method: private_key_jwt, key: { file: rsa.key }"))
                    == """
                    gateway.yaml:10:34: clients.shop.request_object.algorithm: expected PS256, which the same key signs assertions with, found RS256
                        a key has one algorithm (RFC 8725 section 3.1): change authentication.algorithm too, or add  key: { file: … }  here
                    """)
    }

    @Test(.refuses("JAR-01")) func `a second name for the key of assertions is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { key_id: other }
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:31: clients.shop.request_object.key_id: expected the kid of authentication.key, which is the same key, found "other"
                        leave it out; the name is said once, as authentication.key_id
                    """)
    }

    @Test(.refuses("JAR-02")) func `another typ is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { type: foo }
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:29: clients.shop.request_object.type: expected one of oauth-authz-req+jwt, JWT, found "foo"
                        words here: oauth-authz-req+jwt, JWT
                    """)
    }

    @Test(.refuses("JAR-10")) func `an encryption that can be broken through the server is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { encryption: { algorithm: RSA1_5 } }
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:48: clients.shop.request_object.encryption.algorithm: expected one of RSA-OAEP, RSA-OAEP-256, ECDH-ES, ECDH-ES+A128KW, ECDH-ES+A256KW, found "RSA1_5"
                        its padding can be broken through the server: choose RSA-OAEP-256
                    """)
    }

    @Test func `a request object that no form sends is refused`() {
        #expect(
            refusal(of: Sample.login("request_object: { key: { file: request.key } }"))
                == """
                gateway.yaml:9:5: clients.shop.request_object: expected a signed form of authorization_request beside request_object, found plain
                    write  authorization_request: pushed_signed  (or signed, signed_by_reference), or leave it out
                """)
    }

    @Test(.refuses("JAR-25")) func `a hash in a URL that there is not is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: pushed_signed
                    request_object: { sha256_fragment: true }
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:23: clients.shop.request_object.sha256_fragment: expected sha256_fragment with signed_by_reference alone, found pushed_signed
                        leave it out: the object has no URL of ours in this form
                    """)
    }

    @Test(.refuses("PAR-04")) func `parameters beside a pushed object are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: pushed_signed
                    request_object: { repeat_parameters: true }
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:23: clients.shop.request_object.repeat_parameters: expected no repeat_parameters for pushed_signed, found true
                        leave it out: the URL has nothing but client_id and request_uri then (RFC 9126)
                    """)
    }

    @Test func `JAR and PAR are no words, and the remedy names those that mean them`() {
        #expect(
            refusal(of: Sample.login("authorization_request: jar"))
                == """
                gateway.yaml:9:28: clients.shop.authorization_request: expected one of plain, signed, signed_by_reference, pushed, pushed_signed, found "jar"
                    JAR is signed (in the URL), signed_by_reference, or pushed_signed
                """)
    }

    @Test func `scopes without openid are refused`() {
        #expect(
            refusal(of: Sample.login("scopes: [profile, email]"))
                == """
                gateway.yaml:9:5: clients.shop.scopes: expected openid among the scopes of a login, found others alone
                    write it as  scopes: [openid, profile, email] ; without it the server sends no ID token
                """)
    }

    @Test func `scopes in one text are told once`() {
        #expect(
            refusal(of: Sample.login("scopes: [\"openid profile\"]"))
                == """
                gateway.yaml:9:14: clients.shop.scopes[0]: expected a scope such as orders:read, found "openid profile"
                    write each scope as an element of its own
                """)
    }

    @Test(.refuses("OIDC-14")) func `the issuer of a login is no template`() {
        #expect(
            refusal(of: Sample.login(issuer: "url: 'https://id.example.com/{tenantid}/'"))
                == """
                gateway.yaml:2:25: issuers.main.url: expected the issuer URL of one tenant, found "https://id.example.com/{tenantid}/"
                    write the tenant's own identifier: a template would believe every tenant of this server
                """)
    }

    @Test func `an issuer without metadata has no login`() {
        #expect(
            refusal(of: Sample.login(issuer: "url: https://id.example.com/, jwks_uri: https://id.example.com/jwks"))
                == """
                gateway.yaml:3:61: routes[0].login: expected a client whose issuer has metadata, found "shop", of the issuer main that discovers nothing
                    the authorization endpoint is in the metadata: add  discovery: automatic  to the issuer
                """)
    }

    @Test func `a claims parameter with a claim at its top is refused`() {
        #expect(
            refusal(of: Sample.login("claims: { email: null }"))
                == """
                gateway.yaml:9:5: clients.shop.claims: expected userinfo and id_token alone in claims, found "email"
                    write it as  claims: { id_token: { email: { essential: true } } }
                """)
    }

    @Test func `claims of a userinfo that is not asked are refused`() {
        #expect(
            refusal(of: Sample.login("claims: { userinfo: { email: null } }"))
                == """
                gateway.yaml:9:5: clients.shop.claims: expected userinfo: optional or required beside claims of userinfo, found userinfo: off
                    add  userinfo: optional  or ask for the claims under id_token
                """)
    }

    @Test func `a right without type is refused`() {
        #expect(
            refusal(of: Sample.login("authorization_details: [{ actions: [read] }]"))
                == """
                gateway.yaml:9:29: clients.shop.authorization_details[0]: expected a mapping with type, a text, found none
                    add  type: …  to it
                """)
    }

    @Test func `a fraction is refused where JSON has one, as everywhere`() {
        #expect(
            refusal(of: Sample.login("authorization_details: [{ type: payment, amount: 1.10 }]"))
                == """
                gateway.yaml:9:54: clients.shop.authorization_details[0].amount: expected a whole number, or a text, found the number 1.10
                    put it in quotation marks: "1.10"
                """)
    }

    @Test func `a prompt of none is refused`() {
        #expect(
            refusal(of: Sample.login("prompt: none"))
                == """
                gateway.yaml:9:13: clients.shop.prompt: expected what the server asks the user, such as login or select_account, found "none"
                    with none nobody could ever sign in: the server would show no page
                """)
    }
}
