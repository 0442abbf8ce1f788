import Gateway
import TestTraits
import Testing

@Suite struct `a published resource` {
    @Test(.holds("MD-20")) func `is published when the route says so`() throws {
        #expect(try token(of: Sample().text).resource == nil)
        #expect(try token(of: Sample.token("resource: false")).resource == nil)
        #expect(try token(of: Sample.token("resource: true")).resource == ResourceSettings())
        #expect(try token(of: Sample.token("resource: { name: Orders }")).resource == ResourceSettings(name: "Orders"))
        #expect(
            try token(of: Sample.token("resource: { identifier: 'https://shop.example.com/x' }")).resource
                == ResourceSettings(identifier: "https://shop.example.com/x"))
    }

    @Test(.holds("MD-22")) func `may be at any host of a listener, and on loopback without TLS`() throws {
        let listener = "listeners: [{ address: 127.0.0.1:1, public_url: 'http://localhost:8080', hosts: [b.example] }]"
        for identifier in ["http://localhost:8080/mcp", "https://b.example", "https://b.example:443/x"] {
            let route = "resource: { identifier: '\(identifier)' }"
            let text = Sample(
                listeners: listener,
                routes:
                    "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api, \(route) } }]"
            ).text
            #expect(refusal(of: text) == "")
        }
    }

    @Test(.holds("MD-21")) func `of two routes may be one when both want the same`() throws {
        let token = "token: { issuers: [main], audience: api, resource: { identifier: 'https://shop.example.com/x' } }"
        let text = Sample(
            routes: """
                routes: [{ path: /a, upstream: http://127.0.0.1:3000, \(token) },
                  { path: /b, upstream: http://127.0.0.1:3000, \(token) }]
                """
        ).text
        #expect(refusal(of: text) == "")
    }

    @Test(.refuses("MD-21")) func `of two routes with other scopes is refused`() {
        #expect(
            refusal(of: Self.two("scopes: [a]", "scopes: [b]"))
                == """
                gateway.yaml:4:126: routes[1].token.resource.identifier: expected a resource identifier of its own, or the same rules for both routes, found "https://shop.example.com/x", which is also that of line 3
                    give one of them another identifier, or the same issuers, scopes, types of details, schemes and name
                """)
    }

    @Test(.refuses("MD-21")) func `of two routes with other schemes is refused`() {
        #expect(
            refusal(of: Self.two("schemes: [DPoP]", "schemes: [Bearer]"))
                == """
                gateway.yaml:4:132: routes[1].token.resource.identifier: expected a resource identifier of its own, or the same rules for both routes, found "https://shop.example.com/x", which is also that of line 3
                    give one of them another identifier, or the same issuers, scopes, types of details, schemes and name
                """)
    }

    @Test(.refuses("MD-21")) func `of two routes with other types of authorization details is refused`() {
        #expect(
            refusal(of: Self.two("authorization_details: [{ type: a }]", "authorization_details: [{ type: b }]"))
                .contains("expected a resource identifier of its own, or the same rules for both routes"))
    }

    @Test(.refuses("MD-21")) func `that is another route's URL is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes: """
                        routes: [{ path: /a, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api, resource: true } },
                          { path: /b, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api, scopes: [x],
                            resource: { identifier: 'https://shop.example.com/a' } } }]
                        """
                ).text)
                    == """
                    gateway.yaml:5:29: routes[1].token.resource.identifier: expected a resource identifier of its own, or the same rules for both routes, found "https://shop.example.com/a", which is also that of line 3
                        give one of them another identifier, or the same issuers, scopes, types of details, schemes and name
                    """)
    }

    @Test(.refuses("MD-22")) func `at a host that is not ours is refused`() {
        #expect(
            refusal(of: Sample.token("resource: { identifier: 'https://other.example/x' }"))
                == """
                gateway.yaml:3:119: routes[0].token.resource.identifier: expected a resource identifier at a host of a listener, found "https://other.example/x"
                    clients fetch the metadata from https://other.example: add that host to the listener's hosts
                """)
    }

    @Test(.refuses("MD-22")) func `at another port of our host is refused`() {
        #expect(
            refusal(of: Sample.token("resource: { identifier: 'https://shop.example.com:8443/x' }"))
                == """
                gateway.yaml:3:119: routes[0].token.resource.identifier: expected a resource identifier at a host of a listener, found "https://shop.example.com:8443/x"
                    clients fetch the metadata from https://shop.example.com:8443: add that host to the listener's hosts
                """)
    }

    @Test(.refuses("MD-22")) func `with plain HTTP is refused`() {
        #expect(
            refusal(of: Sample.token("resource: { identifier: 'http://shop.example.com/x' }"))
                == """
                gateway.yaml:3:119: routes[0].token.resource.identifier: expected an https resource identifier, found "http://shop.example.com/x"
                    use https; plain HTTP is possible on loopback only
                """)
    }

    @Test(.refuses("MD-20")) func `with a query is refused`() {
        #expect(
            refusal(of: Sample.token("resource: { identifier: 'https://shop.example.com/x?y' }"))
                == """
                gateway.yaml:3:119: routes[0].token.resource.identifier: expected a resource identifier without query and fragment, found "https://shop.example.com/x?y"
                    leave them out (RFC 9728 section 1.2)
                """)
    }

    @Test(.refuses("MD-20")) func `with a fragment is refused`() {
        #expect(
            refusal(of: Sample.token("resource: { identifier: 'https://shop.example.com/x#y' }"))
                == """
                gateway.yaml:3:119: routes[0].token.resource.identifier: expected a resource identifier without query and fragment, found "https://shop.example.com/x#y"
                    leave them out (RFC 9728 section 1.2)
                """)
    }

    @Test(.refuses("MD-20")) func `that is no URL is refused`() {
        #expect(
            refusal(of: Sample.token("resource: { identifier: orders }"))
                == """
                gateway.yaml:3:119: routes[0].token.resource.identifier: expected a resource identifier such as https://shop.example.com/api/orders, found "orders"
                    write an absolute https URL
                """)
    }

    @Test(.refuses("MD-20")) func `in a word is refused`() {
        #expect(
            refusal(of: Sample.token("resource: published"))
                == """
                gateway.yaml:3:105: routes[0].token.resource: expected true or false, found "published"
                    write it as  resource: { name: Orders }
                """)
    }

    @Test(.refuses("MD-22")) func `under a public URL with plain HTTP is refused`() {
        #expect(
            refusal(
                of: Sample(
                    listeners: "listeners: [{ address: 127.0.0.1:1, public_url: http://shop.example.com }]",
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api, resource: true } }]"
                ).text)
                    == """
                    gateway.yaml:3:95: routes[0].token.resource: expected an https public_url for a published resource, found "http://shop.example.com"
                        write the listener's public_url with https, or give the resource an identifier with https
                    """)
    }

    @Test(.refuses("MCP-05")) func `leaves offline_access out with a warning`() throws {
        #expect(
            try warnings(of: Sample.token("resource: true, scopes: [a, offline_access]"))
                == """
                gateway.yaml:3:123: warning: routes[0].token.scopes[1]: expected scopes of this resource, found "offline_access"
                    it is neither announced nor asked for: clients request it by themselves; leave it out
                """)
    }

    @Test(.refuses("MCP-05")) func `does not ask for offline_access`() throws {
        let all = try token(of: Sample.token("resource: true, scopes: [a, offline_access]"))
        #expect(all.scopes == ["a"])
        let some = try token(of: Sample.token("resource: true, scopes: { GET: [offline_access, a], PUT: [b] }"))
        #expect(some.scopesByMethod == ["GET": ["a"], "HEAD": ["a"], "PUT": ["b"]])
    }

    @Test(.refuses("MCP-05")) func `with offline_access as its only scope is refused`() {
        #expect(
            refusal(of: Sample.token("resource: true, scopes: [offline_access]"))
                == """
                gateway.yaml:3:120: routes[0].token.scopes[0]: expected a scope of this resource, found "offline_access"
                    no resource asks for refresh tokens: name the scope that this operation needs
                """)
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else { throw NotATokenRoute() }
        return token
    }

    private struct NotATokenRoute: Error {}

    private static func two(_ first: String, _ second: String) -> String {
        let route = { (path: String, keys: String) in
            "{ path: \(path), upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api, \(keys), resource: { identifier: 'https://shop.example.com/x' } } }"
        }
        return Sample(routes: "routes: [\(route("/a", first)),\n  \(route("/b", second))]").text
    }
}

@Suite struct `an MCP route` {
    @Test(.holds("MCP-01")) func `publishes its resource, MCP-06 takes our own Origin alone`() throws {
        let text = Sample.route("mcp: true, token: { issuers: [main], audience: https://shop.example.com/ }")
        let route = try settings(of: text).routes[0]
        #expect(route.isMCP)
        #expect(route.allowedOrigins == ["https://shop.example.com"])
        #expect(try token(of: text).resource == ResourceSettings())
        let silent = try settings(of: Sample().text).routes[0]
        #expect(!silent.isMCP)
        #expect(silent.allowedOrigins == nil)
    }

    @Test(.holds("MCP-06")) func `takes the origins that the file says, as browsers write them`() throws {
        let text = Sample.tokenRoute("allowed_origins: ['https://App.example:443/', 'http://localhost:5173']")
        #expect(try settings(of: text).routes[0].allowedOrigins == ["https://app.example", "http://localhost:5173"])
        #expect(try settings(of: Sample.route("public: true, allowed_origins: []")).routes[0].allowedOrigins == [])
    }

    @Test(.holds("MCP-02")) func `names its identifier among its audiences`() throws {
        let text = Sample.route(
            "mcp: true, token: { issuers: [main], audience: [old, https://shop.example.com/m], resource: { identifier: 'https://shop.example.com/m' } }"
        )
        #expect(refusal(of: text) == "")
    }

    @Test(.refuses("MCP-02")) func `with tokens for something else is refused`() {
        #expect(
            refusal(of: Sample.route("mcp: true, token: { issuers: [main], audience: api }"))
                == """
                gateway.yaml:3:101: routes[0].token.audience: expected the resource identifier https://shop.example.com/ in the audience of an MCP route, found "api"
                    MCP clients ask for tokens for that URL (RFC 8707): write it as audience, or as one of them
                """)
    }

    @Test(.refuses("MCP-02")) func `with another spelling of its URL is refused`() {
        #expect(
            refusal(of: Sample.route("mcp: true, token: { issuers: [main], audience: https://shop.example.com }"))
                == """
                gateway.yaml:3:101: routes[0].token.audience: expected the resource identifier https://shop.example.com/ in the audience of an MCP route, found "https://shop.example.com"
                    MCP clients ask for tokens for that URL (RFC 8707): write it as audience, or as one of them
                """)
    }

    @Test(.refuses("MCP-01")) func `without a token is refused`() {
        #expect(
            refusal(of: Sample.route("mcp: true, public: true"))
                == """
                gateway.yaml:3:54: routes[0].mcp: expected a token on an MCP route, found public: true
                    say token in place of public, or leave mcp out
                """)
    }

    @Test(.refuses("MCP-01")) func `that publishes nothing is refused`() {
        #expect(
            refusal(
                of: Sample.route(
                    "mcp: true, token: { issuers: [main], audience: https://shop.example.com/, resource: false }"))
                    == """
                    gateway.yaml:3:128: routes[0].token.resource: expected a published resource on an MCP route, found false
                        leave resource out: MCP clients find the authorization server through it
                    """)
    }

    @Test(.refuses("MCP-04")) func `that passes tokens on is refused`() {
        #expect(
            refusal(
                of: Sample.route(
                    "mcp: true, token: { issuers: [main], audience: https://shop.example.com/ }, upstream_credential: pass"
                ))
                    == """
                    gateway.yaml:3:151: routes[0].upstream_credential: expected no token passed through on an MCP route, found pass
                        MCP forbids it: the token was made for this server; use exchange or assertion
                    """)
    }

    @Test(.holds("MCP-05")) func `leaves offline_access out with a warning`() throws {
        #expect(
            try warnings(
                of: Sample.route(
                    "mcp: true, token: { issuers: [main], audience: https://shop.example.com/, scopes: [offline_access, tools] }"
                ))
                    == """
                    gateway.yaml:3:137: warning: routes[0].token.scopes[0]: expected scopes of this resource, found "offline_access"
                        it is neither announced nor asked for: clients request it by themselves; leave it out
                    """)
    }

    @Test(.refuses("MCP-06")) func `an origin with a path is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("allowed_origins: ['https://app.example/x']"))
                == """
                gateway.yaml:3:115: routes[0].allowed_origins[0]: expected a URL such as https://app.example.com, found "https://app.example/x"
                    leave out path and query: Origin has none
                """)
    }

    @Test(.refuses("MCP-06")) func `the origin of no page is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("allowed_origins: ['null']"))
                == """
                gateway.yaml:3:115: routes[0].allowed_origins[0]: expected a URL such as https://app.example.com, found "null"
                    write it as  https://app.example.com
                """)
    }

    @Test(.refuses("MCP-06")) func `an origin said twice is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("allowed_origins: ['https://app.example', 'https://app.example']"))
                == """
                gateway.yaml:3:138: routes[0].allowed_origins[1]: expected each value once, found "https://app.example" again
                    keep one of them
                """)
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else { throw NotATokenRoute() }
        return token
    }

    private struct NotATokenRoute: Error {}
}
