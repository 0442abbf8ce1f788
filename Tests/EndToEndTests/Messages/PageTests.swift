import JSON
import TestSupport
import TestTraits
import Testing

/// What people see when a route refuses them, and that nobody else sees any of it.
@Suite(.serialized, .byEachProtocol) struct `a page about a refusal` {
    private final class Pages: Sendable {
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        init() throws {
            upstream = try RecordingUpstream()
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  - { address: "127.0.0.1:0", http2: true, public_url: "https://gateway.test" }
                admin: { address: "127.0.0.1:0" }
                issuers: { main: { url: "http://127.0.0.1:9", insecure_allow_http: true } }
                routes:
                  - { path: /app/, upstream: "\(upstream.url)", public: true, methods: [GET, POST], limits: { request_body: 10B } }
                  - { path: /down/, upstream: "http://127.0.0.1:9", public: true }
                  - { path: /replaced/, upstream: "\(upstream.url)", public: true, error_pages: { upstream: [404, 405, 503] } }
                  - { path: /api/, upstream: "\(upstream.url)", token: { issuers: [main], audience: api } }
                pages: { name: "Orders <b>", contact: help@gateway.test, landing: /app/ }
                timeouts: { key_wait: 100ms }
                limits: { header_section: 4KiB, field_line: 4KiB, access_token: 2KiB, request_line: 2KiB }
                log: { level: debug }

                """, until: .listening)
        }

        func exchange(
            _ method: String, _ target: String, _ fields: [String], host: String? = "gateway.test",
            version: String = "1.1", body: String = ""
        )
            throws -> WireResponse
        {
            let client = try gateway.client()
            let lines = ["\(method) \(target) HTTP/\(version)"] + (host.map { ["Host: \($0)"] } ?? []) + fields
            try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
            return try client.response(to: method)
        }
    }

    private static let shared = Shared { try Pages() }
    private let stage: Pages
    private static let navigation = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"]

    init() throws { stage = try Self.shared.get() }

    /// Says that it is of an issuer whose keys nobody can fetch; what its signature is plays no part before that.
    private static let tokenOfSilentIssuer = [
        "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IngifQ",
        "eyJpc3MiOiJodHRwOi8vMTI3LjAuMC4xOjkiLCJleHAiOjQxMDI0NDQ4MDB9", "c2ln",
    ].joined(separator: ".")
    private static let long = "Cookie: a=" + String(repeating: "x", count: 5000)

    /// A request that is refused, with the status and a word of the heading.
    private struct Row {
        var target = "/app/a"
        var fields: [String] = []
        var host: String? = "gateway.test"
        var version = "1.1"
        var status = 400
        var heading = "could not be understood"
        /// Whether a request of HTTP/2 can say it, and gets a status for it: what the frames' layer refuses is a reset.
        var isOfHTTP2 = true
    }

    private static let refused = [
        Row(target: "/nothing", status: 404, heading: "There is nothing here"),
        Row(target: "/app/a%2Fb"),
        Row(host: "evil.test", status: 421, heading: "another address"),
        Row(target: "/api/a", status: 401, heading: "for programs"),
        Row(target: "/down/a", status: 502, heading: "does not answer properly"),
        Row(fields: [long], status: 431, heading: "sends too much"),
        Row(target: "/app/" + String(repeating: "a", count: 3000), status: 414, heading: "too long"),
        // What no parser takes: links with raw bytes, cookies that scripts set, and what is between a browser and us.
        Row(target: "/app/a?\u{E4}"), Row(target: "/app/a#b"),
        Row(fields: ["Cookie: a=\u{1}"]), Row(fields: ["Cookie: a=\u{7F}"]),
        Row(fields: ["Content-Length: 1x"], isOfHTTP2: false), Row(fields: ["Host: gateway.test"], isOfHTTP2: false),
        Row(host: nil, isOfHTTP2: false),
        Row(fields: ["Connection: " + (1...70).map { "a\($0)" }.joined(separator: ", ")], isOfHTTP2: false),
        Row(fields: ["Transfer-Encoding: gzip"], isOfHTTP2: false),
        Row(fields: ["Transfer-Encoding: gzip, chunked"], status: 501, isOfHTTP2: false),
        Row(fields: ["Expect: x"], status: 417), Row(version: "9.9", status: 505, isOfHTTP2: false),
    ]

    @Test(.holds("ECO-85"), arguments: refused.indices)
    func `people get a page, and everybody else what they always got`(
        index: Int
    ) throws {
        let row = Self.refused[index]
        guard WireProtocol.current == .http1 || row.isOfHTTP2 else { return }
        let (target, fields, status, heading) = (row.target, row.fields, row.status, row.heading)
        let page = try stage.exchange("GET", target, Self.navigation + fields, host: row.host, version: row.version)
        let html = text(page.body)
        #expect(page.status == status && html.contains(heading), "\(page.status) \(html.suffix(600))")
        #expect(page.fields.only("content-type") == "text/html; charset=utf-8")
        #expect(page.fields.only("cache-control") == "no-store")
        #expect(page.fields.only("content-language") == "en")
        #expect(html.contains(try #require(page.fields.only("x-request-id"))))
        #expect(html.contains("Orders &lt;b&gt;") && html.contains("mailto:help@gateway.test"))
        #expect(page.body.count <= 8192)
        let policy = try #require(page.fields.only("content-security-policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && policy.contains("frame-ancestors 'none'"))
        for others in [
            [], ["Accept: */*"], ["Sec-Fetch-Mode: cors", "Accept: text/html"],
            ["Sec-Fetch-Dest: image", "Accept: image/*"],
            ["Accept: text/html", "X-Requested-With: x"], ["Accept: text/html", "Sec-Purpose: prefetch"],
        ] {
            let answer = try stage.exchange("GET", target, others + fields, host: row.host, version: row.version)
            #expect(answer.status == status && answer.body.isEmpty, "\(others)")
            #expect(!answer.fields.contains("content-type"))
            // Whatever is said by fields is said to all alike.
            for name in ["www-authenticate", "retry-after", "allow", "connection"] {
                #expect(answer.fields[name] == page.fields[name], "\(name) for \(others)")
            }
        }
    }

    @Test(.holds("ECO-85")) func `a program that asks for problems gets them`() throws {
        let answer = try stage.exchange("GET", "/nothing", ["Accept: application/problem+json, application/json"])
        #expect(answer.status == 404 && answer.fields.only("content-type") == "application/problem+json")
        let problem = try JSONValue.parse(answer.body.span)
        #expect(problem["status"]?.integer == 404 && problem["title"]?.string == "Not Found")
        #expect(problem["request_id"]?.string == answer.fields.only("x-request-id"))
        let unauthorized = try stage.exchange("GET", "/api/a", ["Accept: application/problem+json"])
        #expect(unauthorized.status == 401 && unauthorized.fields.contains("www-authenticate"))
    }

    @Test(.holds("ECO-87")) func `the page is in the language that its reader wants`() throws {
        for (wanted, status, language, heading) in [
            ("de-AT, en;q=0.5", 404, "de", "Hier ist nichts"), ("fr", 404, "en", "There is nothing here"),
            ("en;q=0.1, de;q=0.2", 404, "de", "Hier ist nichts"), ("\u{1}", 400, "en", "could not be understood"),
            ("de\r\nCookie: a=\u{1}", 400, "de", "Diese Anfrage war nicht zu verstehen"),
        ] {
            let answer = try stage.exchange("GET", "/nothing", Self.navigation + ["Accept-Language: \(wanted)"])
            #expect(answer.status == status && answer.fields.only("content-language") == language, "\(wanted)")
            #expect(text(answer.body).contains(heading), "\(wanted)")
        }
        let long = try stage.exchange("GET", "/app/a", Self.navigation + ["Accept-Language: de", Self.long])
        #expect(long.status == 431 && text(long.body).contains("Ihr Browser sendet zu viel"))
    }

    @Test(.refuses("ECO-86")) func `nothing of the request is in the page`() throws {
        for (target, fields, host) in [
            ("/nothing?%3Cscript%3Ezebra", [], "gateway.test"), ("/app/a", ["Cookie: zebra=zebra"], "zebra.test"),
            ("/app/zebra%2F", ["Referer: https://gateway.test/zebra", "User-Agent: zebra"], "gateway.test"),
            ("/app/zebra?\u{E4}", ["Cookie: zebra=\u{1}"], "gateway.test"),
        ] {
            let answer = try stage.exchange("GET", target, Self.navigation + fields, host: host)
            #expect(answer.status >= 400 && text(answer.body).contains("<h1>"))
            #expect(!text(answer.body).contains("zebra"))
        }
    }

    @Test(.holds("ECO-85")) func `a page leads on: to the start, to the site, or to the same again`() throws {
        func body(_ target: String, _ host: String = "gateway.test") throws -> String {
            text(try stage.exchange("GET", target, Self.navigation, host: host).body)
        }
        #expect(try body("/nothing").contains("href=\"/app/\">Back to the start page"))
        #expect(try body("/app/a", "evil.test").contains("href=\"https://gateway.test/app/\">Go to the site"))
        #expect(try body("/down/a").contains("href=\"\">Try again"))
        #expect(try !body("/down/a").contains("Back to the start page"))
        // What is not understood would not be understood the next time.
        for version in WireProtocol.current == .http1 ? ["1.1", "9.9"] : ["1.1"] {
            let answer = try stage.exchange("GET", "/app/\u{E4}", Self.navigation, version: version)
            #expect(text(answer.body).contains("href=\"/app/\">Back to the start page"))
            #expect(!text(answer.body).contains("Try again<"))
        }
    }

    @Test(.refuses("ECO-85")) func `no page leads to the site's start where no route takes it`() throws {
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              - { address: "127.0.0.1:0", http2: true, public_url: "https://gateway.test" }
            admin: { address: "127.0.0.1:0" }
            routes:
              - { path: /app/, upstream: "http://127.0.0.1:9", public: true }

            """, until: .listening)
        for (target, host, status) in [("/app/a", "evil.test", 421), ("/nothing", "gateway.test", 404)] {
            let client = try gateway.client()
            try client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\nAccept: text/html\r\n\r\n")
            let answer = try client.response()
            #expect(answer.status == status && text(answer.body).contains("Check the address"))
            #expect(!text(answer.body).contains("<a "), "\(text(answer.body).suffix(600))")
        }
    }

