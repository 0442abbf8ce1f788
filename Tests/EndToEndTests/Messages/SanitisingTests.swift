import TestSupport
import TestTraits
import Testing

/// Rows HTTP-12, HTTP-42 to HTTP-47 and HTTP-49: what an upstream can trust because no client can write it, and a client
/// because no upstream can.
@Suite(.serialized, .byEachProtocol) struct `what is stripped and what is injected` {
    private static let shared = Shared {
        try Stage(
            routes: Stage.ordinaryRoutes + [
                """
                { path: /people/, upstream: $UPSTREAM, token: { issuers: [main], audience: "\(TokenForge.audience)" }, \
                identity: { X-User: sub, X-Name: name, X-Roles: realm_access.roles, \
                X-Groups: { claim: groups, separator: "," }, X-Note: { claim: note, encoding: base64url } } }
                """,
                """
                { path: /set/, upstream: $UPSTREAM, public: true, strip_prefix: /set, \
                request_fields: { set: { X-Environment: production }, remove: [X-Debug] } }
                """,
            ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let spellings = ["X-User", "x-user", "X_User", "x-USER", "X.User", "x_user", "X_USER"]

    @Test(.holds("HTTP-12")) func `a name that only resembles is forwarded`() throws {
        let recorded = try stage.expectForwarded(
            request("GET", "/open/a", fields: ["X_Other: 1", "X-Users: 2", "XX-User: 3"]), path: "/open/a")
        #expect(recorded.fields.only("x_other") == "1")
        #expect(recorded.fields.only("x-users") == "2")
        #expect(recorded.fields.only("xx-user") == "3")
    }

    @Test(.refuses("H2-31", "HTTP-12", "HTTP-42"), arguments: spellings)
    func `an identity name in any spelling never arrives`(name: String) throws {
        let line = "\(name): admin"
        let anonymous = try stage.expectForwarded(request("GET", "/open/a", fields: [line]), path: "/open/a")
        #expect(!anonymous.headText.contains("admin"))
        let known = try stage.expectForwarded(
            request("GET", "/orders/a", fields: [line, stage.tokens.bearer(), line]), path: "/orders/a")
        #expect(!known.headText.contains("admin"))
        #expect(known.fields.only("x-user") == "alice")
    }

    @Test(
        .refuses("HTTP-42"),
        arguments: [
            "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Anything", "X_Forwarded_For",
            "X-Forwarded-Prefix", "X_Forwarded_Prefix", "X.Forwarded.Prefix", "Forwarded",
            "X-Real-IP", "X-Original-URL", "X-Original-Anything", "X-Rewrite-URL", "Client-Cert", "Client-Cert-Chain",
            "X-SSL-Client-Verify", "X-SSL-Anything", "X-Client-Cert", "X-Client-Cert-DN", "X-Forwarded-Client-Cert",
            "X-Authenticated-User", "X-Authenticated-Anything", "Remote-User", "X-Remote-User", "remote_user",
            "CLIENT_CERT",
            "X.Real.IP", "Proxy", "Content_Length", "Content.Length", "Transfer_Encoding",
        ])
    func `a name that upstreams trust never arrives`(name: String) throws {
        for path in ["/open/a", "/orders/a"] {
            let fields = ["\(name): forged", stage.tokens.bearer(), "\(name.uppercased()): forged"]
            let recorded = try stage.expectForwarded(request("GET", path, fields: fields), path: path)
            #expect(!recorded.headText.contains("forged"), "\(recorded.headText)")
        }
    }

    @Test(.holds("H2-31", "HTTP-42")) func `every identity field arrives exactly once`() throws {
        let fields = [stage.tokens.bearer(), "X-User: admin", "x_user: root", "X-Scopes: all"]
        let recorded = try stage.expectForwarded(request("GET", "/orders/a", fields: fields), path: "/orders/a")
        #expect(recorded.fields["x-user"] == ["alice"])
        #expect(recorded.fields["x-scopes"] == ["orders:read"])
        #expect(!recorded.headText.contains("root"))
    }

    @Test(.holds("HTTP-42"), arguments: [2, 3, 50])
    func `however often a name is sent, the upstream gets one line of it, the gateway's`(count: Int) throws {
        let spellings = (0..<count).map { "\(Self.spellings[$0 % Self.spellings.count]): admin-\($0)" }
        let fields = spellings.prefix(count / 2) + [stage.tokens.bearer()] + spellings.suffix(count - count / 2)
        let recorded = try stage.expectForwarded(
            request("GET", "/orders/a", fields: Array(fields)), path: "/orders/a")
        #expect(recorded.fields["x-user"] == ["alice"])
        #expect(!recorded.headText.contains("admin"))
    }

    @Test(
        .refuses("ECO-68", "ECO-70"),
        arguments: [
            "X-Environment", "X-Debug", "X-Forwarded-Prefix", "X-User", "X-Forwarded-For", "X-Real-IP", "Remote-User",
        ], ["-", "_", ".", "+", "!", "~"])
    func `a field that a route sets or removes is of nobody else, nor is what nobody may write`(
        name: String, hyphen: String
    ) throws {
        let spelt = name.replacingOccurrences("-", with: hyphen)
        let lines = [spelt, spelt.lowercased(), spelt.uppercased()].map { "\($0): forged" }
        #expect(try stage.exchange("GET", "/set/a", fields: lines).status == 200)
        let recorded = try #require(stage.upstream.onlyRequest(for: "/a"))
        #expect(!recorded.headText.contains("forged"), "\(recorded.headText)")
        #expect(recorded.fields["x-environment"] == ["production"])
        #expect(recorded.fields["x-forwarded-prefix"] == ["/set"])
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no field Connection"), .holds("ECO-70"),
        arguments: ["X-Environment", "x_environment", "X-Forwarded-Prefix", "X-Debug"])
    func `a client has no field of a route's removed by naming it in Connection`(name: String) throws {
        let sent = request("GET", "/set/a", fields: ["Connection: \(name)", "\(name): forged"])
        let answer = try stage.gateway.exchange(sent)
        guard answer.status == 200 else { return expectTemplate(answer, status: 400) }
        let recorded = try #require(stage.upstream.onlyRequest(for: "/a"))
        #expect(recorded.fields["x-environment"] == ["production"] && !recorded.headText.contains("forged"))
        #expect(recorded.fields["x-forwarded-prefix"] == ["/set"])
    }

    @Test(.byHTTP1(because: "HTTP/2 has no field Connection"), .refuses("HTTP-43"))
    func `a field named in Connection is not forwarded`() throws {
        let fields = ["Connection: X-Foo, keep-alive", "X-Foo: 1", "X-Bar: 2"]
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: fields), path: "/open/a")
        #expect(!recorded.fields.contains("x-foo"))
        #expect(recorded.fields.only("x-bar") == "2")
        #expect(!recorded.headText.lowercased().contains("x-foo"))
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no field Connection"), .refuses("HTTP-44"),
        arguments: ["X-Scopes", "x_scopes", "X-User"])
    func `a client cannot have an injected field removed`(name: String) throws {
        let message = request("GET", "/orders/a", fields: ["Connection: \(name)", stage.tokens.bearer()])
        expectTemplate(try stage.gateway.exchange(message), status: 400)
        try stage.expectNothingForwarded()
    }

    @Test(.byHTTP1(because: "HTTP/2 has no field Connection"), .holds("HTTP-43"))
    func `what Connection names goes first, then what the client calls itself, and identity comes once`()
        throws
    {
        let seen = try stage.expectForwarded(
            request(
                "GET", "/orders/a",
                fields: [
                    "X-User: mallory", "Connection: X-Hop", "X-Hop: 1", "X-Scopes: admin", stage.tokens.bearer(),
                    "x-user: eve",
                ]), path: "/orders/a")
        #expect(!seen.fields.contains("x-hop"))
        #expect(seen.fields["x-user"] == ["alice"] && seen.fields["x-scopes"] == ["orders:read"])
    }

    @Test(.byHTTP1(because: "HTTP/2 has no field Connection"), .holds("HTTP-44"))
    func `an ordinary connection option is fine`() throws {
        try stage.expectForwarded(
            request("GET", "/open/a", fields: ["Connection: keep-alive, X-Hop", "X-Hop: 1"]), path: "/open/a")
    }

    @Test(
        .refuses("HTTP-44"),
        arguments: [
            "Host", "Content-Length", "Authorization", "Cookie", "DPoP", "host", "Transfer-Encoding", "X-User",
            "X-Name",
            "keep-alive, Content-Length", "Content-Length\r\nConnection: close",
        ])
    func `a connection option that names an end-to-end field is refused`(options: String) throws {
        try stage.expectRefused(request("GET", "/open/a", fields: ["Connection: \(options)"]))
    }

    @Test(.byHTTP1(because: "HTTP/2 has no field Connection"), .holds("HTTP-44"), .refuses("HTTP-44"))
    func `a client and an upstream may send sixty-four connection options and no more`() throws {
        let names = (0..<64).map { "X-Hop-\($0)" }
        let lines = ["Connection: \(names.joined(separator: ", "))"] + names.map { "\($0): 1" } + ["X-End: 2"]
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: lines), path: "/open/a")
        #expect(!recorded.headText.lowercased().contains("x-hop") && recorded.fields.only("x-end") == "2")
        stage.upstream.answer("/open/b", with: .answer(200, "ok", fields: lines))
        let passed = try stage.exchange("GET", "/open/b")
        #expect(passed.status == 200 && !passed.headText.lowercased().contains("x-hop"))
        #expect(passed.fields.only("x-end") == "2")
        let tooMany = ["Connection: \(names.joined(separator: ", ")), x"]
        stage.upstream.answer("/open/c", with: .answer(200, "ok", fields: tooMany))
        expectTemplate(try stage.exchange("GET", "/open/c"), status: 502)
        stage.upstream.forget()
        try stage.expectRefused(request("GET", "/open/a", fields: tooMany))
    }

    @Test(
        .refuses("HTTP-45"),
        arguments: [
            "Proxy-Connection: keep-alive", "TE: trailers", "Keep-Alive: timeout=5", "Upgrade: h2c", "Trailer: X-Foo",
            "Proxy-Authorization: Basic eDp5", "Proxy-Authenticate: Basic", "Proxy-Authentication-Info: x",
            "Connection: keep-alive", "HTTP2-Settings: AAMAAABkAAQAAP__",
        ])
    func `a field of one hop is not forwarded to the upstream`(line: String) throws {
        guard WireProtocol.current.allows([line]) else {
            return try stage.expectRefused(request("GET", "/open/a", fields: [line]))
        }
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: [line]), path: "/open/a")
        let name = String(line.prefix { $0 != ":" })
        #expect(!recorded.fields.contains(name), "\(recorded.headText)")
    }

    @Test(.refuses("HTTP-45")) func `a field of one hop is not forwarded to the client`() throws {
        let lines = [
            "Proxy-Connection: keep-alive", "Keep-Alive: timeout=5", "Upgrade: h2c", "Trailer: X-Foo", "TE: trailers",
            "Proxy-Authenticate: Basic realm=x", "Proxy-Authentication-Info: x", "Connection: X-Hop", "X-Hop: 1",
            "X-End: 2",
        ]
        stage.upstream.answer("/open/a", with: .answer(200, "ok", fields: lines))
        let response = try stage.exchange("GET", "/open/a")
        for name in lines.map({ String($0.prefix { $0 != ":" }) }) where name != "X-End" {
            #expect(!response.fields.contains(name), "\(response.headText)")
        }
        #expect(response.fields.only("x-end") == "2")
    }

    @Test(
        .refuses("HTTP-49"),
        arguments: [
            "X-Request-Id", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port",
            "X-Forwarded-Anything", "X-Real-IP", "Client-Cert", "Client-Cert-Chain", "Forwarded", "X_Forwarded_For",
            "X-User",
            "x.user",
        ])
    func `a reserved name of an upstream never reaches the client`(name: String) throws {
        stage.upstream.answer("/open/a", with: .answer(200, fields: ["\(name): theirs", "X-End: 2"]))
        let response = try stage.exchange("GET", "/open/a")
        #expect(!response.headText.contains("theirs"), "\(response.headText)")
        #expect(response.fields.only("x-end") == "2")
    }

    @Test(.holds("HTTP-46")) func `claims of every kind become one line each`() throws {
        let claims: [String: String?] = [
            "name": quoted("Zoë"), "realm_access": #"{"roles":["clerk","chief of staff"]}"#,
            "groups": #"["a","b"]"#, "note": quoted("Zoë"),
        ]
        let recorded = try stage.expectForwarded(
            request("GET", "/people/a", fields: [stage.tokens.bearer(claims)]), path: "/people/a")
        #expect(recorded.fields["x-user"] == ["alice"])
        #expect(recorded.fields["x-name"] == ["Zo%C3%AB"])
        #expect(recorded.fields["x-groups"] == ["a,b"])
        #expect(recorded.fields["x-note"] == ["Wm_Dqw"])
        #expect(recorded.fields["x-roles"].count == 1)
        #expect(recorded.fields.all.first { $0.value == "alice" }?.name == "X-User")
    }

    @Test(
        .refuses("HTTP-46"),
        arguments: [
            #"a\r\nX-Admin: 1"#, #"a\nX-Admin: 1"#, #"a\rX-Admin: 1"#, #"a\u0000b"#, #"a\u0085X-Admin: 1"#,
            #"a\u2028b"#,
            #"%0d%0aX-Admin: 1"#,
        ])
    func `no claim can split a field`(value: String) throws {
        let recorded = try stage.expectForwarded(
            request("GET", "/people/a", fields: [stage.tokens.bearer(["name": quoted(value)])]), path: "/people/a")
        #expect(!recorded.fields.contains("x-admin"))
        let name = try #require(recorded.fields.only("x-name"))
        #expect(name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        if value.hasPrefix("%") { #expect(name.hasPrefix("%250d%250a")) }
    }

    @Test(.refuses("HTTP-46"), arguments: [1_000, 8_000])
    func `a long claim is injected whole or the request is refused`(count: Int) throws {
        let name = String(repeating: "ë", count: count / 2)
        let token = stage.tokens.bearer(["name": quoted(name)])
        let response = try stage.exchange("GET", "/people/a", fields: [token])
        if response.status == 200 {
            let recorded = try #require(stage.upstream.onlyRequest(for: "/people/a"))
            #expect(recorded.fields.only("x-name") == String(repeating: "%C3%AB", count: count / 2))
        } else {
            expectTemplate(response, status: response.status)
            try stage.expectNothingForwarded()
        }
    }

    @Test(.refuses("HTTP-46")) func `a claim that the token lacks injects nothing`() throws {
        let recorded = try stage.expectForwarded(
            request("GET", "/people/a", fields: [stage.tokens.bearer(), "X-Name: forged"]), path: "/people/a")
        #expect(!recorded.headText.contains("forged"))
        #expect(recorded.fields["x-name"].joined().isEmpty)
    }

    @Test(.holds("HTTP-47")) func `neither token nor proof reaches the upstream`() throws {
        let token = stage.tokens.token()
        for path in ["/orders/a", "/open/a"] {
            let fields = ["Authorization: Bearer \(token)", "DPoP: proof-of-something"]
            let recorded = try stage.expectForwarded(request("GET", path, fields: fields), path: path)
            #expect(!recorded.fields.contains("authorization"), "\(path)")
            #expect(!recorded.fields.contains("dpop"), "\(path)")
            #expect(!recorded.headText.contains(token))
        }
    }
}
