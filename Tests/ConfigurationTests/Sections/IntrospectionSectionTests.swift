import Access
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
        var expected = IntrospectionSettings(client: 0)
        expected.endpoint = "https://id.example.com/i"
        expected.tokens = .all
        expected.requiresSigned = true
        expected.audience = "me"
        expected.positiveLifetime = .zero
        expected.negativeLifetime = .seconds(300)
        expected.timeout = .milliseconds(100)
        expected.answerBytes = 1 << 20
        expected.hint = false
        #expect(said == expected)
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
