import Foundation
import TestSupport
import TestTraits
import Testing

/// Introspection and DPoP with a real authorization server.
@Suite(.serialized, .byEachProtocol, .enabled(if: AuthorizationServer.isInstalled))
struct `a real authorization server's word` {
    private struct Scene: Sendable {
        let server: AuthorizationServer
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        /// A gateway that asks about every token as this client.
        init(_ server: AuthorizationServer, client: String, secret: String? = nil, introspection: String) throws {
            self.server = server
            upstream = try RecordingUpstream()
            let issuer = server.issuer
            gateway = try GatewayProcess(
                """
                workers: 2
                listeners:
                  - { address: "127.0.0.1:0", http2: true, public_url: "http://gateway.test" }
                admin: { address: "127.0.0.1:0" }
                issuers:
                  main: { url: "\(issuer)", discovery: openid, insecure_allow_http: true, introspection: { \
                client: asker, tokens: all, \(introspection) } }
                clients:
                  asker: { issuer: main, \(client) }
                routes:
                  - path: /orders/
                    upstream: \(upstream.url)
                    token:
                      issuers: [main]
                      schemes: [DPoP, Bearer]
                      audience: \(server.resource)
                      scopes: ["orders:read"]
                    identity: { X-User: sub, X-Client: client_id }
                log: { level: debug }

                """, files: ["asker.secret": try secret ?? server.described("resource_server", "client_secret")])
        }

        func ask(_ fields: String...) throws -> WireResponse {
            try gateway.exchange(request("GET", "/orders/a", fields: fields))
        }
    }

    private static let server = Shared { try AuthorizationServer() }
    private static let basic = Shared { try bySecret() }

    private static func bySecret(_ settings: String = "cache: 0s, negative_cache: 0s") throws -> Scene {
        let server = try Self.server.get()
        let secret = "method: client_secret_basic, secret: { file: $FOLDER/asker.secret }"
        return try Scene(
            server, client: "id: \(server.described("resource_server", "client_id")), authentication: { \(secret) }",
            introspection: settings)
    }

    private static func byKey(_ settings: String = "cache: 0s, negative_cache: 0s") throws -> Scene {
        let server = try Self.server.get()
        let key = try server.described("keyed_resource_server", "key")
        let id = try server.described("keyed_resource_server", "key_id")
        return try Scene(
            server,
            client: """
                id: \(server.described("keyed_resource_server", "client_id")), authentication: { \
                method: private_key_jwt, key: { file: "\(key)" }, key_id: \(id), audience: endpoint }
                """,
            // Its metadata keeps silent about the method at this endpoint: the operator's word goes first.
            introspection: "\(settings), endpoint: \"\(server.described("introspection_endpoint"))\"")
    }

    @Test(.holds("INT-01", "CA-02")) func `is had with a secret, and makes identity fields`() throws {
        let scene = try Self.basic.get()
        scene.upstream.forget()
        let response = try scene.ask("Authorization: Bearer \(scene.server.token())")
        #expect(response.status == 200, "\(response.headText)\(scene.gateway.diagnosis)")
        let seen = try #require(scene.upstream.onlyRequest(for: "/orders/a"))
        #expect(seen.fields.only("x-user")?.isEmpty == false)
        #expect(seen.fields.only("x-client") == "orders-client")
    }

    @Test(.holds("INT-01", "CA-05")) func `is had with a key`() throws {
        let scene = try Self.byKey()
        let token = try scene.server.token()
        let response = try scene.ask("Authorization: Bearer \(token)")
        #expect(response.status == 200, "\(response.headText)\(scene.gateway.diagnosis)")
        #expect(try scene.ask("Authorization: Bearer \(token)").status == 200)
    }

    @Test(.refuses("INT-03")) func `is against a token that was revoked or never issued`() throws {
        let scene = try Self.basic.get()
        let token = try scene.server.token()
        #expect(try scene.ask("Authorization: Bearer \(token)").status == 200)
        try scene.server.revoke(token)
        scene.upstream.forget()
        try expectRefusal(scene.ask("Authorization: Bearer \(token)"))
        try expectRefusal(scene.ask("Authorization: Bearer \(opaqueToken())"))
        try expectRefusal(scene.ask("Authorization: Bearer \(token.dropLast(4))AAAA"))
        #expect(scene.upstream.requests.isEmpty)
    }

