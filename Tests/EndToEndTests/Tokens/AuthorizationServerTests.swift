import TestSupport
import TestTraits
import Testing

/// The whole way with a real authorization server: discovery, tokens, refusals, rotation, failure and recovery.
@Suite(.serialized, .byEachProtocol, .enabled(if: AuthorizationServer.isInstalled))
struct `with a real authorization server` {
    private struct Scene: Sendable {
        let server: AuthorizationServer
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        init(_ server: AuthorizationServer, until milestone: GatewayProcess.Milestone = .ready, leeway: String = "30s")
            throws
        {
            self.server = server
            upstream = try RecordingUpstream()
            gateway = try GatewayProcess(
                """
                workers: 2
                listeners:
                  - { address: "127.0.0.1:0", public_url: "http://gateway.test" }
                admin: { address: "127.0.0.1:0" }
                issuers:
                  main: { url: "\(server.issuer)", discovery: openid, insecure_allow_http: true, leeway: \(leeway) }
                routes:
                  - path: /orders/
                    upstream: \(upstream.url)
                    token:
                      issuers: [main]
                      audience: \(server.resource)
                      scopes: { GET: ["orders:read"], POST: ["orders:read", "orders:write"] }
                    identity: { X-User: sub, X-Client: client_id, X-Scopes: scope }
                log: { level: debug }

                """, until: milestone)
        }

        func ask(_ token: String, _ method: String = "GET") throws -> WireResponse {
            try gateway.exchange(
                request(method, "/orders/a", fields: ["Authorization: Bearer \(token)"]), method: method)
        }
    }

    private static let shared = Shared { try Scene(AuthorizationServer()) }
    private let scene: Scene

    init() throws {
        scene = try Self.shared.get()
        scene.upstream.forget()
    }

    @Test func `a user's token passes and becomes identity fields`() throws {
        let response = try scene.ask(try scene.server.token())
        #expect(response.status == 200, "\(response.headText)\(scene.gateway.diagnosis)")
        let recorded = try #require(scene.upstream.onlyRequest(for: "/orders/a"))
        #expect(recorded.fields.only("x-user")?.isEmpty == false)
        #expect(recorded.fields.only("x-client") == "orders-client")
        #expect(Set(recorded.fields["x-scopes"].joined().split(separator: " ")) == ["orders:read", "orders:write"])
        #expect(!recorded.fields.contains("authorization"))
    }

    @Test func `an RS256 token and a client's own token pass`() throws {
        for options in [["--client", "orders-client-rs256"], ["--grant", "client_credentials"]] {
            let token = try scene.server.token(options[0], options[1])
            let response = try scene.ask(token)
            #expect(response.status == 200, "\(options) \(response.headText)\(scene.gateway.diagnosis)")
        }
    }

    @Test(.refuses("RS-13")) func `a token for another resource is refused`() throws {
        let token = try scene.server.token("--resource", "https://other.example/api")
        try expectInvalidToken(try scene.ask(token))
        #expect(scene.upstream.requests.isEmpty)
    }

    @Test(.refuses("RS-19")) func `a token without the scope is refused with all scopes`() throws {
        let token = try scene.server.token("--scope", "orders:read")
        let read = try scene.ask(token)
        #expect(read.status == 200, "\(read.headText)\(scene.gateway.diagnosis)")
        let response = try scene.ask(token, "POST")
        expectTemplate(response, status: 403)
        #expect(try challenge(response)["error"] == "insufficient_scope")
        #expect(try challenge(response)["scope"] == "orders:read orders:write")
    }

    @Test(.refuses("RS-02")) func `no token and a spoilt one are refused`() throws {
        try expectNoCredentials(try scene.gateway.exchange(request("GET", "/orders/a")))
        let token = try scene.server.token()
        try expectInvalidToken(try scene.ask(String(token.dropLast(8)) + "AAAAAAAA"))
    }

    @Test(.holds("JOSE-17")) func `keys that rotate on the way are followed`() throws {
        let server = try AuthorizationServer()
        let scene = try Scene(server)
        let former = try server.token()
        #expect(try scene.ask(former).status == 200)
        try server.rotateKeys()
        let next = try server.token()
        #expect(try scene.ask(next).status == 200)
        // Both keys are published: tokens from before the rotation live on.
        #expect(try scene.ask(former).status == 200)
    }

    @Test(.refuses("RS-15")) func `a token that expires is refused from then on`() throws {
        let server = try AuthorizationServer(accessTokenSeconds: 15)
        let scene = try Scene(server, leeway: "0s")
        let token = try server.token()
        #expect(try scene.ask(token).status == 200)
        var last: WireResponse?
        #expect(
            try eventually {
                last = try scene.ask(token)
                return last?.status == 401
            })
        try expectInvalidToken(try #require(last))
    }

    @Test(.holds("RS-24")) func `a gateway that starts before its issuer becomes ready by itself`() throws {
        let server = try AuthorizationServer()
        let token = try server.token()
        server.stop()
        let scene = try Scene(server, until: .listening)
        #expect(try scene.gateway.status("/readyz") == 503)
        expectAuthorizationDown(try scene.ask(token))
        #expect(scene.upstream.requests.isEmpty)
        try server.start()
        #expect(eventually(within: .seconds(120)) { (try? scene.gateway.status("/readyz")) == 200 })
        #expect(try scene.ask(token).status == 200)
        // Down again, within the stale limit: nothing changes.
        server.stop()
        #expect(try scene.ask(token).status == 200)
        #expect(try scene.gateway.status("/readyz") == 200)
    }
}
