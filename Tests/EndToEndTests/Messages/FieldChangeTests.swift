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
                    """
                    { path: /told/, upstream: $UPSTREAM, token: { issuers: [main], audience: "\(TokenForge.audience)", \
                    optional: true }, response_fields: { set: { X-Told: { claim: tenant }, X-All: { claim: groups }, X-B: c } } }
                    """,
                    """
                    { path: /told-here, token: { issuers: [main], audience: "\(TokenForge.audience)" }, respond: { body: ok }, \
                    response_fields: { set: { X-Told: { claim: tenant } } } }
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

    @Test(.holds("ECO-70"), .refuses("ECO-70"))
    func `tell a client its own claims, and never what an upstream says under their names`() throws {
        let forged = [
            "X-Told: evil", "x_told: evil", "X-All: evil", "X.Told: evil", "Cache-Control: public, max-age=60",
        ]
        for path in ["/told/a", "/open/a"] { stage.upstream.answer(path, with: .answer(200, fields: forged)) }
        let own = stage.tokens.bearer(["tenant": quoted("acme"), "groups": #"["a","b c",7]"#])
        let answer = try stage.exchange("GET", "/told/a", fields: [own, "X-Told: mine"])
        #expect(answer.status == 200)
        #expect(answer.fields["x-told"] == ["acme"], "\(answer.headText)")
        #expect(answer.fields["x-b"] == ["c"] && answer.fields["x_told"] == [] && answer.fields["x.told"] == [])
        #expect(!answer.fields["x-all"].contains("evil"))
        #expect(answer.fields["cache-control"] == ["no-store"], "what is one user's is in no cache")
        #expect(try #require(stage.upstream.onlyRequest(for: "/told/a")).fields["x-told"] == [])
        // Each client has its own.
        let other = stage.tokens.bearer(["tenant": quoted("other")])
        #expect(try stage.exchange("GET", "/told/a", fields: [other]).fields["x-told"] == ["other"])
        #expect(try stage.exchange("GET", "/told/a", fields: [own]).fields["x-told"] == ["acme"])
        // Nobody is known, or the token says nothing: there is no such field, whoever would have filled it.
        for fields in [[], [stage.tokens.bearer()]] {
            let answer = try stage.exchange("GET", "/told/a", fields: fields)
            #expect(answer.status == 200 && answer.fields["x-b"] == ["c"])
            #expect(answer.fields["x-told"] == [] && answer.fields["x-all"] == [], "\(answer.headText)")
        }
        #expect(try stage.exchange("GET", "/open/a").fields["x-told"] == [], "on no route")
        #expect(try stage.exchange("GET", "/told-here", fields: [own]).fields["x-told"] == ["acme"])
        let refused = try stage.exchange("GET", "/told-here")
        #expect(refused.status == 401 && refused.fields["x-told"] == [])
    }

    @Test(.refuses("ECO-70")) func `write a claim as one value, whatever is in it`() throws {
        stage.upstream.answer("/told/a", with: .answer(200))
        for value in ["a\\r\\nSet-Cookie: evil=1", "a\\u0000b", "\\u00e9\\u4f60", " a ", "%0d%0a"] {
            let answer = try stage.exchange(
                "GET", "/told/a", fields: [stage.tokens.bearer(["tenant": "\"\(value)\""])])
            #expect(answer.status == 200 && answer.fields["set-cookie"] == [], "\(answer.headText)")
            #expect(answer.fields["x-told"].count == 1)
            #expect(answer.fields["x-told"].allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        }
        // Percent signs make it three times as long: refused before anything is sent, and no answer is cut.
        let long = stage.tokens.bearer(["tenant": quoted(String(repeating: "é", count: 2800))])
        for path in ["/told/a", "/told-here"] {
            let requests = stage.upstream.requests.count
            let answer = try stage.exchange("GET", path, fields: [long])
            #expect(answer.fields["x-told"] == [] && answer.status == 403, "\(answer.headText)")
            #expect(stage.upstream.requests.count == requests)
        }
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
