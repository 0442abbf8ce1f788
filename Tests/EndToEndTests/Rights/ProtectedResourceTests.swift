import JSON
import TestSupport
import TestTraits
import Testing

/// Rows MD-20 to MD-25 and MCP-01 to MCP-06: how a client finds out what a resource wants of it.
@Suite(.serialized, .byEachProtocol) struct `protected resources` {
    private static let wellKnown = "/.well-known/oauth-protected-resource"
    private static let base = "https://gateway.test"
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    """
                    { path: /mcp, upstream: $UPSTREAM, mcp: true, token: { issuers: [main], \
                    audience: "https://gateway.test/mcp", scopes: { GET: ["tools:read"], \
                    POST: ["tools:read", "tools:call"] } }, identity: { X-User: sub } }
                    """,
                    """
                    { path: /api/, upstream: $UPSTREAM, allowed_origins: ["https://app.test"], \
                    token: { issuers: [main], audience: "https://api.test/orders", schemes: [DPoP, Bearer], \
                    authorization_details: [{ type: orders }], resource: { name: "The API" } } }
                    """,
                    """
                    { path: /named/, upstream: $UPSTREAM, token: { issuers: [main], \
                    audience: "https://api.test/orders", schemes: [DPoP], \
                    resource: { identifier: "https://gateway.test/elsewhere" } } }
                    """,
                    "{ path: /, upstream: $UPSTREAM, public: true }",
                ], publicURL: base))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func fetch(_ path: String, method: String = "GET", fields: [String] = []) throws -> WireResponse {
        try stage.exchange(method, path, fields: fields)
    }

    private func document(_ path: String) throws -> JSONValue {
        let response = try fetch(Self.wellKnown + path)
        #expect(response.status == 200, "\(response.headText)")
        return try JSONValue.parse(owned: response.body)
    }

    private func texts(_ value: JSONValue?) -> [String]? { value.map { $0.elements.compactMap(\.string) } }

    /// 404 by the gateway: nothing was forwarded.
    private func expectUnknown(_ path: String, at location: SourceLocation = #_sourceLocation) throws {
        expectTemplate(try fetch(path), status: 404, at: location)
        try stage.expectNothingForwarded(at: location)
    }

    @Test(.holds("MD-20", "MD-24")) func `metadata is JSON that anybody may read and keep for a while`() throws {
        let response = try fetch(Self.wellKnown + "/api/", fields: ["Origin: https://anywhere.test"])
        #expect(response.status == 200)
        #expect(response.fields.only("content-type") == "application/json")
        #expect(response.fields.only("cache-control") == "max-age=300")
        #expect(response.fields.only("access-control-allow-origin") == "*")
        #expect(!response.fields.contains("access-control-allow-credentials"))
        #expect(response.fields.only("x-content-type-options") == "nosniff")
        #expect((response.fields.only("x-request-id") ?? "").count == 32)
        #expect(response.ending == .length)
        try stage.expectNothingForwarded()
    }

    @Test(.holds("MD-20")) func `HEAD is answered with the length alone, and the connection goes on`() throws {
        let body = try fetch(Self.wellKnown + "/mcp").body
        let client = try stage.gateway.client()
        let head = request("HEAD", Self.wellKnown + "/mcp")
        try client.send(head + request("GET", Self.wellKnown + "/mcp?ignored=1") + request("GET", "/open/next"))
        let first = try client.response(to: "HEAD")
        #expect(first.status == 200)
        #expect(first.fields.only("content-length") == "\(body.count)")
        #expect(try client.response().body == body)
        #expect(try client.response().status == 200)
    }

    @Test(.holds("OPS-03")) func `what the gateway answers itself is counted in the log, and nothing for HEAD`() throws
    {
        let count = try fetch(Self.wellKnown + "/mcp?counted=1").body.count
        _ = try fetch(Self.wellKnown + "/mcp?counted=2", method: "HEAD")
        let get = try #require(stage.gateway.accessLine { $0.raw.contains("/mcp?counted=1") })
        #expect(count > 0 && get["response_bytes"] == "\(count)", "\(get.raw)")
        let head = try #require(stage.gateway.accessLine { $0.raw.contains("/mcp?counted=2") })
        #expect(head["response_bytes"] == "0", "\(head.raw)")
    }

    @Test(.holds("MD-24")) func `a preflight is answered for every origin`() throws {
        let response = try fetch(
            Self.wellKnown + "/mcp", method: "OPTIONS",
            fields: ["Origin: https://a.test", "Access-Control-Request-Headers: mcp-protocol-version"])
        #expect(response.status == 204)
        #expect(response.fields.only("access-control-allow-origin") == "*")
        #expect(response.fields.only("access-control-allow-headers") == "*")
        #expect(response.fields.only("access-control-allow-methods") == "GET, HEAD, OPTIONS")
        #expect(!response.fields.contains("access-control-allow-credentials"))
    }

    @Test(.holds("MD-20"), .refuses("MD-20"), arguments: ["POST", "PUT", "DELETE", "PATCH", "PROPFIND", "get"])
    func `other methods are not allowed`(method: String) throws {
        let response = try fetch(Self.wellKnown + "/mcp", method: method)
        expectTemplate(response, status: 405)
        #expect(response.fields.only("allow") == "GET, HEAD, OPTIONS")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("MD-21"), arguments: [("/mcp", "/mcp"), ("/api/", "/api/"), ("/elsewhere", "/elsewhere")])
    func `the resource is what its URL was made from`(path: String, resource: String) throws {
        #expect(try document(path)["resource"]?.string == Self.base + resource)
    }

    @Test(
        .refuses("MD-21", "MD-25"),
        arguments: [
            "", "/", "/unknown", "/mcp/", "/MCP", "/api", "/named/", "/orders/", "//mcp", "/mc%70", "/mcp/x",
        ])
    func `what is not published is unknown and never forwarded`(path: String) throws {
        try expectUnknown(Self.wellKnown + path)
    }

    @Test(
        .refuses("MD-25"),
        arguments: [
            "/%2Ewell-known/oauth-protected-resource/mcp", "//.well-known/oauth-protected-resource/mcp",
            "/.well%2Dknown/oauth-protected-resource/x", "/.well-known//oauth-protected-resource/x",
            "/.portcullis/jwks.json", "/.portcullis", "/.portcullis/anything", "/%2eportcullis/x", "//.portcullis/x",
        ])
    func `the gateway's own paths are never forwarded, however they are spelt`(path: String) throws {
        try expectUnknown(path)
    }

    @Test(
        .holds("MD-25"),
        arguments: [
            "/.well-known/oauth-protected-resources", "/.well-known/openid-configuration", "/.well-known/x", "/.x",
            "/.portcullisx", "/x/.well-known/oauth-protected-resource",
        ])
    func `other paths are the routes'`(path: String) throws {
        try stage.expectForwarded(request("GET", path), path: path)
    }

    @Test(.refuses("MD-22")) func `an unknown host learns nothing`() throws {
        let client = try stage.gateway.client()
        try client.send("GET \(Self.wellKnown)/mcp HTTP/1.1\r\nHost: evil.test\r\n\r\n")
        expectTemplate(try client.response(), status: 421)
    }

    @Test(.holds("MD-22")) func `every challenge points to the metadata, whatever the request says of itself`() throws {
        let forged = ["X-Forwarded-Host: evil.test", "Forwarded: host=evil.test"]
        let refusals = [
            try fetch("/mcp", fields: forged), try fetch("/mcp", fields: forged + ["Authorization: Bearer abc"]),
            try fetch("/mcp", fields: forged + ["Authorization: Bearer"]),
            try fetch(
                "/mcp",
                fields: forged + [stage.tokens.bearer(["aud": quoted(Self.base + "/mcp"), "scope": quoted("x")])]),
        ]
        #expect(refusals.map(\.status) == [401, 401, 400, 403])
        for refusal in refusals {
            #expect(
                try challenge(refusal)["resource_metadata"] == "\(Self.base)\(Self.wellKnown)/mcp",
                "\(refusal.headText)")
        }
        #expect(try challenge(fetch("/orders/a"))["resource_metadata"] == nil)
    }

    @Test(.holds("MD-22")) func `schemes share the pointer, and an identifier of its own is pointed to`() throws {
        let both = try fetch("/api/a").fields["www-authenticate"].map { try WireChallenge($0) }
        #expect(both.map(\.scheme) == ["Bearer", "DPoP"])
        for one in both { #expect(one["resource_metadata"] == "\(Self.base)\(Self.wellKnown)/api/") }
        #expect(try challenge(fetch("/named/a"))["resource_metadata"] == "\(Self.base)\(Self.wellKnown)/elsewhere")
    }

    @Test(.holds("MD-23")) func `the document says what the route's rules say`() throws {
        let api = try document("/api/")
        #expect(texts(api["authorization_servers"]) == [stage.issuer.url])
        #expect(api["scopes_supported"] == nil)
        #expect(texts(api["bearer_methods_supported"]) == ["header"])
        #expect(texts(api["dpop_signing_alg_values_supported"]) == ["ES256", "PS256", "EdDSA"])
        #expect(api["dpop_bound_access_tokens_required"] == nil)
        #expect(api["tls_client_certificate_bound_access_tokens"] == nil)
        #expect(texts(api["authorization_details_types_supported"]) == ["orders"])
        #expect(api["resource_name"]?.string == "The API")
        let named = try document("/elsewhere")
        #expect(named["dpop_bound_access_tokens_required"]?.bool == true)
        let mcp = try document("/mcp")
        #expect(texts(mcp["scopes_supported"]) == ["tools:read", "tools:call"])
        #expect(mcp["dpop_signing_alg_values_supported"] == nil)
        #expect(mcp["authorization_details_types_supported"] == nil)
    }

    @Test(.refuses("MCP-01", "MCP-02", "MCP-03")) func `a strict client finds the server from the refusal alone`()
        throws
    {
        // 1: the endpoint refuses and says where to look.
        let endpoint = Self.base + "/mcp"
        let refusal = try stage.exchange("POST", "/mcp", body: "{}")
        try expectNoCredentials(refusal)
        let found = try challenge(refusal)
        #expect(found["scope"] == "tools:read tools:call")
        let url = try #require(found["resource_metadata"])
        // 2: at the same authority, where the endpoint's path is inserted.
        #expect(url == "\(Self.base)\(Self.wellKnown)/mcp")
        let response = try fetch(String(url.dropFirst(Self.base.count)), fields: ["MCP-Protocol-Version: 2025-11-25"])
        let metadata = try JSONValue.parse(owned: response.body)
        // 3: it is about this endpoint and no other.
        #expect(metadata["resource"]?.string == endpoint)
        #expect(texts(metadata["bearer_methods_supported"]) == ["header"])
        // 4: a server to ask.
        let server = try #require(texts(metadata["authorization_servers"])?.first)
        #expect(server == stage.issuer.url)
        // 5: with a token for this resource and these scopes it is let in; without one of them, told all it needs.
        let claims = ["aud": quoted(endpoint), "scope": quoted("tools:read tools:call")]
        let good = try stage.exchange("POST", "/mcp", fields: [stage.tokens.bearer(claims)], body: "{}")
        #expect(good.status == 200, "\(good.headText)")
        let less = ["aud": quoted(endpoint), "scope": quoted("other")]
        let scope = try stage.exchange("POST", "/mcp", fields: [stage.tokens.bearer(less)], body: "{}")
        expectTemplate(scope, status: 403)
        let missing = try challenge(scope)
        #expect(missing["error"] == "insufficient_scope")
        #expect(missing["scope"] == "tools:read tools:call")
        #expect(missing["resource_metadata"] == url)
    }

    @Test(.refuses("MCP-02")) func `a token for another resource, or in the query, is none`() throws {
        let other = ["aud": quoted("https://api.test/orders"), "scope": quoted("tools:read tools:call")]
        try expectInvalidToken(fetch("/mcp", fields: [stage.tokens.bearer(other)]))
        let own = stage.tokens.token(["aud": quoted(Self.base + "/mcp"), "scope": quoted("tools:read")])
        try expectNoCredentials(fetch("/mcp?access_token=\(own)"))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("MCP-03"), arguments: ["tools:read", "tools:call", ""])
    func `whichever scopes are missing, all that the operation needs are announced at once`(
        scope: String
    ) throws {
        let claims = ["aud": quoted(Self.base + "/mcp"), "scope": quoted(scope)]
        let response = try stage.exchange("POST", "/mcp", fields: [stage.tokens.bearer(claims)], body: "{}")
        expectTemplate(response, status: 403)
        #expect(try challenge(response)["scope"] == "tools:read tools:call")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("MCP-01")) func `a route that publishes nothing points nowhere`() throws {
        let found = try challenge(fetch("/orders/a"))
        #expect(found["resource_metadata"] == nil)
        try expectUnknown(Self.wellKnown + "/orders/")
    }

    @Test(.refuses("MCP-04")) func `an MCP server is passed no token`() throws {
        let claims = ["aud": quoted(Self.base + "/mcp"), "scope": quoted("tools:read")]
        let token = stage.tokens.token(claims)
        let recorded = try stage.expectForwarded(
            request("GET", "/mcp", fields: ["Authorization: Bearer \(token)", "DPoP: \(token)"]), path: "/mcp")
        #expect(recorded.fields.only("x-user") == "alice")
        #expect(!recorded.headText.contains(token))
        #expect(!recorded.fields.contains("authorization"))
    }

    @Test(.holds("MCP-06"), arguments: ["https://gateway.test", "HTTPS://Gateway.test", nil])
    func `the server's own origin, and no origin, are served`(origin: String?) throws {
        let claims = ["aud": quoted(Self.base + "/mcp"), "scope": quoted("tools:read")]
        let fields = [stage.tokens.bearer(claims)] + (origin.map { ["Origin: \($0)"] } ?? [])
        #expect(try fetch("/mcp", fields: fields).status == 200)
    }

    @Test(
        .holds("MCP-06"), .refuses("MCP-06"),
        arguments: ["http://evil.test", "http://gateway.test", "https://gateway.test:444", "null", ""])
    func `any other origin is denied, with a good token or without`(origin: String) throws {
        let claims = ["aud": quoted(Self.base + "/mcp"), "scope": quoted("tools:read")]
        for credentials in [[stage.tokens.bearer(claims)], []] {
            let response = try fetch("/mcp", fields: ["Origin: \(origin)"] + credentials)
            expectTemplate(response, status: 403)
            #expect(!response.fields.contains("www-authenticate"))
        }
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("MCP-06")) func `one origin too many is one too many, and other routes name their own`() throws {
        let token = stage.tokens.bearer(["authorization_details": #"[{"type":"orders"}]"#])
        #expect(try fetch("/api/a", fields: [token, "Origin: https://app.test"]).status == 200)
        expectTemplate(
            try fetch("/api/a", fields: [token, "Origin: https://app.test", "Origin: https://evil.test"]), status: 403)
        #expect(try fetch("/open/a", fields: ["Origin: https://evil.test"]).status == 200)
    }
}
