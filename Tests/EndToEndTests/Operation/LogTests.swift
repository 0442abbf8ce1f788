import TestSupport
import TestTraits
import Testing

/// Rows OPS-01 to OPS-03, OPS-06 and section 0.2: what is said to whom.
@Suite(.serialized, .byEachProtocol) struct `logs and refusals` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// Waits until everything sent before this call has been logged.
    private func logsUpToNow() throws -> String {
        let marker = "marker-\(UInt64.random(in: 0...UInt64.max))"
        _ = try stage.exchange("GET", "/open/\(marker)")
        _ = try #require(stage.gateway.accessLine { $0.raw.contains(marker) })
        return stage.gateway.allLogText
    }

    @Test(.refuses("OPS-01")) func `no token is ever logged`() throws {
        let tokens = [
            stage.tokens.token(), stage.tokens.token(["exp": moment(-900)]), stage.tokens.token(["aud": quoted("x")]),
            stage.tokens.token(["scope": quoted("x")]), stage.tokens.token(header: ["typ": quoted("JWT")]),
            stage.tokens.token(header: ["alg": quoted("none")]), stage.tokens.token(["cnf": "{}"]),
            stage.tokens.token(["iss": quoted("https://evil.test")]), "opaque-token-0123456789",
            stage.tokens.token(signedBy: SigningKey(renaming: .otherP256, keyID: "unknown")),
        ]
        for token in tokens {
            for fields in [
                ["Authorization: Bearer \(token)"],
                ["Authorization: Bearer \(token)", "authorization: Bearer \(token)"],
                ["Authorization: Basic \(token)"], ["Authorization: Bearer \(token),\(token)"], ["DPoP: \(token)"],
                ["Cookie: session=\(token)"], ["Authorization : Bearer \(token)"],
            ] {
                let client = try stage.gateway.client()
                try client.send(request("GET", "/orders/a", fields: fields))
                _ = try client.response()
            }
            for name in ["access_token", "code", "state", "id_token", "client_secret", "request", "logout_token"] {
                _ = try stage.exchange("GET", "/open/a?x=1&\(name)=\(token)&y=2")
            }
            _ = try stage.exchange("POST", "/open/a", fields: [], body: "client_assertion=\(token)")
        }
        let logs = try logsUpToNow()
        for token in tokens {
            for part in token.split(separator: ".") where part.count > 20 {
                #expect(!logs.contains(part), "a part of a token was logged")
            }
        }
        #expect(!logs.contains("opaque-token"))
    }

    @Test(.refuses("OPS-01")) func `claims that nobody verified are not logged as facts`() throws {
        let forged = stage.tokens.token(
            ["sub": quoted("mallory-the-forger")], signedBy: SigningKey(renaming: .otherP256, keyID: "main-1"))
        try expectInvalidToken(try stage.exchange("GET", "/orders/a", fields: ["Authorization: Bearer \(forged)"]))
        #expect(!(try logsUpToNow()).contains("mallory-the-forger"))
    }

    @Test(.refuses("OPS-02")) func `what a client writes cannot break a line or colour a terminal`() throws {
        // ESC cannot arrive in a field (HTTP-04), but bytes above ASCII, quotes and backslashes can.
        let bytes =
            Array("GET /open/quoting?a=\"\\x HTTP/1.1\r\nHost: gateway.test\r\nUser-Agent: a\"b\\c\td".utf8)
            + [0x9B, 0x33, 0x31, 0x6D, 0xC2, 0x85, 0xE2, 0x80, 0xA8, 13, 10, 13, 10]
        let client = try stage.gateway.client()
        try client.send(bytes)
        _ = try client.response()
        _ = try logsUpToNow()
        let line = try #require(stage.gateway.process.output.now.first { $0.contains("/open/quoting") })
        #expect(LogLine(line) != nil, "\(line)")
        #expect(
            line.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x2028
            })
        let escape = try stage.gateway.exchange(request("GET", "/open/a", fields: ["User-Agent: a\u{1b}[31m"]))
        #expect(escape.status == 400)
        #expect(!(try logsUpToNow()).unicodeScalars.contains("\u{1b}"))
    }

    @Test(.refuses("OPS-02")) func `a long value does not make a long line`() throws {
        // In what is logged, and in what is not.
        let long = String(repeating: "long-", count: 600)
        let target = "/open/long/\(long)?a=\(long)"
        #expect(try stage.exchange("GET", target, fields: ["User-Agent: \(long)"]).status == 200)
        _ = try logsUpToNow()
        let lines = stage.gateway.process.output.now.filter { $0.contains("/open/long/") }
        #expect(!lines.isEmpty && lines.allSatisfy { $0.utf8.count < 2048 })
    }

    @Test(.holds("OPS-02")) func `every line of both logs is one JSON object`() throws {
        if WireProtocol.current == .http1 { _ = try stage.gateway.exchange("nonsense\r\n\r\n") }
        _ = try logsUpToNow()
        // What the configuration's reader has to say comes before the log begins, for a person at a terminal.
        let errors = stage.gateway.process.errors.now.drop { LogLine($0)?["event"] == nil }
        for line in stage.gateway.process.output.now + errors { #expect(LogLine(line) != nil, "\(line)") }
    }

    @Test(.holds("OPS-03")) func `a request's line tells route, status and request id`() throws {
        let path = "/orders/told-\(UInt64.random(in: 0...UInt64.max))"
        let response = try stage.exchange("GET", path, fields: [stage.tokens.bearer()])
        #expect(response.status == 200)
        let line = try #require(stage.gateway.accessLine { $0["path"] == path })
        #expect(line["status"] == "200")
        #expect(line["route"] == "orders")
        #expect(line["method"] == "GET")
        #expect(line["request_id"]?.isEmpty == false)
    }

    @Test(.holds("OPS-03"))
    func `a request's line tells issuer, client, the subject as a digest, and where its time went`() throws {
        func line(_ claims: [String: String?]) throws -> LogLine {
            let path = "/orders/who-\(UInt64.random(in: 0...UInt64.max))"
            let response = try stage.exchange("GET", path, fields: [stage.tokens.bearer(claims)])
            #expect(response.status == 200, "\(response.headText)")
            return try #require(stage.gateway.accessLine { $0["path"] == path })
        }
        let alice = try line(["sub": quoted("alice"), "client_id": quoted("orders-app")])
        let again = try line(["sub": quoted("alice"), "client_id": quoted("other-app")])
        let bob = try line(["sub": quoted("bob"), "client_id": quoted("orders-app")])
        #expect(alice["issuer"] == stage.issuer.url)
        #expect(alice["client_id"] == "orders-app" && again["client_id"] == "other-app")
        for line in [alice, again, bob] {
            #expect(line["sub_digest"]?.wholeMatch(of: #/[0-9a-f]{8}/#) != nil, "\(line.raw)")
            #expect(line["token"]?.wholeMatch(of: #/[0-9a-f]{8}/#) != nil, "\(line.raw)")
            let times = try ["auth_ms", "upstream_ms", "duration_ms"].map { name in
                try #require(line[name].flatMap { Double($0) }, "\(name) in \(line.raw)")
            }
            #expect(times[0] >= 0 && times[1] >= 0 && times[2] >= max(times[0], times[1]), "\(line.raw)")
        }
        #expect(alice["sub_digest"] == again["sub_digest"] && alice["sub_digest"] != bob["sub_digest"])
        #expect(alice["token"] != again["token"])
        let denied = try stage.exchange("GET", "/orders/who-4", fields: [stage.tokens.bearer(["scope": quoted("x")])])
        let refused = try #require(stage.gateway.accessLine { $0["request_id"] == denied.fields.only("x-request-id") })
        #expect(refused["decision"] == "deny" && refused["auth_ms"] == nil && refused["upstream_ms"] == nil)
    }

    @Test(.refuses("OPS-03")) func `a refusal's line names the row and the client does not learn it`() throws {
        let response = try stage.exchange("GET", "/orders/refused", fields: [stage.tokens.bearer(["aud": quoted("x")])])
        try expectInvalidToken(response)
        let identifier = try #require(response.fields.only("x-request-id"))
        #expect(stage.gateway.operatorLine { $0["request_id"] == identifier && $0.raw.contains("RS-13") } != nil)
        #expect(!text(response.raw).contains("RS-13"))
        // Neither expected nor found goes to the client.
        #expect(!text(response.raw).contains("api.test"))
    }

    @Test func `0.2 each response of the gateway has its own id and reflects nothing`() throws {
        var identifiers: Set<String> = []
        let evil = "<script>reflected</script>"
        let requests: [(String, Int)] = [
            (request("GET", "/nowhere/reflected"), 404), (request("GET", "/orders/reflected"), 401),
            (request("TRACE", "/open/reflected", fields: ["X-Request-Id: reflected"]), 405),
            ("GET /open/\(evil)\" HTTP/1.1\r\nHost: reflected\r\n\r\n", 421),
            ("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nBad Name: reflected\r\n\r\n", 400),
            (request("GET", "/orders/a", fields: ["Authorization: Bearer reflected"]), 401),
            (request("GET", "/orders/a", fields: ["Authorization: Bearer reflected reflected"]), 400),
        ]
        for (message, status) in requests {
            let response = try stage.gateway.exchange(message)
            expectTemplate(response, status: status)
            #expect(!text(response.raw).contains("reflected"))
            #expect(response.fields["server"].isEmpty || !response.fields["server"].joined().contains { $0.isNumber })
            identifiers.insert(response.fields.only("x-request-id") ?? "")
        }
        #expect(identifiers.count == requests.count)
    }

    @Test(.holds("OPS-06"), .refuses("OPS-06"), arguments: ["/metrics", "/readyz", "/healthz", "/startupz"])
    func `the admin pages are on the admin listener and nowhere else`(path: String) throws {
        #expect(try stage.gateway.status(path) == 200)
        expectTemplate(try stage.exchange("GET", path), status: 404)
        #expect(try stage.gateway.status("/open/a") == 404)
        #expect(try stage.gateway.status(path + "/x") == 404)
    }

    @Test(.holds("OPS-06")) func `the metrics page counts and is Prometheus text`() throws {
        _ = try stage.exchange("GET", "/open/a")
        let page = try stage.gateway.admin("/metrics")
        #expect(page.fields.only("content-type")?.hasPrefix("text/plain") == true)
        for line in page.bodyText.split(separator: "\n") where !line.hasPrefix("#") {
            let value = line.split(separator: " ").last.flatMap { Double($0) }
            #expect(value != nil, "\(line)")
        }
        #expect(page.bodyText.contains("portcullis_"))
        #expect(!page.bodyText.contains(stage.tokens.token().prefix(30)))
    }
}
