import Access
import Gateway
import Login
import TestTraits
import Testing

@Suite struct `a route with login` {
    @Test(.holds("SC-09", "STEP-04")) func `asks what the file says`() throws {
        let loaded = try settings(
            of: Sample.login(
                "scopes: [openid, orders]",
                route: """
                    login: { client: shop, scopes: [orders], claims: { groups: [staff] }, acr_values: [mfa], max_age: 5m,
                      allowed_origins: ["https://app.example.com:443"], require_header: true, keep_form: true }
                    """))
        let access = try #require(loaded.routes[0].access.login)
        #expect(access.rights.scopes == ["orders"])
        #expect(access.rights.claims.map(\.anyOf) == [["staff"]])
        #expect(access.rights.acrValues == ["mfa"])
        #expect(access.rights.maximumAge == .seconds(300))
        #expect(access.allowedOrigins == ["https://app.example.com"])
        #expect(access.requiresHeader && access.keepsForm && !access.optional)
        #expect(loaded.routes[0].access.token == nil)
        // What is looked at is kept, and nothing else.
        #expect(loaded.logins[0].uses.claimNames == ["acr", "auth_time", "groups"])
        #expect(loaded.logins[0].uses.neededScopes == ["orders"])
    }

    @Test(.holds("SC-11")) func `may take a token too`() throws {
        let loaded = try settings(
            of: Sample.login(
                "scopes: [openid, a, b]",
                route:
                    "token: { issuers: [main], audience: api, scopes: { GET: [a] } }, login: { client: shop, scopes: { GET: [b] } }, identity: { X-Id: sub, X-City: address.city }"
            ))
        guard case .tokenOrLogin(let token, let login) = loaded.routes[0].access else {
            Issue.record("another access")
            return
        }
        #expect(token.rights.scopesByMethod == ["GET": ["a"], "HEAD": ["a"]])
        #expect(login.rights.scopesByMethod == ["GET": ["b"], "HEAD": ["b"]])
        #expect(loaded.routes[0].methods == ["GET", "HEAD"])
        #expect(loaded.logins[0].uses.claimNames == ["address"])
    }

    @Test(.holds("CF-32")) func `needs of a login what each of its routes needs for each method`() throws {
        let route = { (scopes: String) in "path: /, upstream: http://127.0.0.1:3000, login: { client: shop\(scopes) }" }
        let needed = { (first: String, second: String) in
            try settings(
                of: Sample.login(
                    "scopes: [openid, a, b, c]",
                    route:
                        "login: { client: shop\(first) } }, { \(route(second).replacing("path: /", with: "path: /b"))"
                )
            ).logins[0].uses.neededScopes
        }
        #expect(try needed(", scopes: [a, b]", ", scopes: [b, c]") == ["b"])
        #expect(try needed(", scopes: [a, b]", "") == [])
        #expect(try needed(", scopes: [a]", ", scopes: { GET: [a], POST: [a, b] }") == ["a"])
        #expect(try needed(", scopes: [a]", ", scopes: [a], optional: true") == [])
    }

    @Test(.holds("DPOP-45")) func `passes the session's token on, with proofs for a URL of the upstream's own`() throws
    {
        let plain = try settings(of: Sample.login(route: "login: shop, upstream_credential: pass"))
        #expect(plain.logins[0].uses.keepsAccessToken)
        #expect(plain.routes[0].proofURL == nil)
        let said = try settings(
            of: Sample.login(
                "dpop: required",
                route: "login: shop, upstream_credential: { pass: { proof_url: https://api.example.com/v1/ } }"))
        guard case .pass = said.routes[0].credential else {
            Issue.record("another credential")
            return
        }
        #expect(said.routes[0].proofURL == "https://api.example.com/v1")
        #expect(said.logins[0].uses.keepsAccessToken)
    }

    @Test func `repeats claims in assertions, and keeps them for that`() throws {
        let loaded = try settings(
            of: Sample.login(
                route: "login: shop, upstream_credential: { assertion: { audience: a, claims: [email, iss2] } }"))
        #expect(loaded.logins[0].uses.claimNames == ["email", "iss2"])
        #expect(!loaded.logins[0].uses.keepsAccessToken)
    }

    @Test func `may let everybody in and know some of them`() throws {
        let loaded = try settings(of: Sample.login(route: "login: { client: shop, optional: true }"))
        #expect(loaded.routes[0].access.login?.optional == true)
    }
}
