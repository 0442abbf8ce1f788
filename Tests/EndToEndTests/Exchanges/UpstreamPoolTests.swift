import TestSupport
import TestTraits
import Testing

/// Row HTTP-64 and what surrounds it: connections to the upstream, used again, lost, missing.
@Suite(.serialized, .byEachProtocol) struct `connections to the upstream` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /absent/, upstream: \"http://127.0.0.1:1\", public: true }",
                    // Of their own, so that a server of the tests that stands still is not late for the others.
                    "{ path: /hasty/, upstream: $UPSTREAM, public: true, timeouts: { upstream_first_byte: 400ms } }",
                    "{ path: /halting/, upstream: $UPSTREAM, public: true, timeouts: { request_body: 400ms } }",
                    """
                    { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
                    audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
                    """,
                ], settings: "timeouts: { upstream_first_byte: 5m, upstream_idle: 5m, request_body: 5m }"))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        stage.upstream.closeConnections()
    }

    @Test func `one connection serves many requests of many clients`() throws {
        let before = stage.upstream.connectionCount
        for number in 0..<20 { #expect(try stage.exchange("GET", "/open/\(number)").status == 200) }
        #expect(stage.upstream.connectionCount == before + 1)
    }

    @Test func `requests at the same time have connections of their own`() throws {
        let gate = Gate()
        stage.upstream.answerAll(with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")))
        let clients = try (0..<5).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(request("GET", "/open/a")) }
        #expect(stage.upstream.waits { $0.requests.count == 5 })
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
        #expect(Set(stage.upstream.requests.map(\.connection)).count == 5)
    }

    @Test(.holds("HTTP-64"), arguments: ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
    func `a request on a connection that the upstream closed is sent once more`(method: String) throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        // The script takes the request from the idle connection and dies: what a race with an idle timeout looks like.
        let dying = stage.upstream.requests[0].connection
        stage.upstream.answerAll(with: .closing(on: dying))
        let client = try stage.gateway.client()
        try client.send(request(method, "/open/again"))
        let response = try client.response(to: method)
        #expect(response.status == 200)
        let again = stage.upstream.requests.filter { $0.path == "/open/again" }
        #expect(again.count == 2 && again[0].connection == dying && again[1].connection != dying)
        #expect(again.allSatisfy { $0.method == method && $0.rawHead == again[0].rawHead })
    }

    @Test(.refuses("HTTP-64"), arguments: ["PUT", "DELETE"])
    func `a request with a body, of which nothing is kept, is not sent twice`(method: String) throws {
        // In one piece with its head, and behind it.
        for behind in [false, true] {
            stage.upstream.forget()
            #expect(try stage.exchange("GET", "/open/first").status == 200)
            let dying = stage.upstream.requests[0].connection
            stage.upstream.answer("/open/again", with: WireScript(exactly: [.readSome(1), .close]))
            let client = try stage.gateway.client()
            let head = "\(method) /open/again HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 2\r\n\r\n"
            try client.send(behind ? head : head + "xy")
            #expect(stage.upstream.waits { $0.requests.count == 2 })
            if behind { try client.send("xy") }
            expectTemplate(try client.response(to: method), status: 502)
            let again = stage.upstream.requests.filter { $0.path == "/open/again" }
            #expect(again.count == 1 && again[0].connection == dying, "\(method) \(behind)")
        }
    }

    @Test(.holds("HTTP-64")) func `idle connections that the upstream closed are not used`() throws {
        for method in ["GET", "POST"] {
            #expect(try stage.exchange("GET", "/open/first").status == 200)
            stage.upstream.closeConnections()
            let response = try stage.exchange(method, "/open/next", body: method == "POST" ? "x" : "")
            #expect(response.status == 200, "\(method) \(response.headText)")
        }
        #expect(stage.upstream.requests.filter { $0.path == "/open/next" }.count == 2)
    }

    @Test(.refuses("HTTP-64"), arguments: ["POST", "PATCH"], ["x", ""])
    func `a request that changes something is not sent twice, with a body or without`(
        method: String, body: String
    ) throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        stage.upstream.answer("/open/again", with: WireScript(.close))
        let response = try stage.exchange(method, "/open/again", body: body)
        expectTemplate(response, status: 502)
        try stage.expectOnlyThese(["/open/first", "/open/again", "/open/sentinel"])
    }

    @Test(.refuses("HTTP-64")) func `a request whose answer has begun is not sent twice`() throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        let kept = stage.upstream.requests[0].connection
        stage.upstream.answer("/open/again", with: .rawThenClose("HTTP/1.1 200 O"))
        expectTemplate(try stage.exchange("GET", "/open/again"), status: 502)
        #expect(stage.upstream.requests.filter { $0.path == "/open/again" }.map(\.connection) == [kept])
    }

    @Test(.holds("HTTP-64"), .refuses("HTTP-64")) func `a request is sent again once and no more`() throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        stage.upstream.answer("/open/again", with: WireScript(.close))
        expectTemplate(try stage.exchange("GET", "/open/again"), status: 502)
        let tries = stage.upstream.requests.filter { $0.path == "/open/again" }
        #expect(tries.count == 2)
        #expect(Set(tries.map(\.connection)).count == 2)
    }

    /// Proofs accepted, and remembered, since the start.
    private func spentProofs() throws -> Int {
        let name = "portcullis_dpop_replay_inserts_total"
        let lines = try stage.gateway.admin("/metrics").bodyText.split(separator: "\n")
        let value = lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
        return try #require(value.flatMap { Int($0) })
    }

    /// Sends a request with this proof, which is judged once and spent then; the tries that the upstream saw.
    private func sendProven(
        _ lines: [String], expecting status: Int, at location: SourceLocation = #_sourceLocation
    ) throws -> [WireRequest] {
        let spent = try spentProofs()
        let response = try stage.exchange("GET", "/bound/again", fields: lines)
        #expect(response.status == status, "\(response.headText)", sourceLocation: location)
        #expect(try spentProofs() == spent + 1, "judged once", sourceLocation: location)
        // Spent it is: nobody uses it for another request.
        let replayed = try stage.exchange("GET", "/bound/again", fields: lines)
        try expectInvalidProof(replayed, stage, check: "DPOP-15", cause: "proof_replayed", at: location)
        return stage.upstream.requests.filter { $0.path == "/bound/again" }
    }

    @Test(.holds("HTTP-64", "DPOP-15"), .refuses("HTTP-64", "DPOP-15"))
    func `a proven request on a connection that closed is sent once more, its proof spent once`()
        throws
    {
        #expect(try ProofCall(path: "/bound/first").send(stage).status == 200)
        let dying = stage.upstream.requests[0].connection
        stage.upstream.answerAll(with: .closing(on: dying))
        let tries = try sendProven(ProofCall(path: "/bound/again").fields(stage), expecting: 200)
        #expect(tries.count == 2 && tries[0].connection == dying && tries[1].connection != dying)
        // What was decided the first time: the same user, the same request.
        #expect(tries.allSatisfy { $0.fields["x-user"] == ["alice"] && $0.rawHead == tries[0].rawHead })
    }

    @Test(.refuses("HTTP-64", "DPOP-15"), arguments: ["H", "HTTP/1.1 200 O"])
    func `a proven request whose answer has begun is not sent twice, and its proof is spent`(
        beginning: String
    ) throws {
        #expect(try ProofCall(path: "/bound/first").send(stage).status == 200)
        let kept = stage.upstream.requests[0].connection
        stage.upstream.answer("/bound/again", with: .rawThenClose(beginning))
        let tries = try sendProven(ProofCall(path: "/bound/again").fields(stage), expecting: 502)
        #expect(tries.map(\.connection) == [kept])
    }

    @Test func `an upstream that is not there is 502`() throws {
        expectTemplate(try stage.exchange("GET", "/absent/a"), status: 502)
    }

    @Test func `an upstream that says nothing in time is 504`() throws {
        let gate = Gate()
        stage.upstream.answer("/hasty/a", with: WireScript(.wait(gate), .close))
        expectTemplate(try stage.exchange("GET", "/hasty/a"), status: 504)
        #expect(stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty })
        gate.open()
    }

    @Test func `a client that goes away takes its upstream request with it`() throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
        stage.upstream.answer("/open/a", with: WireScript(.text(head), .wait(gate)))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "hello")
        client.reset()
        #expect(stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty })
        gate.open()
    }

    @Test func `an answer that comes before the request's end is passed on`() throws {
        let early = "HTTP/1.1 403 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        stage.upstream.answer("/open/a", with: WireScript(exactly: [.readSome(1), .text(early), .readBody, .close]))
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 100000\r\n\r\nx")
        let response = try client.response()
        #expect(response.status == 403)
        #expect(response.bodyText == "no")
    }

    @Test(.refuses("HTTP-66")) func `a body that stops coming is 408`() throws {
        let client = try stage.gateway.client()
        try client.send("POST /halting/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 10\r\n\r\nhalf")
        let response = try client.response()
        expectTemplate(response, status: 408)
        #expect(client.isOver())
        #expect(stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty })
        #expect(stage.upstream.requests.allSatisfy { !$0.isComplete })
    }

    @Test(.holds("HTTP-68")) func `an upstream's own challenge passes unchanged`() throws {
        let line = #"WWW-Authenticate: Basic realm="inner", charset="UTF-8""#
        stage.upstream.answer("/open/a", with: .answer(401, "inner", fields: [line]))
        let response = try stage.exchange("GET", "/open/a")
        #expect(response.status == 401)
        #expect(response.fields["www-authenticate"] == [#"Basic realm="inner", charset="UTF-8""#])
        #expect(response.bodyText == "inner")
    }
}