    @Test(.refuses("ECO-85")) func `HEAD gets the length alone, and 405 and 413 have pages too`() throws {
        let head = try stage.exchange("HEAD", "/nothing", ["Accept: text/html"])
        #expect(head.status == 404 && head.body.isEmpty)
        #expect(Int(head.fields.only("content-length") ?? "0") ?? 0 > 1000)
        let large = try stage.exchange(
            "POST", "/app/a", Self.navigation + ["Content-Length: 20"], body: String(repeating: "x", count: 20))
        #expect(large.status == 413 && text(large.body).contains("too large"))
        let post = try stage.exchange("POST", "/down/a", Self.navigation + ["Content-Length: 0"])
        #expect(post.status == 502 && text(post.body).contains("may not have arrived"))
        #expect(!text(post.body).contains("Try again<") && !post.fields.contains("refresh"))
    }

    @Test(.holds("ECO-88")) func `a page of an outage comes back by itself, and one that answers a form does not`()
        throws
    {
        let fields = Self.navigation + ["Authorization: Bearer \(Self.tokenOfSilentIssuer)"]
        let answer = try stage.exchange("GET", "/api/a", fields)
        #expect(answer.status == 503, "\(answer.headText)")
        let seconds = try #require(answer.fields.only("refresh").flatMap { Int($0) })
        #expect((2...90).contains(seconds) && text(answer.body).contains("tries again by itself"))
        #expect(!(try stage.exchange("POST", "/api/a", fields + ["Content-Length: 0"])).fields.contains("refresh"))
        let program = try stage.exchange("GET", "/api/a", [fields.last ?? ""])
        #expect(program.status == 503 && !program.fields.contains("refresh") && program.fields.contains("retry-after"))
    }