    @Test(.refuses("INT-04")) func `is not enough where the token is for another resource or lacks a scope`() throws {
        let scene = try Self.basic.get()
        scene.upstream.forget()
        let other = try scene.server.token("--resource", "https://other.example/api")
        try expectRefusal(scene.ask("Authorization: Bearer \(other)"))
        let poor = try scene.server.token("--scope", "orders:write")
        expectTemplate(try scene.ask("Authorization: Bearer \(poor)"), status: 403)
        #expect(scene.upstream.requests.isEmpty)
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .refuses("INT-06"))
    func `is asked again after a moment, so that a revoked token is refused`() throws {
        let scene = try Self.bySecret("cache: 2s, negative_cache: 0s")
        let token = try scene.server.token()
        #expect(try scene.ask("Authorization: Bearer \(token)").status == 200)
        try scene.server.revoke(token)
        #expect(
            try eventually(within: .seconds(120)) { try scene.ask("Authorization: Bearer \(token)").status == 401 })
    }

    @Test(.holds("INT-08", "INT-10")) func `is had with a signature`() throws {
        for scene in [
            try Self.bySecret("signed: true, audience: \"\(Self.server.get().resource)\", cache: 0s"),
            try Self.byKey("signed: true, audience: \"\(Self.server.get().resource)\", cache: 0s"),
        ] {
            let response = try scene.ask("Authorization: Bearer \(scene.server.token())")
            #expect(response.status == 200, "\(response.headText)\(scene.gateway.diagnosis)")
            #expect(scene.upstream.onlyRequest(for: "/orders/a") != nil)
        }
    }

    @Test(.refuses("INT-08")) func `is not taken when it is signed for another audience`() throws {
        let scene = try Self.bySecret("signed: true, audience: \"https://elsewhere.example\", cache: 0s")
        expectAuthorizationDown(try scene.ask("Authorization: Bearer \(scene.server.token())"))
        #expect(scene.upstream.requests.isEmpty)
    }

    @Test(.refuses("INT-05")) func `is not to be had with a wrong secret, and that is nobody's fault but ours`() throws
    {
        let server = try Self.server.get()
        let scene = try Scene(
            server,
            client: """
                id: \(server.described("resource_server", "client_id")), authentication: { \
                method: client_secret_basic, secret: { file: $FOLDER/asker.secret } }
                """, secret: "wrong", introspection: "cache: 0s")
        expectAuthorizationDown(try scene.ask("Authorization: Bearer \(server.token())"))
        #expect(scene.upstream.requests.isEmpty)
    }

    @Test(.holds("DPOP-01", "DPOP-15", "DPOP-20"), .refuses("DPOP-01", "DPOP-15", "DPOP-20"))
    func `binds a token to a key, with its own proof and no other`() throws {
        let scene = try Self.basic.get()
        scene.upstream.forget()
        let file = scene.server.place("client.pem")
        let token = try scene.server.token("--dpop", file)
        let proof = try Self.proof(key: file, "GET", "http://gateway.test/orders/a", token)
        let fields = ["Authorization: DPoP \(token)", "DPoP: \(proof)"]
        let response = try scene.ask(fields[0], fields[1])
        #expect(response.status == 200, "\(response.headText)\(scene.gateway.diagnosis)")
        #expect(scene.upstream.onlyRequest(for: "/orders/a")?.fields.contains("dpop") == false)
        #expect(try challenges(scene.ask(fields[0], fields[1]))["DPoP"]?["error"] == "invalid_dpop_proof")
        #expect(try challenges(scene.ask("Authorization: Bearer \(token)"))["Bearer"]?["error"] == "invalid_token")
        let foreign = try Self.proof(
            key: scene.server.place("another.pem"), "GET", "http://gateway.test/orders/a", token)
        #expect(try challenges(scene.ask(fields[0], "DPoP: \(foreign)"))["DPoP"]?["error"] == "invalid_token")
        #expect(scene.upstream.requests.count == 1)
    }

    /// The server's tokens and the gateway are agreed about a proof that neither of them made.
    private static func proof(key: String, _ arguments: String...) throws -> String {
        let child = try ChildProcess(AuthorizationServer.tool("dpop-proof"), ["--key", key] + arguments)
        guard child.waitForEnd() == .exited(0) else {
            throw WireFailure.closed(child.errors.now.joined(separator: "\n"))
        }
        return child.output.now.first ?? ""
    }

    private func expectRefusal(
        _ response: WireResponse, at location: SourceLocation = #_sourceLocation
    ) throws {
        expectTemplate(response, status: 401, at: location)
        let bearer = try challenges(response)["Bearer"]
        #expect(bearer?["error"] == "invalid_token", "\(response.headText)", sourceLocation: location)
    }
}
