import Access
import Configuration
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

    @Test(.holds("RS-20")) func `asks for an address of mail and for claims by lists and alternatives`() throws {
        let list = "# people\n\n Ann@Example.com \r\nbob@example.org\n"
        let sources = ConfigurationSources.scripted(
            files: Fixture.files.merging(["people.txt": Fixture.file(list), "groups.txt": Fixture.file("a b\nc\n")]) {
                $1
            })
        let loaded = try settings(
            of: Sample.login(
                "scopes: [openid, email]\nuserinfo: required",
                route: """
                    login: { client: shop, claims: { groups: { all: [x, y] }, teams: { file: groups.txt }, a.b: { any: [1] } },
                      any_claims: { roles: [admin], tenant: acme },
                      email: { domain: Example.COM, subdomains: true, file: people.txt } }
                    """), from: sources)
        let rules = try #require(loaded.routes[0].access.login?.rights.claims)
        #expect(rules.map(\.anyOf) == [["x", "y"], ["a b", "c"], ["1"], [], ["ann@example.com", "bob@example.org"]])
        #expect(rules.map(\.file) == [nil, "groups.txt", nil, nil, "people.txt"])
        #expect(rules[0].kind == .allOf && rules[1].kind == .oneOf)
        #expect(
            rules[3].kind
                == .oneRule([
                    ClaimRuleSettings(claim: ["roles"], anyOf: ["admin"]),
                    ClaimRuleSettings(claim: ["tenant"], anyOf: ["acme"]),
                ]))
        #expect(rules[4].kind == .email(domains: ["example.com"], subdomains: true))
        #expect(
            loaded.logins[0].uses.claimNames == ["a", "email", "email_verified", "groups", "roles", "teams", "tenant"])
    }

    @Test(.refuses("RS-20")) func `lets nobody in by a list that nobody is on`() throws {
        let sources = ConfigurationSources.scripted(
            files: Fixture.files.merging(["people.txt": Fixture.file("# nobody\n")]) { $1 })
        let text = Sample.login(
            "scopes: [openid, email]", route: "login: { client: shop, email: { file: people.txt } }")
        let rules = try settings(of: text, from: sources).routes[0].access.login?.rights.claims
        #expect(rules?.map(\.anyOf) == [[]])
        #expect(try warnings(of: text, from: sources).contains("nobody is on this list"))
    }

    @Test(
        .refuses("RS-20"),
        arguments: [
            ("people.txt", 0o646, "a@example.com\n", "a list that not everybody can change"),
            ("people.txt", 0o644, "a@example.com\nexample.com\n", "an address of mail in each line"),
            ("people.txt", 0o644, "\u{FEFF}a@example.com\n", "a text in UTF-8"),
            ("other.txt", 0o644, "", "a readable file with values"),
        ] as [(String, UInt32, String, String)])
    func `refuses a list that is none`(_ name: String, _ mode: UInt32, _ content: String, _ expected: String) throws {
        var file = Fixture.file(content)
        file.permissions = mode
        let sources = ConfigurationSources.scripted(files: Fixture.files.merging([name: file]) { $1 })
        let found = refusal(
            of: Sample.login(route: "login: { client: shop, email: { file: people.txt } }"),
            from: name == "other.txt" ? .scripted() : sources)
        #expect(found.contains("routes[0].login.email.file: expected \(expected)"), "\(found)")
    }

    @Test(.refuses("RS-20")) func `refuses a list of more values than one can be held against`() throws {
        let list = (0...10_000).map { "group-\($0)\n" }.joined()
        let sources = ConfigurationSources.scripted(
            files: Fixture.files.merging(["groups.txt": Fixture.file(list)]) { $1 })
        let found = refusal(
            of: Sample.login(route: "login: { client: shop, claims: { groups: { file: groups.txt } } }"), from: sources)
        #expect(found.contains("at most 10000 values, found 10001"), "\(found)")
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