    @Test(.holds("ECO-85")) func `a response of the upstream is its own, unless the route names its status`() throws {
        stage.upstream.answerAll(with: .answer(503, "own", fields: ["Retry-After: 120", "Set-Cookie: a=b"]))
        defer { stage.upstream.answerAll(with: .echo) }
        let replaced = try stage.exchange("GET", "/replaced/a", Self.navigation)
        #expect(replaced.status == 503 && text(replaced.body).contains("does not answer properly"))
        #expect(replaced.fields.only("retry-after") == "120" && !replaced.fields.contains("set-cookie"))
        // The log says that this was the upstream's answer, and that nobody saw it.
        let id = try #require(replaced.fields.only("x-request-id"))
        let line = try #require(stage.gateway.accessLine { $0["request_id"] == id })
        #expect(line["decision"] == "allow" && line["status"] == "503" && line["replaced_by"] == "app_down")
        // Not before the upstream wants to be asked again, and not all at that moment.
        #expect((122...210).contains(try #require(replaced.fields.only("refresh").flatMap { Int($0) })))
        for (target, fields) in [("/replaced/a", ["Accept: */*"]), ("/app/a", Self.navigation)] {
            let answer = try stage.exchange("GET", target, fields)
            #expect(answer.status == 503 && text(answer.body) == "own" && answer.fields.only("set-cookie") == "a=b")
        }
        stage.upstream.answerAll(with: .answer(500, "own"))
        #expect(text(try stage.exchange("GET", "/replaced/a", Self.navigation).body) == "own")
    }

