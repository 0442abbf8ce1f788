import Access
import Configuration
import Gateway
import HTTPMessage
import Issuers
import TestTraits
import Testing

@Suite struct `a route that loads` {
    @Test(.holds("HTTP-76")) func `a route with a token rule asks for a token`() throws {
        let token = try token(of: Sample().text)
        #expect(token.issuers == ["main"])
        #expect(token.audiences == ["api"])
        #expect(token.queryToken == .reject)
        #expect(!token.optional)
        #expect(!token.userOnly)
        #expect(token.realm == "portcullis")
    }

    @Test(.holds("HTTP-51")) func `an upstream on another port of this machine is fine`() throws {
        let upstream = try settings(of: Sample().text).routes[0].upstream
        #expect(upstream == UpstreamSettings(host: "127.0.0.1", port: 3000))
    }

    @Test func `an upstream with TLS takes authorities and a name`() throws {
        let text = Sample(
            routes: """
                routes: [{ path: /, public: true, upstream: { url: https://10.0.0.7, certificate_authority: ca.pem,
                  server_name: orders.internal } }]
                """
        ).text
        let upstream = try settings(of: text).routes[0].upstream
        #expect(
            upstream
                == UpstreamSettings(
                    host: "10.0.0.7", port: 443, tls: true, certificateAuthorityFile: "ca.pem",
                    serverName: "orders.internal"))
    }

    @Test(.holds("RS-13")) func `several audiences are a list`() throws {
        let text = Sample.route("token: { issuers: [main], audience: [a, b] }")
        #expect(try token(of: text).audiences == ["a", "b"])
    }

    @Test func `scopes for all methods leave the methods alone`() throws {
        let settings = try settings(of: Sample.token("scopes: [a, b]"))
        #expect(try token(of: Sample.token("scopes: [a, b]")).rights.scopes == ["a", "b"])
        #expect(settings.routes[0].methods == nil)
    }

    @Test func `scopes by method leave no method without them, and HEAD needs what GET needs`() throws {
        let text = Sample.token("scopes: { GET: [r], POST: [r, w] }")
        #expect(try token(of: text).rights.scopesByMethod == ["GET": ["r"], "HEAD": ["r"], "POST": ["r", "w"]])
        #expect(try settings(of: text).routes[0].methods == ["GET", "POST", "HEAD"])
    }

    @Test func `methods beside scopes by method are kept as they are`() throws {
        let text = Sample.route(
            "methods: [GET, DELETE], token: { issuers: [main], audience: api, scopes: { GET: [r], DELETE: [] } }")
        #expect(try token(of: text).rights.scopesByMethod == ["GET": ["r"], "DELETE": []])
        #expect(try settings(of: text).routes[0].methods == ["GET", "DELETE"])
    }

    @Test func `claims are conditions on paths of names`() throws {
        let text = Sample.token(
            #"claims: { realm_access.roles: [admin, clerk], "https://example.com/a.b": x, 'a\.b': true, level: 3 }"#)
        #expect(
            try token(of: text).rights.claims == [
                ClaimRuleSettings(claim: ["realm_access", "roles"], anyOf: ["admin", "clerk"]),
                ClaimRuleSettings(claim: ["https://example.com/a.b"], anyOf: ["x"]),
                ClaimRuleSettings(claim: ["a.b"], anyOf: ["true"]),
                ClaimRuleSettings(claim: ["level"], anyOf: ["3"]),
            ])
    }

    @Test func `a token rule carries its switches`() throws {
        let text = Sample.token(
            "realm: orders, optional: true, user_only: true, query_token: ignore, schemes: [Bearer]")
        let token = try token(of: text)
        #expect(token.realm == "orders")
        #expect(token.optional)
        #expect(token.userOnly)
        #expect(token.queryToken == .ignore)
    }

    @Test func `identity keeps the order of the file`() throws {
        let text = Sample.tokenRoute(
            #"identity: { X-User-Id: sub, X-Roles: { claim: realm_access.roles, separator: ",", encoding: base64url } }"#
        )
        #expect(
            try settings(of: text).routes[0].identity == [
                IdentityFieldSettings(name: "X-User-Id", claim: ["sub"]),
                IdentityFieldSettings(
                    name: "X-Roles", claim: ["realm_access", "roles"], separator: ",", encoding: .base64url),
            ])
    }

    @Test func `a path relaxed by the route may be its path`() throws {
        let text = Sample(
            routes: """
                routes: [{ path: /a%2Fb, upstream: http://127.0.0.1:3000, public: true, websocket: true,
                  allow_in_path: [non_ascii, encoded_slash] }]
                """
        ).text
        let route = try settings(of: text).routes[0]
        #expect(route.path == "/a%2Fb")
        #expect(route.webSocket)
        #expect(PathAllowances(route.pathAllowances) == [.encodedSlash, .nonASCII])
    }

    @Test func `a path fits in one case unless said otherwise`() throws {
        #expect(try settings(of: Sample().text).routes[0].ignoresCase == false)
        #expect(try settings(of: Sample.tokenRoute("case_insensitive: true")).routes[0].ignoresCase)
    }

    @Test func `paths beside those that fit in any case fit in one`() throws {
        let text = Sample(
            routes: """
                routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true },
                  { path: /Shop/, upstream: http://127.0.0.1:3000, public: true },
                  { path: /shop/admin/, upstream: http://127.0.0.1:3000, public: true, case_insensitive: true },
                  { path: /exact, upstream: http://127.0.0.1:3000, public: true, case_insensitive: true },
                  { path: /Exact/, upstream: http://127.0.0.1:3000, public: true },
                  { path: /shop/administrators, upstream: http://127.0.0.1:3000, public: true }]
                """
        ).text
        #expect(try settings(of: text).routes.map(\.ignoresCase) == [false, false, true, true, false, false])
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else {
            throw NotATokenRoute()
        }
        return token
    }

    private struct NotATokenRoute: Error {}
}

@Suite struct `a configuration that loads with a warning` {
    @Test(.holds("MD-01")) func `an http issuer on loopback, with the dangerous word`() throws {
        let text = Sample(
            issuers: "issuers: { main: { url: http://127.0.0.1:4593/, insecure_allow_http: true } }"
        ).text
        #expect(
            try warnings(of: text)
                == """
                gateway.yaml:2:49: warning: issuers.main.insecure_allow_http: expected https, found an issuer reached by plain HTTP
                    for development only: whoever can change the traffic can sign every token
                """)
        #expect(try settings(of: text).issuers[0].insecureAllowHTTP)
    }
}
