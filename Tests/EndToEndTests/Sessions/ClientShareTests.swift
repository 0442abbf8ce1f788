import TestSupport
import TestTraits
import Testing

/// Row OPS-05, T-42: one client has its share of what all need to log in and out, and the others have theirs.
@Suite(.serialized) struct `the share of one client` {
    private static let hostile = "127.0.0.2"
    private static let start = "/.portcullis/login/web?return_to=/app/a"
    private static let tooMany = "client_logins_too_many"

    private func stage(_ limits: String, client: [String] = [], timeouts: String = "") throws -> SessionStage {
        try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"], client: client,
                settings: "limits: { \(limits) }" + (timeouts.isEmpty ? "" : "\ntimeouts: { \(timeouts) }")))
    }

    /// A connection of the client that takes all it can.
    private func hostile(_ stage: SessionStage, _ message: String) throws -> RawClient {
        let client = try RawClient(port: stage.gateway.port, from: Self.hostile)
        try client.send(message)
        return client
    }

    private func refusals(_ stage: SessionStage, _ cause: String = tooMany) -> Int {
        let page = (try? stage.gateway.admin("/metrics").bodyText) ?? ""
        return page.split(separator: "\n").filter {
            $0.hasPrefix("portcullis_refusals_total") && $0.contains("cause=\"\(cause)\"")
        }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    private func expectToldToWait(_ answer: WireResponse, at location: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 429, "\(answer.headText)", sourceLocation: location)
        #expect(answer.fields.only("retry-after") == "1", sourceLocation: location)
        #expect(answer.fields["set-cookie"].isEmpty, sourceLocation: location)
        #expect(answer.fields["location"].isEmpty, sourceLocation: location)
    }

    private func expectNothingHeld(_ stage: SessionStage, at location: SourceLocation = #_sourceLocation) {
        for gauge in ["portcullis_login_requests", "portcullis_parked_requests"] {
            #expect(eventually { stage.gateway.reading(gauge) == 0 }, "\(gauge)", sourceLocation: location)
        }
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05")) func `so many starts at once, and the server is asked for no more`()
        throws
    {
        let stage = try stage(
            "login_rate_per_client: 1, login_burst_per_client: 5", client: ["authorization_request: pushed"])
        let began = ContinuousClock.now
        let answers = try (0..<40).map { _ in try hostile(stage, request("GET", Self.start)).response() }
        let seconds = Int((ContinuousClock.now - began) / Duration.seconds(1))
        let begun = answers.filter { $0.status == 303 }
        // The bucket fills by one a second meanwhile.
        #expect((5...(6 + seconds)).contains(begun.count), "\(begun.count) in \(seconds) s")
        #expect(stage.server.pushes == begun.count)
        let refused = answers.filter { $0.status != 303 }
        for answer in refused { expectToldToWait(answer) }
        #expect(refused.first?.bodyText.contains("Too many requests") == true)
        #expect(eventually { refusals(stage) == refused.count })
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == Self.tooMany })
        #expect(line["expected"] == "1 logins a second of one client (limits.login_rate_per_client)")
        #expect(line["found"] == "more of \(Self.hostile)")
        _ = try stage.login()
        expectNothingHeld(stage)
    }

    @Test(.holds("OPS-05")) func `an office that begins its logins at once comes back at once`() throws {
        // A tenth of the defaults, and a tenth of the office that they are for.
        let stage = try stage("login_rate_per_client: 20, login_burst_per_client: 200, logins_per_client: 6")
        let begun = try (0..<200).map { _ in
            let started = try hostile(stage, request("GET", Self.start)).response()
            try #require(started.status == 303, "\(started.headText)")
            var browser = CookieJar()
            browser.take(started)
            return (browser, try #require(started.fields.only("location")))
        }
        let answers = try begun.map { browser, location in
            let back = try stage.server.authorize(location).dropFirst("https://gateway.test".utf8.count)
            return try hostile(stage, request("GET", String(back), fields: browser.lines)).response()
        }
        #expect(answers.allSatisfy { $0.status == 303 }, "\(answers.count { $0.status == 429 }) told to wait")
        #expect(refusals(stage) == 0)
        expectNothingHeld(stage)
    }

    @Test(.holds("OPS-05")) func `a silent login is of the same share as a start, and callbacks have one of their own`()
        throws
    {
        let stage = try stage("login_rate_per_client: 1, login_burst_per_client: 3")
        #expect(try hostile(stage, request("GET", Self.start)).response().status == 303)
        let made = "/.portcullis/callback/web?code=made-up&state=made-up"
        let silent = request("GET", "/.portcullis/session/web?s%69lent=1", fields: ownPage)
        // More than one second's worth, however slow the machine.
        let callbacks = try (0..<20).map { _ in try hostile(stage, request("GET", made)).response() }
        // Of three starts two are left, which no callback takes.
        let starts = try (0..<2).map { _ in try hostile(stage, request("GET", Self.start)).response() }
        #expect(starts.map(\.status) == [303, 303])
        let questions = try (0..<20).map { _ in try hostile(stage, silent).response() }
        for answers in [callbacks, questions] {
            let refused = try #require(answers.first { $0.status == 429 }, "\(answers.map(\.status))")
            expectToldToWait(refused)
        }
        for kind in ["callbacks", "logins"] {
            let words = "1 \(kind) a second of one client (limits.login_rate_per_client)"
            #expect(stage.gateway.operatorLine { $0["expected"] == words } != nil, "\(stage.gateway.diagnosis)")
        }
        // What ends or tells of a session is of no rate.
        for _ in 0..<5 {
            #expect(try hostile(stage, request("GET", "/.portcullis/logout/web")).response().status == 200)
            #expect(
                try hostile(stage, request("GET", "/.portcullis/session/web", fields: ownPage)).response().status
                    == 401)
        }
        #expect(stage.server.requests(for: "authorization_code").isEmpty)
    }

    @Test(.holds("OPS-05")) func `so many callbacks under way, further ones wait, and others log in and out meanwhile`()
        throws
    {
        let stage = try stage("logins_per_client: 2")
        let gate = Gate()
        let waiting = try (0..<5).map { _ in
            let started = try hostile(stage, request("GET", Self.start)).response()
            var browser = CookieJar()
            browser.take(started)
            let back = try stage.server.authorize(try #require(started.fields.only("location")))
            return (browser, String(back.dropFirst("https://gateway.test".utf8.count)))
        }
        let browser = try stage.login()
        stage.server.change { $0.tokenGate = gate }
        let before = stage.server.requests(for: "authorization_code").count
        let clients = try waiting.map { browser, callback in
            try hostile(stage, request("GET", callback, fields: browser.lines))
        }
        #expect(eventually { stage.gateway.reading("portcullis_parked_requests") == 5 })
        #expect(stage.gateway.reading("portcullis_login_requests") == 2)
        #expect(eventually { stage.server.requests(for: "authorization_code").count == before + 2 })
        // Another client begins and ends what it likes.
        #expect(try stage.exchange("GET", Self.start).status == 303)
        var leaving = browser
        leaving.take(try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage))
        #expect(leaving[SessionStage.cookie] == nil)
        #expect(try stage.exchange("GET", "/app/a", browser: browser, fields: navigation).status == 303)
        #expect(stage.server.requests(for: "authorization_code").count == before + 2)
        gate.open()
        for client in clients { #expect(try client.response().status == 303) }
        #expect(refusals(stage) == 0 && refusals(stage, "logins_too_many") == 0)
        expectNothingHeld(stage)
    }

    @Test(.refuses("OPS-05"))
    func `signatures of two clients that take all they may keep nobody from beginning a login`() throws {
        let plan = LoginPlan(
            routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"],
            client: [
                "authorization_request: signed",
                "request_object: { key: { file: $FOLDER/object.pem }, algorithm: PS256, key_id: object-1 }",
            ], files: ["object.pem": try SigningKey(.rsa(bits: 3072), keyID: "object-1").pem()])
        let stage = try SessionStage(plan)
        // Each has as many signed at a time as it may begin logins.
        let clients = try (0..<128).map { number in
            let client = try RawClient(port: stage.gateway.port, from: "127.0.0.\(2 + number % 2)")
            try client.send(request("GET", Self.start))
            return client
        }
        let victim = try stage.exchange("GET", Self.start)
        #expect(victim.status == 303, "\(victim.headText)\(stage.gateway.diagnosis)")
        #expect(victim.fields.only("location")?.contains("request=") == true)
        let statuses = try clients.map { try $0.response().status }
        #expect(statuses.allSatisfy { $0 == 303 }, "\(statuses.count { $0 == 503 }) found no room")
        #expect(refusals(stage) == 0 && refusals(stage, "logins_too_many") == 0)
        expectNothingHeld(stage)
    }

    @Test(.refuses("OPS-05")) func `who waits for a place and leaves keeps nobody waiting`() throws {
        let stage = try stage("logins_per_client: 1")
        let gate = Gate()
        let waiting = try (0..<3).map { _ in
            let started = try hostile(stage, request("GET", Self.start)).response()
            var browser = CookieJar()
            browser.take(started)
            let back = try stage.server.authorize(try #require(started.fields.only("location")))
            return (browser, String(back.dropFirst("https://gateway.test".utf8.count)))
        }
        stage.server.change { $0.tokenGate = gate }
        let clients = try waiting.map { browser, callback in
            try hostile(stage, request("GET", callback, fields: browser.lines))
        }
        #expect(eventually { stage.gateway.reading("portcullis_parked_requests") == 3 })
        clients[0].reset()
        clients[1].reset()
        gate.open()
        #expect(try clients[2].response().status == 303)
        expectNothingHeld(stage)
    }

    @Test(.holds("OPS-05")) func `forms that come slowly by hundreds leave room for a logout, and its session ends`()
        throws
    {
        // None of the forms is given up before the last one has begun.
        let stage = try stage(
            "login_rate_per_client: 100000, login_burst_per_client: 100000", timeouts: "request_body: 10m")
        let browser = try stage.login()
        var slow: [RawClient] = []
        for path in ["callback/web", "logout/web"] {
            let head = request(
                "POST", "/.portcullis/\(path)",
                fields: ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 65000"])
            let most = head + String(repeating: "a", count: 60_000)
            for _ in 0..<260 { slow.append(try hostile(stage, most)) }
        }
        #expect(eventually { refusals(stage) >= 2 * (260 - 4 * 1024 * 1024 / 60_000 - 2) }, "\(refusals(stage))")
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        #expect(answer.status == 303 || answer.status == 200, "\(answer.headText)")
        #expect(try stage.exchange("GET", "/app/a", browser: browser, fields: navigation).status == 303)
        _ = try stage.login()
        #expect(refusals(stage, "logins_too_many") == 0)
        for client in slow { client.close() }
        expectNothingHeld(stage)
    }

    @Test(.holds("OPS-05"), arguments: ["callback/web", "logout/web", "backchannel-logout/web"])
    func `heads that wait for one byte of a form are of the same share, whatever the form's size`(
        path: String
    ) throws {
        // None of the forms is given up before the last one has begun.
        let stage = try stage(
            "login_rate_per_client: 100000, login_burst_per_client: 100000", timeouts: "request_body: 10m")
        let head = request(
            "POST", "/.portcullis/\(path)",
            fields: [
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: 1",
                "Cookie: a=\(String(repeating: "a", count: 30_000))",
                "Cookie: b=\(String(repeating: "b", count: 30_000))",
            ])
        let slow = try (0..<100).map { _ in try hostile(stage, head) }
        let held = 4 * 1024 * 1024 / 60_000 + 2
        #expect(eventually { refusals(stage) >= 100 - held }, "\(refusals(stage))")
        #expect(refusals(stage) <= 100 - held + 4)
        // What was given up is there for the next one.
        for client in slow { client.close() }
        let form = request(
            "POST", "/.portcullis/\(path)",
            fields: ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 1"])
        #expect(
            try eventually {
                let client = try hostile(stage, form)
                try client.send("a")
                return try client.response().status != 429
            })
        expectNothingHeld(stage)
    }

    @Test(.refuses("OPS-05"))
    func `who asks for nothing again and again is answered a second later, and nobody else is`() throws {
        let stage = try stage("refusal_rate_per_client: 1, login_rate_per_client: 1000, login_burst_per_client: 1000")
        let made = "/.portcullis/callback/web?code=made-up&state=made-up"
        for (path, status) in [("/.portcullis/none", 404), (made, 400)] {
            // The rate fills by one a second: some of eight are beyond it, also when the machine stands still meanwhile.
            let clients = try (0..<8).map { _ in try hostile(stage, request("GET", path)) }
            let silent = clients.filter { $0.staysSilent() }
            #expect(!silent.isEmpty)
            #expect(stage.gateway.reading("portcullis_login_requests") == 0, "what is held back has no place")
            #expect(try stage.exchange("GET", "/.portcullis/other").status == 404)
            for client in clients { #expect(try client.response().status == status) }
        }
        // What a route refuses never waits.
        let taken = try ContinuousClock().measure {
            for _ in 0..<15 {
                let client = try hostile(stage, request("GET", "/app/a"))
                #expect(try client.response().status == 401)
            }
        }
        #expect(taken < .seconds(13), "held back, all but the first would have come a second after the one before")
        // Nor is the connection spoilt, and what comes behind is answered after it.
        let client = try hostile(stage, request("GET", "/.portcullis/none") + request("GET", "/app/a"))
        #expect(try client.responses(2).map(\.status) == [404, 401])
        expectNothingHeld(stage)
    }

    @Test(.refuses("OPS-05")) func `refusals by thousands are some lines, the last of which says how many there were`()
        throws
    {
        let stage = try stage("login_rate_per_client: 1, login_burst_per_client: 1, refusal_rate_per_client: 100000")
        let client = try RawClient(port: stage.gateway.port, from: Self.hostile)
        let began = ContinuousClock.now
        for _ in 0..<2000 {
            try client.send(request("GET", "/.portcullis/none"))
            _ = try client.response()
        }
        let lines = stage.gateway.lines("refused")
        // Two of a cause a second, beside the fifty at the beginning.
        let seconds = Int((ContinuousClock.now - began) / Duration.seconds(1))
        #expect((50..<(500 + 3 * seconds)).contains(lines), "\(lines) in \(seconds) s")
        #expect(
            try eventually {
                try client.send(request("GET", "/.portcullis/none"))
                _ = try client.response()
                // On a slow machine there are more lines, each of which says of fewer.
                let lines = stage.gateway.operatorLog.filter { $0["cause"] == "route_unknown" }
                return lines.compactMap { Int($0["suppressed"] ?? "") }.reduce(0, +) > 1000
            })
    }

    /// A gateway with one client's login at `server`; its listeners, and limits where there are some, as YAML has them.
    private static func webGateway(
        _ server: LoginServer, listeners: [String], limits: String? = nil
    ) throws -> GatewayProcess {
        let served = listeners.map { "{ \($0), public_url: \"https://gateway.test\" }" }
        return try GatewayProcess(
            """
            workers: 1
            listeners: [\(served.joined(separator: ", "))]
            admin: { address: "127.0.0.1:0" }
            issuers:
              main: { url: "\(server.url)", insecure_allow_http: true, discovery: openid }
            clients:
              web:
                issuer: main
                id: web
                authentication: { method: client_secret_basic, secret: { file: $FOLDER/web.secret } }
                id_token: { algorithm: ES256 }
            routes:
              - { path: /app/, upstream: "http://127.0.0.1:9", login: web }
            \(limits.map { "limits: \($0)" } ?? "")

            """, files: ["web.secret": "a secret of the client's"])
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05")) func `clients of a proxy in front have a share each`() throws {
        let server = try LoginServer()
        let gateway = try Self.webGateway(
            server, listeners: [#"address: "127.0.0.1:0", trusted_proxies: [127.0.0.2/32]"#],
            limits: "{ login_rate_per_client: 1, login_burst_per_client: 2 }")
        func start(_ client: String?) throws -> UInt16 {
            let proxy = try RawClient(port: gateway.port, from: "127.0.0.2")
            try proxy.send(request("GET", Self.start, fields: client.map { ["X-Forwarded-For: \($0)"] } ?? []))
            return UInt16(try proxy.response().status)
        }
        let flood = try (0..<15).map { _ in try start("192.0.2.1") }
        #expect(flood.contains(429))
        #expect(try start("192.0.2.2") == 303)
        #expect(try (0..<6).allSatisfy { _ in try start(nil) == 303 }, "nobody can tell whose these are")
        // A whole /64 is one subscriber's.
        let subscriber = try (0..<15).map { number in try start("2001:db8:1:2::\(number)") }
        #expect(subscriber.contains(429))
        #expect(try start("2001:db8:1:3::1") == 303)
    }

    @Test(.holds("OPS-05"))
    func `a Unix socket is not one client, and its logins have more than one client's part of the server`()
        throws
    {
        let folder = try TemporaryFolder.make(for: "logins")
        defer { TemporaryFolder.remove(folder) }
        let server = try LoginServer()
        let gateway = try Self.webGateway(
            server, listeners: [#"address: "127.0.0.1:0""#, #"address: "unix:\#(folder)/web.sock", mode: "0600""#])
        func ask(_ message: String) throws -> RawClient {
            let proxy = try RawClient(unixPath: folder + "/web.sock")
            try proxy.send(message)
            return proxy
        }
        // One client has 32 of the 64 codes that are under way at a server.
        let callbacks = try (0..<40).map { _ in
            let started = try ask(request("GET", Self.start)).response()
            var browser = CookieJar()
            browser.take(started)
            let back = try server.authorize(try #require(started.fields.only("location"), "\(gateway.diagnosis)"))
            return request("GET", String(back.dropFirst("https://gateway.test".utf8.count)), fields: browser.lines)
        }
        let gate = Gate()
        server.change { $0.tokenGate = gate }
        let clients = try callbacks.map(ask)
        // A row of 32 would move only when its first are given up, and are answered 503.
        #expect(eventually { server.requests(for: "authorization_code").count > 32 })
        gate.open()
        for client in clients { #expect(try client.response().status == 303) }
    }
}
