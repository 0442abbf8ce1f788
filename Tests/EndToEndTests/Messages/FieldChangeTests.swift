import TestSupport
import TestTraits
import Testing

/// Row ECO-70 over real sockets.
@Suite(.serialized, .byEachProtocol) struct `the fields that a route changes` {
    private static let security = [
        "strict-transport-security", "x-content-type-options", "referrer-policy", "x-frame-options",
        "content-security-policy",
    ]
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: [
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                    """
                    { path: /set/, upstream: $UPSTREAM, public: true, \
                    request_fields: { set: { X-Environment: "production; a=b" }, remove: [X-Debug, User-Agent] }, \
                    response_fields: { set: { X-Robots-Tag: noindex }, remove: [Server, X-Powered-By] } }
                    """,
                    """
                    { path: /claim/, upstream: $UPSTREAM, token: { issuers: [main], audience: "\(TokenForge.audience)" }, \
                    request_fields: { set: { X-Tenant: { claim: tenant } } } }
                    """,
                    "{ path: /strict/, upstream: $UPSTREAM, public: true, security_headers: true }",
                    """
                    { path: /own/, upstream: $UPSTREAM, public: true, security_headers: true, \
                    response_fields: { set: { X-Frame-Options: DENY }, remove: [Referrer-Policy] } }
                    """,
                    """
                    { path: /here, public: true, respond: { body: ok }, security_headers: true, \
                    response_fields: { set: { X-A: b, X-Content-Type-Options: nosniff } } }
                    """,
                ], publicURL: "https://gateway.test"))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("ECO-70"), .refuses("ECO-70"))
    func `are the route's at the upstream, in whatever spelling a client sends others`() throws {
        let sent = [
            "X-Environment: test", "x_environment: test", "X.Environment: test", "X-Debug: 1", "X_Debug: 1",
            "User-Agent: a",
            "X-Other: c",
        ]
        #expect(try stage.exchange("GET", "/set/a", fields: sent).status == 200)
        let recorded = try #require(stage.upstream.onlyRequest(for: "/set/a"))
        #expect(recorded.fields["x-environment"] == ["production; a=b"])
        for name in ["x_environment", "x.environment", "x-debug", "x_debug", "user-agent"] {
            #expect(recorded.fields[name] == [], "\(name)")
        }
        #expect(recorded.fields["x-other"] == ["c"])
        #expect(try stage.exchange("GET", "/open/a", fields: ["X-Debug: 1", "X-Environment: test"]).status == 200)
        let other = try #require(stage.upstream.onlyRequest(for: "/open/a"))
        #expect(other.fields["x-debug"] == ["1"] && other.fields["x-environment"] == ["test"])
    }

    @Test(.holds("ECO-70"), .refuses("ECO-70")) func `are of a claim, and of nobody else's writing on any route`()
        throws
    {
        let fields = [stage.tokens.bearer(["tenant": quoted("acme")]), "X-Tenant: evil", "x_tenant: evil"]
        #expect(try stage.exchange("GET", "/claim/a", fields: fields).status == 200)
        let recorded = try #require(stage.upstream.onlyRequest(for: "/claim/a"))
        #expect(recorded.fields["x-tenant"] == ["acme"] && recorded.fields["x_tenant"] == [])
        #expect(try stage.exchange("GET", "/open/a", fields: ["X-Tenant: evil"]).status == 200)
        #expect(try #require(stage.upstream.onlyRequest(for: "/open/a")).fields["x-tenant"] == [])
    }

    @Test(.holds("ECO-70")) func `are the route's at clients, in place of the upstream's`() throws {
        stage.upstream.answer(
            "/set/a", with: .answer(200, fields: ["Server: a", "x-powered-by: b", "X-Robots-Tag: all", "X-Other: c"]))
        let answer = try stage.exchange("GET", "/set/a")
        #expect(answer.fields["x-robots-tag"] == ["noindex"])
        #expect(answer.fields["server"] == [] && answer.fields["x-powered-by"] == [])
        #expect(answer.fields["x-other"] == ["c"])
    }

    @Test(.holds("ECO-70")) func `make browsers strict by one word, on every answer of the route`() throws {
        for path in ["/strict/a", "/here"] {
            let answer = try stage.exchange("GET", path)
            #expect(
                Self.security.map { answer.fields[$0] } == [
                    ["max-age=31536000"], ["nosniff"], ["strict-origin-when-cross-origin"], ["SAMEORIGIN"],
                    ["frame-ancestors 'self'"],
                ], "\(answer.headText)")
        }
        #expect(try stage.exchange("GET", "/here").fields["x-a"] == ["b"])
        let plain = try stage.exchange("GET", "/open/a")
        #expect(Self.security.allSatisfy { plain.fields[$0].isEmpty })
    }

    @Test(
        .refuses("ECO-70"),
        arguments: [
            (["X-Frame-Options: DENY"], ["DENY"], []),
            (["content-security-policy: default-src 'none'"], ["SAMEORIGIN"], ["default-src 'none'"]),
            (
                ["X-Frame-Options: DENY", "Content-Security-Policy: a", "Content-Security-Policy: b"], ["DENY"],
                ["a", "b"]
            ),
        ])
    func `never double or loosen what the upstream says to browsers`(
        sent: [String], frame: [String], policy: [String]
    ) throws {
        let more = [
            "Strict-Transport-Security: max-age=1", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
        ]
        stage.upstream.answer("/strict/a", with: .answer(200, fields: sent + more))
        let answer = try stage.exchange("GET", "/strict/a")
        #expect(answer.fields["x-frame-options"] == frame)
        #expect(answer.fields["content-security-policy"] == policy)
        #expect(answer.fields["strict-transport-security"] == ["max-age=1"])
        #expect(answer.fields["referrer-policy"] == ["no-referrer"])
        #expect(answer.fields["x-content-type-options"] == ["nosniff"])
    }

    @Test(.holds("ECO-70")) func `are what the configuration says where it says both`() throws {
        stage.upstream.answer(
            "/own/a", with: .answer(200, fields: ["Referrer-Policy: unsafe-url", "X-Frame-Options: ALLOW"]))
        let answer = try stage.exchange("GET", "/own/a")
        #expect(answer.fields["x-frame-options"] == ["DENY"])
        #expect(answer.fields["content-security-policy"] == [])
        #expect(answer.fields["referrer-policy"] == ["strict-origin-when-cross-origin"])
    }
}
