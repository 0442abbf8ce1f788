import TestSupport
import TestTraits
import Testing

/// The paths of logins over real sockets: bodies in every cut, other methods, clients that leave, floods.
@Suite(.serialized, .byEachProtocol) struct `the paths of logins` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web }",
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                ], client: ["response_mode: form_post"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private let form = "Content-Type: application/x-www-form-urlencoded"

    /// A login up to its response: the browser, and the form that it is about to post.
    private func response() throws -> (browser: CookieJar, form: String) {
        var browser = CookieJar()
        let started = try stage.exchange("GET", "/.portcullis/login/web?return_to=/app/a")
        browser.take(started)
        let back = try stage.server.authorize(try #require(started.fields.only("location"), "\(started.headText)"))
        return (browser, String(try #require(back.split(separator: "?").last)))
    }

    private func head(_ browser: CookieJar, _ lines: [String]) -> String {
        request("POST", "/.portcullis/callback/web", fields: browser.lines + [form] + lines)
    }

    private func expectLoggedIn(_ answer: WireResponse, at location: SourceLocation = #_sourceLocation) {
        #expect(
            answer.status == 303 && answer.fields.only("location") == "/app/a",
            "\(answer.headText)\(stage.gateway.diagnosis)", sourceLocation: location)
    }

    @Test(.holds("CF-29")) func `a posted response arrives byte by byte, with a length`() throws {
        let (browser, form) = try response()
        let client = try stage.gateway.client()
        try client.send(head(browser, ["Content-Length: \(form.utf8.count)"]))
        for byte in Array(form.utf8) { try client.send([byte]) }
        expectLoggedIn(try client.response())
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks"), .holds("CF-29"))
    func `a posted response arrives in chunks of every size`() throws {
        for size in [1, 2, 3, 7, 64, 1000] {
            let (browser, form) = try response()
            var body = ""
            var rest = Array(form.utf8)
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                rest.removeFirst(piece.count)
                body += String(piece.count, radix: 16) + "\r\n" + text(Array(piece)) + "\r\n"
            }
            let whole = head(browser, ["Transfer-Encoding: chunked"]) + body + "0\r\n\r\n"
            let client = try stage.gateway.client()
            let start = whole.utf8.count - body.utf8.count
            try client.send(whole, cutAt: Array(stride(from: 1, to: whole.utf8.count, by: max(1, start / 3 + size))))
            expectLoggedIn(try client.response())
        }
    }

    @Test(.holds("CF-29", "H2-72")) func `a request behind a posted response is answered after it`() throws {
        let (browser, form) = try response()
        let client = try stage.gateway.client()
        try client.send(
            head(browser, ["Content-Length: \(form.utf8.count)"]) + form + request("GET", "/open/next")
                + request("GET", "/.portcullis/session/web", fields: ownPage))
        expectLoggedIn(try client.response())
        #expect(try client.response().status == 200)
        #expect(try client.response().status == 401)
        #expect(stage.upstream.requests.map(\.path) == ["/open/next"])
    }

    @Test(.holds("HTTP-61")) func `a client that waits for 100 gets it, then posts`() throws {
        let (browser, form) = try response()
        let client = try stage.gateway.client()
        try client.send(head(browser, ["Content-Length: \(form.utf8.count)", "Expect: 100-continue"]))
        #expect(try client.response().status == 100)
        try client.send(form)
        expectLoggedIn(try client.response())
    }

    @Test(.refuses("HTTP-65")) func `a body of more than 64 KiB is refused, by its length or when it has come`() throws
    {
        let limit = 64 * 1024
        for lines in [["Content-Length: \(limit + 1)"], ["Content-Length: 9000000000000000000"]] {
            let answer = try stage.gateway.exchange(head(CookieJar(), lines))
            #expect(answer.status == 413, "\(answer.headText)")
            #expect(answer.isLast)
        }
        let expecting = try stage.gateway.exchange(
            head(CookieJar(), ["Content-Length: \(limit + 1)", "Expect: 100-continue"]))
        #expect(expecting.status == 413)
        let client = try stage.gateway.client()
        try client.send(head(CookieJar(), ["Transfer-Encoding: chunked"]))
        try client.send("8000\r\n\(String(repeating: "a", count: 0x8000))\r\n")
        try client.send("8000\r\n\(String(repeating: "a", count: 0x8000))\r\n1\r\na\r\n")
        #expect(try client.response().status == 413)
        let largest = "a=" + String(repeating: "a", count: limit - 2)
        let whole = try stage.gateway.exchange(head(CookieJar(), ["Content-Length: \(limit)"]) + largest)
        #expect(whole.status == 400, "\(whole.headText)")
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .refuses("HTTP-65"))
    func `chunks that are none are refused`() throws {
        let answer = try stage.gateway.exchange(head(CookieJar(), ["Transfer-Encoding: chunked"]) + "zz\r\na=1\r\n")
        #expect(answer.status == 400 && answer.isLast, "\(answer.headText)")
    }

    @Test(.refuses("CF-20", "H2-72"), arguments: ["PUT", "DELETE", "OPTIONS", "PATCH", "REPORT"])
    func `methods that no path of logins has are refused with those it has`(method: String) throws {
        let allowed = [
            "login": "GET, POST", "callback": "POST", "logout": "GET, HEAD, POST", "logged-out": "GET, HEAD",
            "session": "GET, HEAD",
        ]
        for (path, methods) in allowed {
            let answer = try stage.exchange(method, "/.portcullis/\(path)/web", body: "a=1")
            #expect(answer.status == 405, "\(path) \(answer.headText)")
            #expect(answer.fields.only("allow") == methods, "\(path) \(answer.headText)")
        }
        #expect(stage.server.requests(for: "authorization_code").isEmpty)
    }

    @Test(.holds("CF-20")) func `a HEAD of a page gets its fields and not the page`() throws {
        let client = try stage.gateway.client()
        try client.send(request("HEAD", "/.portcullis/logged-out/web"))
        let answer = try client.response(to: "HEAD")
        #expect(answer.status == 200 && (answer.fields.only("content-length").flatMap { Int($0) } ?? 0) > 100)
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        #expect(try stage.exchange("HEAD", "/.portcullis/login/web").status == 405)
    }

    @Test(
        .refuses("OPS-05"),
        arguments: [
            "/.portcullis/", "/.portcullis/login/other", "/.portcullis/login/web/", "/.portcullis/Login/web",
            "/.portcullis/loginx/web", "/.portcullis/login/web/x", "/.portcullis/callback", "/.portcullis/%6Cogin/web",
            "/.portcullis/request/none", "/.portcullis/request/", "/.portcullis/backchannel-logout/other",
            "/.portcullis/callback/other?code=a&state=b",
        ])
    func `unknown paths below ours are nobody's`(path: String) throws {
        for method in ["GET", "POST"] {
            let answer = try stage.exchange(method, path, fields: navigation)
            #expect([400, 404, 405].contains(answer.status), "\(method) \(path) \(answer.headText)")
            #expect(answer.fields["set-cookie"] == [] && !answer.fields.contains("location"))
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.byHTTP1(because: "streams that are left: `VanishingClientTests`"), .refuses("OPS-05"))
    func `a client that leaves while its login is answered leaves nothing behind`() throws {
        let gate = Gate()
        stage.server.change { $0.tokenGate = gate }
        for _ in 0..<8 {
            let (browser, form) = try response()
            let client = try stage.gateway.client()
            try client.send(head(browser, ["Content-Length: \(form.utf8.count)"]) + form)
            if Bool.random() { client.reset() } else { client.close() }
        }
        gate.open()
        #expect(eventually { (try? stage.parked()) == 0 }, "\(stage.gateway.diagnosis)")
        let (browser, form) = try response()
        expectLoggedIn(
            try stage.gateway.exchange(head(browser, ["Content-Length: \(form.utf8.count)"]) + form, method: "POST"))
    }

    @Test(.byHTTP1(because: "a client's share is counted by its address, whatever it speaks"), .refuses("OPS-05"))
    func `more logins of one client than may wait are told to come again, and nothing leaks`()
        throws
    {
        let gate = Gate()
        stage.server.change { $0.tokenGate = gate }
        let (browser, form) = try response()
        // One callback over and over: all of them wait for the outcome of the first.
        let callback = head(browser, ["Content-Length: \(form.utf8.count)"]) + form
        // 64 of a client are answered at a time, and 640 wait for their places.
        let most = 64 + 640
        // Connected before the first is sent: the server has ten seconds to answer that one.
        let clients = try (0..<most).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(callback) }
        #expect(eventually { (try? stage.parked()) == most }, "\((try? stage.parked()) ?? -1)")
        #expect(stage.gateway.reading("portcullis_login_requests") == 64)
        for _ in 0..<8 {
            let answer = try stage.gateway.exchange(callback)
            #expect(answer.status == 429 && answer.fields.contains("retry-after"), "\(answer.headText)")
        }
        // Everybody else is served meanwhile.
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        let other = try RawClient(port: stage.gateway.port, from: "127.0.0.2")
        try other.send(request("GET", "/.portcullis/login/web"))
        #expect(try other.response().status == 303)
        gate.open()
        var statuses: [Int: Int] = [:]
        for client in clients {
            let answer = try client.response()
            statuses[answer.status, default: 0] += 1
        }
        #expect(statuses == [303: most], "\(statuses)")
        #expect(stage.server.requests(for: "authorization_code").count == 1)
        #expect(try eventually { try stage.parked() == 0 })
        // Its place is given back when its answer is out, which its client may see before.
        #expect(eventually { stage.gateway.reading("portcullis_login_requests") == 0 })
        #expect(try stage.exchange("GET", "/.portcullis/login/web").status == 303)
    }
}

extension SessionStage {
    /// How many requests wait for an authorization server.
    func parked() throws -> Int {
        let line = try gateway.admin("/metrics").bodyText.split(separator: "\n").first {
            $0.hasPrefix("portcullis_parked_requests ")
        }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
    }
}
