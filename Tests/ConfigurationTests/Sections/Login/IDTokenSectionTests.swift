import TestTraits
import Testing

@Suite struct `ID tokens of a login that does not load` {
    @Test(.refuses("OIDC-05")) func `unsigned ID tokens are refused`() {
        #expect(
            refusal(of: Sample.login("id_token: { algorithm: none }"))
                == """
                gateway.yaml:9:28: clients.shop.id_token.algorithm: expected one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "none"
                    anybody could write an unsigned ID token
                """)
    }

    @Test(.refuses("OIDC-06")) func `codes of a secret that the client has not are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "id_token: { algorithm: HS256 }",
                    authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:9:28: clients.shop.id_token.algorithm: expected a client secret for HS256, found private_key_jwt
                        write the algorithm that the server signs with, RS256 or ES256; HS256 needs a client_secret method
                    """)
    }

    @Test(.refuses("OIDC-06")) func `codes of a short secret are refused`() {
        #expect(
            refusal(of: Sample.login("id_token: { algorithm: HS512 }"))
                == """
                gateway.yaml:9:28: clients.shop.id_token.algorithm: expected a client secret of at least 64 bytes for HS512, found 40 bytes
                    a shorter one could be guessed from an ID token (RFC 7518 section 3.2): let the server sign by a key
                """)
    }

    @Test(.refuses("OIDC-06")) func `codes beside signatures are refused`() {
        #expect(
            refusal(of: Sample.login("id_token: { algorithm: [RS256, HS256] }"))
                == """
                gateway.yaml:9:36: clients.shop.id_token.algorithm[1]: expected HS256 alone, or algorithms of keys alone, found others beside it
                    write the one that the client is registered with
                """)
    }

    @Test(.refuses("OIDC-11")) func `encrypted ones without a key are refused`() {
        #expect(
            refusal(of: Sample.login("id_token: { encrypted: true }"))
                == """
                gateway.yaml:9:17: clients.shop.id_token.encrypted: expected decryption_keys for encrypted ID tokens, found none
                    add  decryption_keys: [{ key: { file: /run/secrets/decryption.key } }]  to the client
                """)
    }
}
