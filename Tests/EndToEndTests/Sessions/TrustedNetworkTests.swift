import TestSupport
import TestTraits
import Testing

/// Row ECO-95: who is in a network that needs no login, and who only says so.
@Suite(.serialized, .byEachProtocol) struct `a route that a network needs no login for` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    """
                    { path: /app/, upstream: $UPSTREAM, login: { client: web, \
                    networks: [10.1.0.0/16, 127.0.0.0/8, "fd00::/8"] }, identity: { X-User: sub } }
                    """,
                    "{ path: /shut/, upstream: $UPSTREAM, login: web, identity: { X-User: sub } }",
                ], listener: ["trusted_proxies: [127.0.0.1/32]", "forwarded: true"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func from(_ chain: String) -> [String] { ["X-Forwarded-For: \(chain)"] }

    @Test(.holds("ECO-95"), arguments: ["10.1.2.3", "203.0.113.9, 10.1.255.255", "fd12::1", "::ffff:10.1.0.0"])
    func `lets its clients through without identity, and the log says so`(chain: String) throws {
        let fields = from(chain) + ["X-User: mallory", "X_User: mallory", "X-Forwarded-User: mallory"]
        let answer = try stage.exchange("GET", "/app/a", fields: fields)
        #expect(answer.status == 200, "\(answer.headText)")
        let seen = try stage.forwarded("/app/a")
        #expect(!seen.headText.contains("mallory") && seen.fields["x-user"] == [])
        let id = try #require(seen.fields.only("x-request-id"))
        let line = stage.gateway.accessLine { $0["request_id"] == id }
        #expect(line?["without_login"] == "network")
        // Another route knows nothing of it.
        expectLoginNeeded(try stage.exchange("GET", "/shut/a", fields: from(chain)))
    }

    @Test(
        .refuses("ECO-95"),
        arguments: [
            // Others, a chain whose near end is another's, and what is no address.
            "10.2.0.1", "203.0.113.9", "10.1.2.3, 203.0.113.9", "10.1.2.3, unknown", "[10.1.2.3", "fe80::1",
            "::10.1.2.3", "10.1.2.3, x, 127.0.0.1", "127.0.0.1",
        ])
    func `sends everybody else to sign in`(chain: String) throws {
        expectLoginNeeded(try stage.exchange("GET", "/app/b", fields: from(chain)))
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("ECO-95")) func `does not believe other fields, nor a proxy that names nobody`() throws {
        for field in [
            "X-Real-IP: 10.1.2.3", "Forwarded: for=10.1.2.3", "True-Client-IP: 10.1.2.3", "X_Forwarded_For: 10.1.2.3",
            "X-Client-IP: 10.1.2.3", "X-Forwarded-Host: 10.1.2.3",
        ] {
            expectLoginNeeded(try stage.exchange("GET", "/app/c", fields: [field]))
            // Nor beside what the proxy says, before and behind it.
            for fields in [[field] + from("203.0.113.9"), from("203.0.113.9") + [field]] {
                expectLoginNeeded(try stage.exchange("GET", "/app/c", fields: fields))
            }
        }
        // What a client wrote stands in a line of its own before the proxy's.
        expectLoginNeeded(try stage.exchange("GET", "/app/c", fields: from("10.1.2.3") + from("203.0.113.9")))
        // The proxy's own address is in a network of the route, and stands for whoever it is asked by.
        expectLoginNeeded(try stage.exchange("GET", "/app/c"))
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("ECO-95")) func `shows no page of another site what it fetches or frames there`() throws {
        let site = ["Sec-Fetch-Site: cross-site"]
        for fields in [
            site + ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"], site + ["Sec-Fetch-Mode: cors"], site,
            site + ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe", "Accept: text/html"],
            // Browsers that say little: a script may say what it accepts.
            ["Origin: https://evil.test", "X-Requested-With: a"], ["Origin: null"],
            ["Origin: https://gateway.test", "Origin: https://evil.test"], ["Sec-Fetch-Site: none"] + site,
        ] {
            for method in ["GET", "HEAD"] {
                let answer = try stage.exchange(method, "/app/e", fields: from("10.1.2.3") + fields)
                #expect(answer.status == 401, "\(method) \(fields) \(answer.headText)")
            }
        }
        let says = ["Origin: https://evil.test", "Accept: text/html"]
        #expect(try stage.exchange("GET", "/app/e", fields: from("10.1.2.3") + says).status == 303)
        #expect(stage.upstream.requests.isEmpty)
        // Who goes there by a link gets there, and so does what the gateway's own pages fetch.
        for fields in [
            site + ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
            ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"], ownPage, ["Accept: text/html"], [],
        ] {
            #expect(try stage.exchange("GET", "/app/e", fields: from("10.1.2.3") + fields).status == 200, "\(fields)")
        }
    }

    @Test(.refuses("ECO-95", "HTTP-69")) func `has nothing of it kept for others by a cache`() throws {
        let answer = try stage.exchange("GET", "/app/a", fields: from("10.1.2.3"))
        #expect(answer.status == 200 && answer.fields["cache-control"] == ["private"], "\(answer.headText)")
    }

    @Test(.refuses("ECO-95")) func `believes nobody whom the listener does not name as a proxy`() throws {
        let stage = try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /far/, upstream: $UPSTREAM, login: { client: web, networks: [10.1.0.0/16] } }",
                    "{ path: /near/, upstream: $UPSTREAM, login: { client: web, networks: [127.0.0.0/8] } }",
                ], listener: ["trusted_proxies: [192.0.2.1/32]", "forwarded: true"]))
        for field in ["X-Forwarded-For: 10.1.2.3", "Forwarded: for=10.1.2.3", "X-Forwarded-For: 10.1.2.3, 192.0.2.1"] {
            expectLoginNeeded(try stage.exchange("GET", "/far/a", fields: [field]))
            #expect(try stage.exchange("GET", "/near/a", fields: [field]).status == 200)
        }
        // A proxy's word before the first byte of HTTP is none here (PROXY protocol, versions 1 and 2).
        for preface in ["PROXY TCP4 10.1.2.3 127.0.0.1 4711 443\r\n", "\r\n\r\n\0\r\nQUIT\n\u{21}\u{11}\0\u{0C}"] {
            let client = try RawClient(port: stage.gateway.port, speaking: .http1)
            try client.send(preface + request("GET", "/far/b"))
            let answer = try? client.response()
            #expect(answer == nil || answer?.status == 400, "\(answer?.headText ?? "")")
        }
        #expect(stage.upstream.requests.allSatisfy { $0.path == "/near/a" })
    }

    @Test(.holds("ECO-76", "ECO-95"), .refuses("ECO-76", "ECO-95"))
    func `believes a header of the PROXY protocol, and no proxy in its network that names nobody by it`()
        throws
    {
        let stage = try SessionStage(
            LoginPlan(
                routes: [
                    """
                    { path: /app/, upstream: $UPSTREAM, login: { client: web, \
                    networks: [10.1.0.0/16, 127.0.0.0/8, "fd00::/8"] } }
                    """
                ], listener: ["proxy_protocol: { from: [127.0.0.1/32] }"]))
        func answer(_ header: String) throws -> WireResponse {
            let client = try RawClient(port: stage.gateway.port, behind: Array(header.utf8))
            try client.send(request("GET", "/app/a", fields: from("10.1.2.3")))
            return try client.response()
        }
        #expect(try answer("PROXY TCP4 10.1.2.3 127.0.0.1 1 2\r\n").status == 200)
        #expect(try answer("PROXY TCP6 fd00::1 ::1 1 2\r\n").status == 200)
        #expect(stage.upstream.requests.count == 2)
        for header in [
            "PROXY TCP4 203.0.113.9 10.1.2.3 1 2\r\n", "PROXY TCP6 fe80::1 fd00::1 1 2\r\n", "PROXY UNKNOWN\r\n",
            "PROXY UNKNOWN 10.1.2.3 10.1.2.3 1 2\r\n", "\r\n\r\n\0\r\nQUIT\n\u{20}\0\0\0",
            "\r\n\r\n\0\r\nQUIT\n\u{21}\0\0\0",
        ] {
            expectLoginNeeded(try answer(header))
        }
        #expect(stage.upstream.requests.count == 2)
    }

    @Test(.holds("ECO-95")) func `still knows who is signed in`() throws {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/app/d", browser: browser, fields: from("10.1.2.3")).status == 200)
        #expect(try stage.forwarded("/app/d").fields.only("x-user") == "alice")
        let line = stage.gateway.accessLine { $0["path"] == "/app/d" }
        #expect(line != nil && line?["without_login"] == nil)
    }

    @Test(.refuses("ECO-95")) func `lets no page elsewhere act by a browser of that network`() throws {
        let foreign = ["Origin: https://evil.test", "Sec-Fetch-Site: cross-site"]
        for fields in [foreign, [], ["Origin: null"]] {
            let answer = try stage.exchange("POST", "/app/e", fields: from("10.1.2.3") + fields, body: "x")
            #expect(answer.status == 403, "\(answer.headText)")
        }
        #expect(stage.upstream.requests.isEmpty)
        #expect(try stage.exchange("POST", "/app/e", fields: from("10.1.2.3") + ownPage, body: "x").status == 200)
        let program = from("10.1.2.3") + ["X-Requested-By: curl"]
        #expect(try stage.exchange("POST", "/app/f", fields: program, body: "x").status == 200)
    }
}
