import TestTraits
import Testing

@Suite struct `a session that does not load` {
    @Test(.refuses("SC-01")) func `a cookie without the prefix is refused`() {
        #expect(
            refusal(of: Sample.login("session: { cookie: session }"))
                == """
                gateway.yaml:9:24: clients.shop.session.cookie: expected a name that begins with __Host-, found "session"
                    without the prefix a neighbouring host could set it: write it as  __Host-session
                """)
    }

    @Test func `every missing key of a login is told at once, with the client's own`() {
        let text = refusal(
            of: Sample.login(
                """
                session: { keys: [{ file: session.missing }] }
                authorization_request: pushed_signed
                request_object: { key: { file: request.missing } }
                decryption_keys: [{ key: { file: decryption.missing } }]
                """, authentication: "method: client_secret_basic, secret: { file: client.missing }"))
        for name in ["session", "request", "decryption", "client"] {
            #expect(text.contains("\(name).missing"), "\(text)")
        }
    }

    @Test func `an idle time above the absolute one is told beside an authentication that does not fit`() {
        let text = refusal(
            of: Sample.login("session: { idle: 9h, absolute: 8h }\nscopes: [profile]", authentication: "method: none"))
        for words in ["idle of at most absolute", "openid among the scopes", "anybody could act"] {
            #expect(text.contains(words), "\(text)")
        }
    }

    @Test(.refuses("SC-01")) func `a cookie with the prefix in small letters is refused`() {
        #expect(
            refusal(of: Sample.login("session: { cookie: __host-session }"))
                == """
                gateway.yaml:9:24: clients.shop.session.cookie: expected a name that begins with __Host-, found "__host-session"
                    spell the prefix  __Host-  , with one capital
                """)
    }

    @Test(.refuses("SC-01")) func `a cookie that is another of the gateway's is refused`() {
        #expect(
            refusal(of: Sample.login("session: { cookie: __Host-portcullis-logout }"))
                == """
                gateway.yaml:9:24: clients.shop.session.cookie: expected a name that no other cookie of the gateway has, found "__Host-portcullis-logout"
                    choose another, such as __Host-shop
                """)
    }

    @Test(.refuses("SC-02")) func `SameSite none is refused`() {
        #expect(
            refusal(of: Sample.login("session: { same_site: none }"))
                == """
                gateway.yaml:9:27: clients.shop.session.same_site: expected one of lax, strict, found "none"
                    with none pages of other sites could use the session: lax is the weakest here
                """)
    }

    @Test(.refuses("SC-08")) func `an idle time beyond the absolute one is refused`() {
        #expect(
            refusal(of: Sample.login("session: { idle: 10h }"))
                == """
                gateway.yaml:9:16: clients.shop.session.idle: expected idle of at most absolute, found 10h and 8h
                    raise absolute or lower idle
                """)
    }

    @Test(.refuses("SC-04")) func `a password is no session key`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [{ file: words.session }] }"))
                == """
                gateway.yaml:9:31: clients.shop.session.keys[0].file: expected a session key: 32 random bytes, or their hex or base64url, found a text of 33 characters
                    make one with  portcullis keys new session --out FILE
                """)
    }

    @Test(.refuses("SC-04")) func `sixteen bytes in hex are no session key`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [{ file: letters.session }] }"))
                == """
                gateway.yaml:9:31: clients.shop.session.keys[0].file: expected a session key: 32 random bytes, or their hex or base64url, found a text of 32 characters
                    make one with  portcullis keys new session --out FILE
                """)
    }

    @Test(.refuses("SC-04")) func `zeros are no session key`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [{ file: zero.session }] }"))
                == """
                gateway.yaml:9:31: clients.shop.session.keys[0].file: expected a session key of random bytes, found the same few bytes repeated
                    make one with  portcullis keys new session --out FILE
                """)
    }

    @Test(.refuses("SC-04")) func `a private key is no session key`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [{ file: signing.key }] }"))
                == """
                gateway.yaml:9:31: clients.shop.session.keys[0].file: expected a session key: 32 random bytes, or their hex or base64url, found a private key in PEM
                    make one with  portcullis keys new session --out FILE
                """)
    }

    @Test(.refuses("SC-04")) func `an empty file is no session key`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [{ file: none.secret }] }"))
                == """
                gateway.yaml:9:31: clients.shop.session.keys[0].file: expected a session key: 32 random bytes, or their hex or base64url, found nothing
                    make one with  portcullis keys new session --out FILE
                """)
    }

    @Test(.refuses("SC-15")) func `one session key twice is refused, however it is written`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [{ file: raw.session }, { file: base64url.session }] }"))
                == """
                gateway.yaml:9:54: clients.shop.session.keys[1].file: expected each session key once, found the same key again
                    keep one of them
                """)
    }

    @Test(.refuses("CA-17")) func `a session key that everybody can read is refused`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [{ file: open.session }] }"))
                == """
                gateway.yaml:9:31: clients.shop.session.keys[0].file: expected a session key that only its owner and group can read, found "open.session" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test(.refuses("CA-17")) func `a session key written into the file is refused, and not repeated`() {
        #expect(
            refusal(of: Sample.login("session: { keys: [hunter2] }"))
                == """
                gateway.yaml:9:23: clients.shop.session.keys[0]: expected a reference to a key, found a text
                    write it as  keys: [{ file: /run/secrets/session.key }]
                """)
    }

    @Test(.refuses("CA-10")) func `a session key that makes nonces too is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "session: { keys: [{ file: hex.session }] }", rest: "dpop: { nonce_keys: [{ file: hex.session }] }")
            )
                == """
                gateway.yaml:9:23: clients.shop.session.keys[0]: expected a key of its own for sessions, found a key of nonces
                    a key has one purpose: make one with  portcullis keys new session --out FILE
                """)
    }

    @Test func `a store that there is not is refused`() {
        #expect(
            refusal(of: Sample.login("session: { store: redis }"))
                == """
                gateway.yaml:9:23: clients.shop.session.store: expected one of cookie, memory, found "redis"
                    there is no such store yet: cookie needs none, and works with several replicas
                """)
    }
}
