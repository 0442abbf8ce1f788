import TestTraits
import Testing

@Suite struct `keys of logins that do not load` {
    @Test(.refuses("MD-31")) func `two keys under one kid are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "published_keys: [{ file: next.key, key_id: one }]",
                    authentication: "method: private_key_jwt, key: { file: signing.key }, key_id: one"))
                    == """
                    gateway.yaml:9:22: clients.shop.published_keys[0]: expected a kid of its own for each published key, found "one", which is also that of line 8
                        servers would take either key: leave key_id out (the kid is the key's thumbprint then), or rename one
                    """)
    }

    @Test(.refuses("MD-31")) func `one key under two kids is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "published_keys: [{ file: signing.key, key_id: other }]",
                    authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:9:22: clients.shop.published_keys[0]: expected one algorithm and one kid for each key, found the key on line 8 with another
                        a key has one algorithm (RFC 8725 section 3.1): make another, or leave algorithm and key_id out
                    """)
    }

    @Test(.refuses("MD-31")) func `two published keys under one kid are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "published_keys: [{ file: next.key, key_id: two }, { file: request.key, key_id: two }]",
                    authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:9:55: clients.shop.published_keys[1]: expected a kid of its own for each published key, found "two", which is also that of line 9
                        servers would take either key: leave key_id out (the kid is the key's thumbprint then), or rename one
                    """)
    }

    @Test(.refuses("CA-10")) func `one key for signatures and decryption is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "decryption_keys: [{ key: { file: copy.key } }]",
                    authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:9:23: clients.shop.decryption_keys[0]: expected a key of its own for decryption, found the key on line 8, which is for a client's assertions
                        a key has one purpose (RFC 8725 section 3.12): make another
                    """)
    }

    @Test(.refuses("CA-10")) func `a request object by the key of identity assertions is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    authorization_request: signed
                    request_object: { key: { file: second.key } }
                    """, rest: "assertion_keys: { files: [second.key] }"))
                    == """
                    gateway.yaml:11:27: assertion_keys.files[0]: expected a key of its own for identity assertions, found the key on line 10, which is for authorization requests
                        a key has one purpose (RFC 8725 section 3.12): make another
                    """)
    }

    @Test(.refuses("CA-10")) func `the key of assertions of a login signs no identity`() {
        #expect(
            refusal(
                of: Sample.login(
                    authentication: "method: private_key_jwt, key: { file: signing.key }",
                    rest: "assertion_keys: { files: [copy.key] }"))
                    == """
                    gateway.yaml:9:27: assertion_keys.files[0]: expected a key of its own for identity assertions, found the key of the client shop
                        what one signs must never pass for the other: make another key
                    """)
    }

    @Test(.refuses("JOSE-22")) func `a key that cannot decrypt is refused`() {
        #expect(
            refusal(of: Sample.login("decryption_keys: [{ key: { file: edwards.key } }]"))
                == """
                gateway.yaml:9:38: clients.shop.decryption_keys[0].key.file: expected a private key that can decrypt: RSA, P-256, P-384, P-521 or X25519, found another kind of key
                    make one with  openssl genrsa 3072
                """)
    }

    @Test(.refuses("JOSE-22")) func `an algorithm of another kind of key is refused`() {
        #expect(
            refusal(of: Sample.login("decryption_keys: [{ key: { file: decryption.key }, algorithm: RSA-OAEP }]"))
                == """
                gateway.yaml:9:67: clients.shop.decryption_keys[0].algorithm: expected an algorithm that fits the key, found RSA-OAEP
                    leave algorithm out: it follows from the key; RSA-OAEP is for RSA, ECDH-ES for the curves
                """)
    }

    @Test(.refuses("JOSE-22")) func `an algorithm with a hole is refused`() {
        #expect(
            refusal(of: Sample.login("decryption_keys: [{ key: { file: rsa.key }, algorithm: RSA1_5 }]"))
                == """
                gateway.yaml:9:60: clients.shop.decryption_keys[0].algorithm: expected one of RSA-OAEP, RSA-OAEP-256, ECDH-ES, ECDH-ES+A128KW, ECDH-ES+A256KW, found "RSA1_5"
                    whoever can make us decrypt could break its padding: choose RSA-OAEP-256
                """)
    }

    @Test(.refuses("CA-17")) func `a key that is none is refused`() {
        #expect(
            refusal(of: Sample.login("decryption_keys: [{ key: { file: other.secret } }]"))
                == """
                gateway.yaml:9:38: clients.shop.decryption_keys[0].key.file: expected a private key in PEM, found no private key in PEM
                    make one with  openssl genrsa 3072
                """)
    }
}
