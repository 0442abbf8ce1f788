import TestTraits
import Testing

@Suite struct `a route with login that does not load, or with a warning` {
    @Test func `a client that there is not is refused`() {
        #expect(
            refusal(of: Sample.login(route: "login: shpo"))
                == """
                gateway.yaml:3:61: routes[0].login: expected the name of a client, found "shpo"
                    did you mean shop?
                """)
    }

    @Test func `login beside public is refused`() {
        #expect(
            refusal(of: Sample.login(route: "login: shop, public: true"))
                == """
                gateway.yaml:3:67: routes[0]: expected exactly one of token, login, public, or token and login, found login and public
                    keep one of them
                """)
    }

    @Test func `an issuer of its own is refused: it is the client's`() {
        #expect(
            refusal(of: Sample.login(route: "login: { client: shop, issuers: [main] }"))
                == """
                gateway.yaml:3:77: routes[0].login.issuers: expected a key of a mapping with client, found "issuers"
                    keys here: client, scopes, claims, acr_values, max_age, allowed_origins, require_header, keep_form, optional
                """)
    }

    @Test func `a scope that the client does not ask for is warned of`() throws {
        #expect(
            try warnings(
                of: Sample.login(
                    "session: { keys: [{ file: hex.session }] }",
                    route: "login: { client: shop, scopes: [openid, orders] }"))
                    == """
                    gateway.yaml:3:94: warning: routes[0].login.scopes[1]: expected a scope that the client asks for, found "orders"
                        add it to clients.shop.scopes, or nobody passes where the server grants no more than that
                    """)
    }

    @Test func `a method that login.scopes does not name is refused`() {
        #expect(
            refusal(of: Sample.login(route: "methods: [GET, PUT], login: { client: shop, scopes: { GET: [openid] } }"))
                == """
                gateway.yaml:3:69: routes[0].methods[1]: expected a method that login.scopes names, found "PUT"
                    add  PUT: [...]  to scopes; an empty list asks for none
                """)
    }

    @Test(.refuses("MCP-06")) func `an MCP server behind a login alone is refused`() {
        #expect(
            refusal(of: Sample.login(route: "mcp: true, login: shop"))
                == """
                gateway.yaml:3:54: routes[0].mcp: expected a token on an MCP route, found login alone
                    MCP's clients are programs: say token in place of login, or leave mcp out
                """)
    }

    @Test(.refuses("DPOP-45")) func `an htu without proofs is refused`() {
        #expect(
            refusal(
                of: Sample.login(route: "login: shop, upstream_credential: { pass: { proof_url: https://a.example } }"))
                    == """
                    gateway.yaml:3:109: routes[0].upstream_credential.pass.proof_url: expected dpop: required or optional in the client shop beside proof_url, found off
                        its tokens are bound to no key: write  upstream_credential: pass
                    """)
    }

    @Test(.refuses("DPOP-45")) func `an htu for tokens of clients is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    route:
                        "token: { issuers: [main], audience: api }, upstream_credential: { pass: { proof_url: https://a.example } }"
                ))
                    == """
                    gateway.yaml:3:139: routes[0].upstream_credential.pass.proof_url: expected login on a route with proof_url, found none
                        proofs are made for tokens of sessions alone: write  upstream_credential: pass
                    """)
    }

    @Test(.refuses("SC-09")) func `an origin with a path is refused`() {
        #expect(
            refusal(of: Sample.login(route: "login: { client: shop, allowed_origins: [https://app.example.com/a] }"))
                == """
                gateway.yaml:3:95: routes[0].login.allowed_origins[0]: expected a URL such as https://app.example.com, found "https://app.example.com/a"
                    leave out path and query: Origin has none
                """)
    }

    @Test(.refuses("STEP-04")) func `an age that no login could have is refused`() {
        #expect(
            refusal(of: Sample.login(route: "login: { client: shop, max_age: 0s }"))
                == """
                gateway.yaml:3:86: routes[0].login.max_age: expected a duration from 30s to 8760h in whole seconds, found "0s"
                    choose a duration from 30s to 8760h
                """)
    }

    @Test func `login keys of a client that only exchanges are warned of`() throws {
        #expect(
            try warnings(
                of: Sample.login(
                    """
                    session: { idle: 1h }
                    scopes: [openid]
                    """,
                    route:
                        "token: { issuers: [main], audience: api }, upstream_credential: { exchange: { client: shop, audience: orders } }"
                ))
                    == """
                    gateway.yaml:9:5: warning: clients.shop.session: expected a route whose login names the client, found none
                        add  login: shop  to a route, or leave out session, scopes
                    """)
    }

    @Test func `login keys of a client that nobody names are judged all the same`() {
        #expect(
            refusal(of: Sample.login("session: { cookie: __Host-a, idle: 10h }", route: "public: true"))
                == """
                gateway.yaml:9:34: clients.shop.session.idle: expected idle of at most absolute, found 10h and 8h
                    raise absolute or lower idle
                """)
    }

    @Test(.refuses("SC-01")) func `two logins with one cookie are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "session: { cookie: __Host-a }",
                    route: "login: shop }, { path: /b/, upstream: http://127.0.0.1:3000, login: other",
                    rest:
                        "  other: { issuer: main, id: b, authentication: { method: client_secret_basic, secret: { file: other.secret } }, session: { cookie: __Host-a } }"
                ))
                    == """
                    gateway.yaml:10:133: clients.other.session.cookie: expected a cookie of its own for each login, found __Host-a, which is also that of shop
                        rename one of them
                    """)
    }
}
