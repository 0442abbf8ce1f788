import Gateway
import Issuers
import TestTraits
import Testing

@Suite struct `introspection of an issuer` {
    @Test(.holds("INT-01")) func `is asked for by naming a client`() throws {
        #expect(try settings(of: Sample().text).issuers[0].introspection == nil)
        #expect(try introspection("") == IntrospectionSettings(client: 0))
    }

    @Test(.holds("INT-06")) func `carries everything that the file says`() throws {
        let said = try introspection(
            """
            endpoint: https://id.example.com/i, tokens: all, signed: true, audience: me, cache: 0s, negative_cache: 5m,
              timeout: 100ms, answer_limit: 1MiB, hint: false
            """)
        #expect(
            said
                == IntrospectionSettings(
                    client: 0, endpoint: "https://id.example.com/i", tokens: .all, requiresSigned: true, audience: "me",
                    positiveSeconds: 0, negativeSeconds: 300, timeoutMilliseconds: 100,
                    answerBytes: 1 << 20, hint: false))
    }

    @Test func `an issuer is read for its endpoints only where somebody needs them`() throws {
        #expect(try !settings(of: Sample().text).issuers[0].readsEndpoints)
        #expect(try settings(of: Sample.client()).issuers[0].readsEndpoints)
        #expect(try !settings(of: Sample.introspection("")).issuers[0].readsEndpoints)
    }

    @Test func `a plain endpoint is fine on loopback for development`() throws {
        let text = Sample(
            issuers: """
                issuers: { main: { url: 'http://127.0.0.1:4593/', insecure_allow_http: true,
                  introspection: { client: shop, endpoint: 'http://127.0.0.1:4593/introspect' } } }
                """,
            rest:
                "clients: { shop: { issuer: main, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } } }"
        ).text
        #expect(try settings(of: text).issuers[0].introspection?.endpoint == "http://127.0.0.1:4593/introspect")
    }

    @Test func `an unknown client is refused with the one that was meant`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "issuers: { main: { url: https://id.example.com/, introspection: { client: shpo } } }",
                    rest:
                        "clients: { shop: { issuer: main, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } } }"
                ).text)
                    == """
                    gateway.yaml:2:75: issuers.main.introspection.client: expected the name of a client, found "shpo"
                        did you mean shop?
                    """)
    }

    @Test func `a client where there are none is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "issuers: { main: { url: https://id.example.com/, introspection: { client: shop } } }"
                ).text)
                    == """
                    gateway.yaml:2:75: issuers.main.introspection.client: expected the name of a client, found "shop"
                        add  clients: { shop: { issuer: …, id: …, authentication: { … } } }
                    """)
    }

    @Test(.refuses("CA-11")) func `a client of another issuer is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers:
                        "issuers: { main: { url: https://id.example.com/, introspection: { client: shop } }, other: { url: https://other.example.com/ } }",
                    rest:
                        "clients: { shop: { issuer: other, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } } }"
                ).text)
                    == """
                    gateway.yaml:2:75: issuers.main.introspection.client: expected a client of the issuer main, found "shop", a client of other
                        its credentials are for other alone: name a client whose issuer is main
                    """)
    }

    @Test func `no client is refused`() {
        #expect(
            refusal(of: Sample.issuer("introspection: { tokens: all }"))
                == """
                gateway.yaml:2:65: issuers.main.introspection.client: expected a name of a client made of lower-case letters, digits, - and _, found nothing
                    add  client: shop
                """)
    }

    @Test func `where nothing is discovered an endpoint is needed`() {
        #expect(
            refusal(of: Sample.introspection("signed: true", issuer: "jwks: { file: jwks.json }, "))
                == """
                gateway.yaml:2:92: issuers.main.introspection: expected endpoint when nothing is discovered, found none
                    add  endpoint: https://id.example.com/introspect , or  discovery: automatic  to the issuer
                """)
    }

    @Test(.refuses("CA-13")) func `a plain endpoint is refused`() {
        #expect(
            refusal(of: Sample.introspection("endpoint: 'http://id.example.com/i'"))
                == """
                gateway.yaml:2:91: issuers.main.introspection.endpoint: expected an https URL, found "http://id.example.com/i"
                    tokens and the client's credentials travel there
                """)
    }

    @Test func `an endpoint that is no URL is refused`() {
        #expect(
            refusal(of: Sample.introspection("endpoint: /introspect"))
                == """
                gateway.yaml:2:91: issuers.main.introspection.endpoint: expected a URL such as https://id.example.com/introspect, found "/introspect"
                    write an absolute URL without fragment
                """)
    }

    @Test(.refuses("INT-06")) func `believing an answer for more than five minutes is refused`() {
        #expect(
            refusal(of: Sample.introspection("cache: 301s"))
                == """
                gateway.yaml:2:88: issuers.main.introspection.cache: expected a duration from 0ms to 5m in whole seconds, found "301s"
                    choose a duration from 0ms to 5m
                """)
    }

    @Test(.refuses("INT-06")) func `believing a refusal for more than five minutes is refused`() {
        #expect(
            refusal(of: Sample.introspection("negative_cache: 1h"))
                == """
                gateway.yaml:2:97: issuers.main.introspection.negative_cache: expected a duration from 0ms to 5m in whole seconds, found "1h"
                    choose a duration from 0ms to 5m
                """)
    }

    @Test(.refuses("INT-05")) func `waiting for a minute is refused`() {
        #expect(
            refusal(of: Sample.introspection("timeout: 1m"))
                == """
                gateway.yaml:2:90: issuers.main.introspection.timeout: expected a duration from 100ms to 30s, found "1m"
                    choose a duration from 100ms to 30s
                """)
    }

    @Test(.refuses("INT-08")) func `the audience of plain answers is refused`() {
        #expect(
            refusal(of: Sample.introspection("audience: me"))
                == """
                gateway.yaml:2:81: issuers.main.introspection.audience: expected signed: true beside audience, found plain answers
                    leave audience out, or add  signed: true : plain answers are addressed to nobody
                """)
    }

    @Test func `another kind of tokens is refused`() {
        #expect(
            refusal(of: Sample.introspection("tokens: jwt"))
                == """
                gateway.yaml:2:89: issuers.main.introspection.tokens: expected one of opaque, all, found "jwt"
                    words here: opaque, all
                """)
    }

    @Test func `two issuers with introspection on one route are refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: """
                        issuers:
                          a: { url: https://a.example.com/, introspection: { client: shop-a } }
                          b: { url: https://b.example.com/, introspection: { client: shop-b, tokens: all } }
                        """,
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [a, b], audience: api } }]",
                    rest: """
                        clients:
                          shop-a: { issuer: a, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } }
                          shop-b: { issuer: b, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } }
                        """
                ).text)
                    == """
                    gateway.yaml:5:76: routes[0].token.issuers[1]: expected at most one issuer with introspection on a route, found "b" beside "a"
                        an opaque token does not say whose it is: give each of the issuers a route of its own
                    """)
    }

    private func introspection(_ keys: String, issuer: String = "") throws -> IntrospectionSettings? {
        try settings(of: Sample.introspection(keys, issuer: issuer)).issuers[0].introspection
    }
}

@Suite struct `a token exchange` {
    @Test(.holds("TX-01")) func `names a client and whom the new token is for`() throws {
        #expect(try exchange("audience: orders") == ExchangeSettings(client: 0, audience: ["orders"]))
        #expect(
            try exchange("audience: [a, b], resource: ['https://x.example/', 'https://y.example/'], scopes: [r, w]")
                == ExchangeSettings(
                    client: 0, audience: ["a", "b"], resource: ["https://x.example/", "https://y.example/"],
                    scopes: ["r", "w"]))
    }

    @Test(.holds("TX-01")) func `counts clients in the order of the file`() throws {
        let text = Sample(
            routes: """
                routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api },
                  upstream_credential: { exchange: { client: second, resource: 'https://x.example/' } } }]
                """,
            rest: """
                clients:
                  first: { issuer: main, id: a, authentication: { method: client_secret_post, secret: { file: other.secret } } }
                  second: { issuer: main, id: b, authentication: { method: client_secret_post, secret: { file: other.secret } } }
                """
        ).text
        let settings = try settings(of: text)
        guard case .exchange(let exchange) = settings.routes[0].credential else {
            Issue.record("no exchange")
            return
        }
        #expect(settings.clients[exchange.client].name == "second")
    }

    @Test(.refuses("TX-01")) func `for nobody in particular is refused`() {
        #expect(
            refusal(
                of: Sample.client(
                    "method: client_secret_post, secret: { file: other.secret }",
                    uses: "upstream_credential: { exchange: { client: shop, scopes: [r] } }"))
                    == """
                    gateway.yaml:3:130: routes[0].upstream_credential.exchange: expected audience or resource, found neither
                        add  audience: orders  or  resource: https://orders.internal/ , or the token could be for anybody
                    """)
    }

    @Test(.refuses("TX-01")) func `for a URL with a fragment is refused`() {
        #expect(
            refusal(
                of: Sample.client(
                    "method: client_secret_post, secret: { file: other.secret }",
                    uses: "upstream_credential: { exchange: { client: shop, resource: 'https://x.example/#y' } }"))
                    == """
                    gateway.yaml:3:156: routes[0].upstream_credential.exchange.resource: expected a URI such as https://orders.internal/ or urn:example:orders, found "https://x.example/#y"
                        leave out the fragment (RFC 8707 section 2)
                    """)
    }

    @Test(.refuses("TX-01")) func `by an unknown client is refused`() {
        #expect(
            refusal(
                of: Sample.client(
                    "method: client_secret_post, secret: { file: other.secret }",
                    uses: "upstream_credential: { exchange: { client: shopp, audience: a } }"))
                    == """
                    gateway.yaml:3:140: routes[0].upstream_credential.exchange.client: expected the name of a client, found "shopp"
                        did you mean shop?
                    """)
    }

    @Test(.refuses("TX-01")) func `for everybody is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true, upstream_credential: { exchange: { client: shop, audience: a } } }]",
                    rest:
                        "clients: { shop: { issuer: main, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } } }"
                ).text)
                    == """
                    gateway.yaml:3:89: routes[0].upstream_credential: expected a token on a route with upstream_credential: exchange, found public: true
                        nobody is known here: leave upstream_credential out, or say token in place of public
                    """)
    }

    @Test(.refuses("TX-01")) func `at an issuer that discovers nothing is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "issuers: { main: { url: https://id.example.com/, jwks: { file: jwks.json } } }",
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api }, upstream_credential: { exchange: { client: shop, audience: a } } }]",
                    rest:
                        "clients: { shop: { issuer: main, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } } }"
                ).text)
                    == """
                    gateway.yaml:3:140: routes[0].upstream_credential.exchange.client: expected a client whose issuer has metadata, found "shop", of the issuer main that discovers nothing
                        the token endpoint is in the metadata: add  discovery: automatic  to the issuer
                    """)
    }

    @Test(.refuses("TX-01")) func `at another issuer than that of the tokens is warned of`() throws {
        #expect(
            try warnings(
                of: Sample(
                    issuers:
                        "issuers: { main: { url: https://id.example.com/ }, other: { url: https://other.example.com/ } }",
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [other, main], audience: api }, upstream_credential: { exchange: { client: shop, audience: a } } }]",
                    rest:
                        "clients: { shop: { issuer: main, id: s, authentication: { method: client_secret_post, secret: { file: other.secret } } } }"
                ).text)
                    == """
                    gateway.yaml:3:147: warning: routes[0].upstream_credential.exchange.client: expected a client of the issuer whose tokens it exchanges, found "shop", of main, on a route for tokens of other
                        tokens of other are sent to main: make sure that it may have them
                    """)
    }

    @Test(.holds("TX-01")) func `an issuer that only exchanges is in use`() throws {
        let text = Sample(
            issuers: "issuers: { main: { url: https://id.example.com/ }, sts: { url: https://sts.example.com/ } }",
            routes: """
                routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api },
                  upstream_credential: { exchange: { client: shop, audience: a } } }]
                """,
            rest: """
                clients: { shop: { issuer: sts, id: s, authentication: { method: client_secret_post,
                  secret: { file: other.secret } } } }
                """
        ).text
        #expect(
            try warnings(of: text)
                == """
                gateway.yaml:4:46: warning: routes[0].upstream_credential.exchange.client: expected a client of the issuer whose tokens it exchanges, found "shop", of sts, on a route for tokens of main
                    tokens of main are sent to sts: make sure that it may have them
                """)
        #expect(try settings(of: text).issuers.map(\.readsEndpoints) == [false, true])
    }

    private func exchange(_ keys: String) throws -> ExchangeSettings? {
        let text = Sample.client(uses: "upstream_credential: { exchange: { client: shop, \(keys) } }")
        guard case .exchange(let exchange) = try settings(of: text).routes[0].credential else { return nil }
        return exchange
    }
}
