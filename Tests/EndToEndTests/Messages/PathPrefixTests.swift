import TestSupport
import TestTraits
import Testing

/// Row ECO-68 over real sockets, to clients of either version and to upstreams of either.
@Suite(.serialized, .byEachProtocol) struct `the prefix of a path` {
    private static let relaxed = "allow_in_path: [encoded_slash, backslash, double_encoding, semicolon]"
    private static let shared = Shared {
        try Stage(routes: [
            "{ path: /open/, upstream: $UPSTREAM, public: true }",
            "{ path: /v1/, upstream: $UPSTREAM, public: true, strip_prefix: /v1, websocket: true }",
            "{ path: /v2/, upstream: $UPSTREAM, public: true, strip_prefix: /v2, \(relaxed) }",
            "{ path: /v3/, upstream: $UPSTREAM, public: true, strip_prefix: /v3, map_responses: false }",
            "{ path: /v4/x/, upstream: $UPSTREAM/base/, public: true, replace_prefix: { from: /v4, to: /api } }",
            "{ path: /v5/, upstream: $UPSTREAM/base, public: true }",
            "{ path: /v6/, upstream: $UPSTREAM, public: true, strip_prefix: /v6, case_insensitive: true }",
            """
            { path: /v7/, upstream: $UPSTREAM, strip_prefix: /v7, token: { issuers: [main], \
            audience: "\(TokenForge.audience)", schemes: [DPoP] } }
            """,
        ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(
        .holds("ECO-68"), .refuses("ECO-68"),
        arguments: [
            ("/v1/a", "/a", "/v1"), ("/v1", "/", "/v1"), ("/v1/?b=/v1/c", "/?b=/v1/c", "/v1"), ("/v1?b", "/?b", "/v1"),
            ("/v2/a%2Fb", "/a%2Fb", "/v2"), ("/v4/x/a", "/base/api/x/a", "/v4"), ("/v5/a", "/base/v5/a", nil),
            ("/V6/A", "/A", "/v6"),
        ])
    func `is not the upstream's, which is told of it`(target: String, sent: String, prefix: String?) throws {
        let spoof = ["X-Forwarded-Prefix: /evil", "x_forwarded_prefix: /evil"]
        #expect(try stage.exchange("GET", target, fields: spoof).status == 200)
        let recorded = try #require(stage.upstream.requests.last)
        #expect(recorded.target == sent)
        #expect(recorded.fields["x-forwarded-prefix"] == (prefix.map { [$0] } ?? []))
        #expect(recorded.fields["x_forwarded_prefix"] == [])
        let id = try #require(recorded.fields.only("x-request-id"))
        let line = try #require(stage.gateway.accessLine { $0["request_id"] == id })
        #expect(line["path"]?.hasPrefix(String(target.prefix { $0 != "?" })) == true)
    }

    @Test(.holds("ECO-68"), .byHTTP1(because: "HTTP/2 has no absolute form")) func `goes away from an absolute URL`()
        throws
    {
        #expect(try stage.exchange("GET", "http://gateway.test/v1/a?b").status == 200)
        #expect(stage.upstream.requests.last?.target == "/a?b")
        try stage.expectRefused(request("GET", "http://gateway.test/v1//evil.example"))
    }

    @Test(
        .refuses("ECO-68"),
        arguments: [
            "/v1//evil.example", "/v1/..", "/v1/../a", "/v1;x", "/v1;x/a", "/v1%2Fa", "//v1/a", "/%761/a",
            "/v2//evil.example",
            "/v2/%2Fevil.example", "/v2/%5Cevil.example", "/v2/\\evil.example", "/v2/%252Fevil.example",
            "/v2/;/evil.example",
            "/v6//evil.example",
        ])
    func `leaves nothing that an upstream could take for a server or another path`(path: String) throws {
        let answer = try stage.exchange("GET", path)
        #expect([400, 404].contains(answer.status), "\(answer.headText)")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("ECO-68")) func `is of whole segments`() throws {
        #expect(try stage.exchange("GET", "/v1x/a").status == 404)
        try stage.expectNothingForwarded()
    }

    @Test(.holds("ECO-68")) func `comes back in what the upstream tells of its paths`() throws {
        stage.upstream.answer(
            "/a",
            with: .answer(
                302,
                fields: [
                    "Location: /x?y", "Content-Location: \(stage.upstream.url)/z", "Set-Cookie: a=/; path=/; HttpOnly",
                    "Set-Cookie: b=1; Path = /c ;Secure", "Set-Cookie: __Host-d=1; Path=/; Secure", "Set-Cookie: e=1",
                ]))
        let answer = try stage.exchange("GET", "/v1/a")
        #expect(answer.status == 302)
        #expect(answer.fields["location"] == ["/v1/x?y"])
        #expect(answer.fields["content-location"] == ["/v1/z"])
        #expect(
            answer.fields["set-cookie"] == [
                "a=/; path=/v1; HttpOnly", "b=1; Path = /v1/c ;Secure", "__Host-d=1; Path=/; Secure", "e=1",
            ])
        stage.upstream.answer("/base/api/x/a", with: .answer(302, fields: ["Location: /base/api/y"]))
        #expect(try stage.exchange("GET", "/v4/x/a").fields["location"] == ["/v4/y"])
        stage.upstream.answer("/base/v5/a", with: .answer(302, fields: ["Location: /base/v5/b"]))
        #expect(try stage.exchange("GET", "/v5/a").fields["location"] == ["/v5/b"])
    }

    @Test(
        .refuses("ECO-68"),
        arguments: [
            ("/v1/a", "https://other.example/x"), ("/v1/a", "//other.example/x"), ("/v1/a", "/v1/x"), ("/v1/a", "x"),
            ("/v3/a", "/x"), ("/open/a", "/x"),
        ])
    func `comes back nowhere else`(target: String, location: String) throws {
        for path in ["/a", "/open/a"] {
            stage.upstream.answer(
                path, with: .answer(302, fields: ["Location: \(location)", "Set-Cookie: a=b; Path=/v1"]))
        }
        let answer = try stage.exchange("GET", target)
        #expect(answer.fields["location"] == [location])
        #expect(answer.fields["set-cookie"] == ["a=b; Path=/v1"] || target == "/v3/a")
    }

    @Test(.holds("ECO-68"), .refuses("ECO-68")) func `is in the URL of a proof, which names what clients see`() throws {
        #expect(try ProofCall(path: "/v7/a").send(stage).status == 200)
        #expect(stage.upstream.requests.last?.target == "/a")
        let ofUpstream = try ProofCall(path: "/v7/a", url: "http://gateway.test/a").send(stage)
        #expect(ofUpstream.status == 401)
    }

    @Test(.holds("ECO-68"), .refuses("ECO-68")) func `goes and comes back at an upstream of HTTP/2 too`() throws {
        let front = try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: http://gateway.test, http2: true }]
            admin: { address: "127.0.0.1:0" }
            routes:
              - path: /v1/
                public: true
                strip_prefix: /v1
                upstream: { url: "http://127.0.0.1:\(stage.gateway.port)", protocol: h2 }
            via: front
            log: { level: debug, operator: stderr, access: stdout }

            """)
        stage.upstream.answer(
            "/open/a", with: .answer(302, fields: ["Location: /open/x", "Set-Cookie: a=b; Path=/open"]))
        let answer = try front.exchange(request("GET", "/v1/open/a?b"))
        #expect(answer.status == 302)
        #expect(stage.upstream.requests.last?.target == "/open/a?b")
        #expect(answer.fields["location"] == ["/v1/open/x"])
        #expect(answer.fields["set-cookie"] == ["a=b; Path=/v1/open"])
        #expect(try front.exchange(request("GET", "/v1//open/a")).status == 400)
    }

    @Test(.holds("ECO-68"), .byHTTP1(because: "this is the handshake of HTTP/1.1"))
    func `goes away from the path of a WebSocket`() throws {
        stage.upstream.answer("/socket", with: .answer(426))
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        #expect(try stage.exchange("GET", "/v1/socket", fields: handshake).status == 426)
        let recorded = try #require(stage.upstream.requests.last)
        #expect(recorded.target == "/socket" && recorded.fields["upgrade"] == ["websocket"])
    }
}
