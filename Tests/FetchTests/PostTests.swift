import Fetch
import HTTPMessage
import TestSupport
import TestTraits
import Testing

/// Runs a body with a fetcher on a loop, and cleans up.
private func withFetcher(body: (CurlFetcher) async throws -> Void) async throws {
    let thread = try LoopThread()
    defer { thread.stop() }
    try await body(CurlFetcher(loop: thread.loop))
}

private func request(
    _ server: RecordingUpstream, _ method: FetchRequest.Method, path: String = "/", body: [UInt8]? = nil
) -> FetchRequest {
    var request = FetchRequest(url: server.url + path, maximumBytes: 256 * 1024, timeoutMilliseconds: 30_000)
    request.method = method
    request.body = body
    request.headers = [("Content-Type", "application/x-www-form-urlencoded")]
    request.insecureAllowHTTP = true
    request.allowLoopbackAndPrivateHost = "127.0.0.1"
    return request
}

@Suite struct `a POST` {
    @Test(arguments: [0, 1, 1000, 1024 * 1024 - 1, 1024 * 1024, 3 * 1024 * 1024])
    func `brings its whole body, and nothing asks for leave to send it`(count: Int) async throws {
        let server = try RecordingUpstream(fallback: .answer(200, "{}"))
        defer { server.stop() }
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withFetcher { fetcher in
            let response = try await fetcher.fetch(request(server, .post, body: body))
            #expect(response.status == 200)
        }
        let found = try #require(server.requests.first)
        #expect(found.method == "POST")
        #expect(found.fields["content-length"] == ["\(count)"])
        #expect(found.fields["transfer-encoding"].isEmpty && found.fields["expect"].isEmpty)
        #expect(found.bodyCount == count)
        // As a truth value: of megabytes that differ nobody wants to be shown the difference.
        let isSame = found.body.elementsEqual(body.prefix(4 * 1024 * 1024))
        #expect(isSame)
    }

    @Test func `without a body says that it has none`() async throws {
        let server = try RecordingUpstream(fallback: .answer(200))
        defer { server.stop() }
        try await withFetcher { fetcher in _ = try await fetcher.fetch(request(server, .post)) }
        #expect(server.requests.map { $0.fields["content-length"] } == [["0"]])
    }

    @Test func `carries octets that are no text, and a NUL among them`() async throws {
        let server = try RecordingUpstream(fallback: .answer(200))
        defer { server.stop() }
        let body = Array(UInt8.min...UInt8.max)
        try await withFetcher { fetcher in _ = try await fetcher.fetch(request(server, .post, body: body)) }
        #expect(server.requests.first?.body == body)
    }

    @Test func `uses a connection again, as a GET does`() async throws {
        let server = try RecordingUpstream(fallback: .answer(200))
        defer { server.stop() }
        let start = ContinuousClock.now
        try await withFetcher { fetcher in
            for method in [FetchRequest.Method.post, .get, .post] {
                _ = try await fetcher.fetch(request(server, method, body: Array("a=b".utf8)))
            }
        }
        // A POST goes over none that was idle for longer than a second: one more for each that passed.
        let passed = (ContinuousClock.now - start).components.seconds
        #expect(server.connectionCount <= 1 + Int(passed))
        #expect(server.requests.map(\.method) == ["POST", "GET", "POST"])
    }

    @Test func `asks for what it says it asks for, once`() async throws {
        let server = try RecordingUpstream(fallback: .answer(200))
        defer { server.stop() }
        try await withFetcher { fetcher in
            var wanted = request(server, .post)
            wanted.headers.append(("accept", "application/token-introspection+jwt"))
            _ = try await fetcher.fetch(wanted)
        }
        #expect(server.requests.first?.fields["accept"] == ["application/token-introspection+jwt"])
    }

    // curl alone sends both again.
    @Test(.holds("CA-16"), .refuses("CA-16"), arguments: [FetchRequest.Method.post, .get])
    func `is not sent again when its connection ends without an answer, as a GET is`(
        method: FetchRequest.Method
    ) async throws {
        let server = try RecordingUpstream(fallback: .answer(200))
        server.answer("/token", with: .closing(on: 0))
        defer { server.stop() }
        try await withFetcher { fetcher in
            _ = try await fetcher.fetch(request(server, .get))
            var wanted = request(server, method, path: "/token", body: Array("code=c".utf8))
            // The one that the server is about to close, however long ago it was used.
            wanted.connection = .kept
            if method == .post {
                let outcome = try await refusal(of: wanted, by: fetcher)
                #expect(outcome == .unanswered)
            } else {
                let outcome = try await fetcher.fetch(wanted).status
                #expect(outcome == 200)
            }
            #expect(server.requests.count { $0.path == "/token" } == (method == .post ? 1 : 2))
            // The next one gets a connection of its own.
            let next = try await fetcher.fetch(request(server, .post, path: "/token", body: Array("code=d".utf8)))
            #expect(next.status == 200)
        }
        let bodies = server.requests.filter { $0.method == "POST" }.map(\.bodyText)
        #expect(bodies == (method == .post ? ["code=c", "code=d"] : ["code=d"]))
    }

    @Test(.refuses("CA-16")) func `is told to be unanswered on a new connection too`() async throws {
        let server = try RecordingUpstream(fallback: .closing(on: 0))
        defer { server.stop() }
        try await withFetcher { fetcher in
            let outcome = try await refusal(of: request(server, .post, body: Array("code=c".utf8)), by: fetcher)
            #expect(outcome == .unanswered)
        }
        #expect(server.requests.count == 1)
    }

    @Test(.holds("CA-16")) func `goes to a new connection when the old one was closed before`() async throws {
        let server = try RecordingUpstream(fallback: .answer(200))
        defer { server.stop() }
        try await withFetcher { fetcher in
            _ = try await fetcher.fetch(request(server, .post, body: Array("a".utf8)))
            server.closeConnections()
            let outcome = try await fetcher.fetch(request(server, .post, body: Array("b".utf8))).status
            #expect(outcome == 200)
        }
        #expect(server.requests.map(\.bodyText) == ["a", "b"])
        #expect(server.connectionCount == 2)
    }

    @Test(.refuses("CA-17")) func `prints neither its credentials nor the token it is answered with`() async throws {
        var wanted = FetchRequest(url: "https://as.example/token?x=secret", maximumBytes: 1, timeoutMilliseconds: 1)
        wanted.method = .post
        wanted.body = Array("client_secret=secret".utf8)
        wanted.headers = [("Authorization", "Basic secret")]
        let response = FetchResponse(status: 200, contentType: nil, body: Array("secret".utf8))
        var dumped = "\(wanted) \(String(reflecting: wanted)) \(response) \(String(reflecting: response))"
        dump(wanted, to: &dumped)
        dump(response, to: &dumped)
        #expect(!dumped.contains("secret") && !dumped.contains("115"), "s is 115: \(dumped)")
        #expect("\(wanted)" == "POST https://as.example/token")
        #expect("\(response)" == "200 with 6 bytes")
    }
}