    @Test(.refuses("ECO-85")) func `a page in the place of a 405 says what would be allowed`() throws {
        stage.upstream.answerAll(with: .answer(405, "own", fields: ["Allow: GET, HEAD", "Set-Cookie: a=b"]))
        defer { stage.upstream.answerAll(with: .echo) }
        let replaced = try stage.exchange("GET", "/replaced/a", Self.navigation)
        #expect(replaced.status == 405 && text(replaced.body).contains("<html"))
        #expect(replaced.fields.only("allow") == "GET, HEAD" && !replaced.fields.contains("set-cookie"))
        // No other response has a use for it.
        stage.upstream.answerAll(with: .answer(404, "own", fields: ["Allow: GET, HEAD"]))
        #expect(try stage.exchange("GET", "/replaced/a", Self.navigation).fields.contains("allow") == false)
    }

    /// Responses that a page replaces, and whether another request may follow over their connection.
    private static let replacedResponses: [(name: String, script: WireScript, isKept: Bool)] = [
        ("short", .answer(404, "own"), true), ("without a body", .answer(404, ""), true),
        ("of several readings", .answer(404, String(repeating: "a", count: 60_000)), true),
        ("long", .answer(404, String(repeating: "a", count: 70_000)), false),
        ("of chunks", .raw("HTTP/1.1 404 x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"), false),
        ("said to be the last", .answer(404, "own", fields: ["Connection: close"]), false),
        ("with more behind it", .raw("HTTP/1.1 404 x\r\nContent-Length: 1\r\n\r\nabc"), false),
    ]

    @Test(.holds("HTTP-40"))
    func `a replaced response's connection is kept where its rest is short and its length is known`()
        throws
    {
        defer { stage.upstream.answerAll(with: .echo) }
        for (name, script, isKept) in Self.replacedResponses {
            stage.upstream.answerAll(with: script)
            let before = stage.upstream.connectionCount
            for _ in 0..<20 {
                let answer = try stage.exchange("GET", "/replaced/a", Self.navigation)
                #expect(answer.status == 404 && text(answer.body).contains("<html"), "\(name)")
            }
            let opened = stage.upstream.connectionCount - before
            // What comes while the rest is still being read has a connection of its own.
            #expect(isKept ? opened <= 5 : opened >= 19, "\(name): \(opened)")
        }
    }

    @Test(.refuses("HTTP-40")) func `what is left of a replaced response is nobody's, however late it comes`() throws {
        let gate = Gate()
        stage.upstream.answerAll(
            with: WireScript(
                .text("HTTP/1.1 404 x\r\nContent-Length: 41\r\n\r\n"), .wait(gate),
                .text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na  ")))
        defer { stage.upstream.answerAll(with: .echo) }
        // The page does not wait for it.
        #expect(try stage.exchange("GET", "/replaced/a", Self.navigation).status == 404)
        stage.upstream.answerAll(with: .answer(404, "own"))
        #expect(try stage.exchange("GET", "/replaced/a", Self.navigation).status == 404)
        gate.open()
        stage.upstream.answerAll(with: .echo)
        for _ in 0..<20 {
            let answer = try stage.exchange("GET", "/replaced/a", Self.navigation)
            #expect(answer.status == 200 && text(answer.body).contains("/replaced/a"))
        }
    }
}
