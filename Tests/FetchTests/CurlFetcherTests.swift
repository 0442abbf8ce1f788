import Fetch
import HTTPMessage
import TestTraits
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"

@Suite struct `a fetch` {
    @Test func `brings the whole answer`() async throws {
        try await withFetcher(.send(ok + "Cache-Control: public, max-age=300\r\n\r\n{}")) { fetcher, server in
            let response = try await fetcher.fetch(request(server, path: "/keys?a=b"))
            #expect(response.status == 200)
            #expect(response.contentType == "application/json")
            #expect(response.maxAgeSeconds == 300)
            #expect(response.body == Array("{}".utf8))
            #expect(server.requests.first?.hasPrefix("GET /keys?a=b HTTP/1.1\r\n") == true)
        }
    }

    @Test(.holds("CA-13"), .refuses("CA-13")) func `asks for JSON in no coding, and tells nothing it need not`()
        async throws
    {
        try await withFetcher(.send(ok + "\r\n{}")) { fetcher, server in
            _ = try await fetcher.fetch(request(server))
            let lines = Set(try #require(server.requests.first).split(separator: "\r\n").dropFirst().map(String.init))
            #expect(
                lines == [
                    "Host: 127.0.0.1:\(server.port)", "User-Agent: portcullis", "Accept: application/json",
                    "Accept-Encoding: identity",
                ])
        }
    }

    @Test func `posts a body with its own fields`() async throws {
        try await withFetcher(.send(ok + "\r\n{}")) { fetcher, server in
            var post = request(server)
            post.method = .post
            post.body = Array("a=b".utf8)
            post.headers = [("Content-Type", "application/x-www-form-urlencoded")]
            _ = try await fetcher.fetch(post)
            let text = try #require(server.requests.first)
            #expect(text.hasPrefix("POST / HTTP/1.1\r\n"))
            #expect(text.contains("\r\nContent-Length: 3\r\n"))
            #expect(text.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"))
        }
    }

    @Test(arguments: [204, 400, 404, 500, 503])
    func `brings an answer of any status that is no redirect`(status: Int) async throws {
        try await withFetcher(.send("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")) { fetcher, server in
            let response = try await fetcher.fetch(request(server))
            #expect(response.status == status)
            #expect(response.contentType == nil)
            #expect(response.maxAgeSeconds == nil)
            #expect(response.body.isEmpty)
        }
    }

    @Test func `uses a connection again`() async throws {
        try await withFetcher(.send(ok + "\r\n{}")) { fetcher, server in
            for _ in 0..<3 { _ = try await fetcher.fetch(request(server)) }
            #expect(server.requests.count == 3)
            #expect(server.connections == 1)
        }
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05")) func `many at once share a bounded number of connections`() async throws
    {
        try await withFetcher(.send(ok + "\r\n{}")) { fetcher, server in
            let wanted = {
                var check = request(server)
                check.purpose = .tokenCheck
                return check
            }()
            let statuses = await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<200 { group.addTask { try? await fetcher.fetch(wanted).status } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [Int?](repeating: 200, count: 200))
            #expect(server.connections <= 64)
        }
    }

    @Test func `takes no cookie along`() async throws {
        try await withFetcher(.send(ok + "Set-Cookie: a=b; Path=/\r\n\r\n{}")) { fetcher, server in
            for _ in 0..<2 { _ = try await fetcher.fetch(request(server)) }
            #expect(server.requests.count == 2)
            #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie") })
        }
    }

    @Test func `a body in a coding is left as it is`() async throws {
        // Sixteen bytes that say gzip and are not: a decoder would fail on them.
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"
        try await withFetcher(.send(answer)) { fetcher, server in
            let outcome = try await fetcher.fetch(request(server)).body
            #expect(outcome == Array("abcd".utf8))
        }
    }

    @Test func `a body of exactly the bound is fine`() async throws {
        try await withFetcher(.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), .flood(1000)) {
            fetcher, server in
            var wanted = request(server)
            wanted.maximumBytes = 1000
            let outcome = try await fetcher.fetch(wanted).body.count
            #expect(outcome == 1000)
        }
    }
}

@Suite struct `a fetch is refused` {
    @Test(.refuses("MD-06")) func `when the body is announced too long`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n"
        try await withFetcher(.send(head), .flood(5_000_000)) { fetcher, server in
            let outcome = try await refusal(of: request(server), by: fetcher)
            #expect(outcome == .tooLarge)
        }
    }

    @Test(.refuses("MD-06"), arguments: ["", "Transfer-Encoding: chunked\r\n"])
    func `when the body turns out too long`(framing: String) async throws {
        let start = framing.isEmpty ? "" : "4c4b40\r\n"
        try await withFetcher(.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\(start)"), .flood(5_000_000)) {
            fetcher, server in
            let outcome = try await refusal(of: request(server), by: fetcher)
            #expect(outcome == .tooLarge)
        }
    }

    @Test(.refuses("MD-06")) func `when the body is one byte too long`() async throws {
        try await withFetcher(.send("HTTP/1.1 200 OK\r\n\r\n"), .flood(1001)) { fetcher, server in
            var wanted = request(server)
            wanted.maximumBytes = 1000
            let outcome = try await refusal(of: wanted, by: fetcher)
            #expect(outcome == .tooLarge)
        }
    }

    @Test(.refuses("OPS-05")) func `when the fields do not end`() async throws {
        let fields = (0..<2000).map { "X-Field-\($0): \(String(repeating: "v", count: 60))\r\n" }.joined()
        try await withFetcher(.send("HTTP/1.1 200 OK\r\n" + fields), .stall) { fetcher, server in
            let outcome = try await refusal(of: request(server), by: fetcher)
            #expect(outcome == .fieldsTooLarge)
        }
    }

    @Test(.refuses("MD-06"), arguments: [301, 302, 303, 307, 308])
    func `when the answer is a redirect`(status: Int) async throws {
        let answer = "HTTP/1.1 \(status) X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        try await withFetcher(.send(answer)) { fetcher, server in
            let outcome = try await refusal(of: request(server), by: fetcher)
            #expect(outcome == .redirected)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"])
    func `when the server closes early`(answer: String) async throws {
        try await withFetcher(.send(answer), .close) { fetcher, server in
            guard case .failed = try await refusal(of: request(server), by: fetcher) else {
                Issue.record("another refusal")
                return
            }
        }
    }

    @Test(arguments: ["220 mail.example ESMTP\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}abcde", "<html></html>"])
    func `when the server does not speak HTTP`(answer: String) async throws {
        try await withFetcher(.send(answer), .close) { fetcher, server in
            let refusal = try await refusal(of: request(server), by: fetcher)
            #expect(refusal != .failed("answered 0 with \(answer.utf8.count) bytes"))
            #expect(refusal != .failed("answered 200 with \(answer.utf8.count) bytes"))
            #expect(refusal != .timedOut)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"])
    func `when the server stalls`(answer: String) async throws {
        try await withFetcher(.send(answer), .stall) { fetcher, server in
            var wanted = request(server)
            wanted.timeoutMilliseconds = 150
            // Longer each time: on a busy machine the time can be over before the request has been sent.
            while server.requests.isEmpty, wanted.timeoutMilliseconds < 60_000 {
                let outcome = try await refusal(of: wanted, by: fetcher)
                try #require(outcome == .timedOut)
                wanted.timeoutMilliseconds *= 2
            }
            try #require(!server.requests.isEmpty)
            // The connection is given up with the transfer.
            #expect(await server.waits { $0 == .clientLeft })
        }
    }

    @Test func `when nobody listens`() async throws {
        try await withFetcher { fetcher, server in
            server.stop()
            var wanted = request(server)
            wanted.url = "http://127.0.0.1:1/"
            guard case .connectFailed = try await refusal(of: wanted, by: fetcher) else {
                Issue.record("another refusal")
                return
            }
        }
    }

    @Test func `when the name has no address`() async throws {
        try await withFetcher { fetcher, server in
            var wanted = request(server, host: "nowhere.invalid")
            // A machine without name servers asks each of them several times before it gives up.
            wanted.timeoutMilliseconds = 180_000
            let outcome = try await refusal(of: wanted, by: fetcher)
            #expect(outcome == .unresolved)
        }
    }

    @Test(.refuses("MD-08")) func `when http was not asked for by name`() async throws {
        try await withFetcher { fetcher, server in
            var wanted = request(server)
            wanted.insecureAllowHTTP = false
            let outcome = try await refusal(of: wanted, by: fetcher)
            #expect(outcome == .protocolNotAllowed)
            #expect(server.connections == 0)
        }
    }

    @Test(
        .refuses("MD-08"),
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:6379/_x", "ldap://127.0.0.1/", "x://y/",
        ])
    func `when the scheme is none of ours`(url: String) async throws {
        try await withFetcher { fetcher, server in
            var wanted = request(server)
            wanted.url = url
            let outcome = try await refusal(of: wanted, by: fetcher)
            #expect(outcome == .protocolNotAllowed)
        }
    }

    @Test(arguments: [
        "", "nonsense", "http://", "http:///", "http://user:pw@127.0.0.1/", "http://[::1/", "http://a b/",
    ])
    func `when the URL is malformed or carries a user`(url: String) async throws {
        try await withFetcher { fetcher, server in
            var wanted = request(server)
            wanted.url = url
            let outcome = try await refusal(of: wanted, by: fetcher)
            #expect(outcome == .failed("the URL is malformed"))
        }
    }

    @Test(arguments: [("X-A", "b\r\nX-C: d"), ("X-A\n", "b"), ("X-A", "b\u{0}"), ("X\r\n\r\nGET /", "b")])
    func `when a field would become two`(name: String, value: String) async throws {
        try await withFetcher { fetcher, server in
            var wanted = request(server)
            wanted.headers = [(name, value)]
            let outcome = try await refusal(of: wanted, by: fetcher)
            #expect(outcome == .failed("a field holds a control character"))
            #expect(server.connections == 0)
        }
    }
}

@Suite struct `a cancelled fetch` {
    @Test func `ends at once and closes its connection`() async throws {
        try await withFetcher(.stall) { fetcher, server in
            let wanted = request(server)
            let task = Task { try await refusal(of: wanted, by: fetcher) }
            #expect(await server.waits { if case .request = $0 { true } else { false } })
            task.cancel()
            let outcome = try await task.value
            #expect(outcome == .cancelled)
            #expect(await server.waits { $0 == .clientLeft })
        }
    }

    @Test func `that never began connects to nobody`() async throws {
        try await withFetcher(.stall) { fetcher, server in
            let wanted = request(server)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await refusal(of: wanted, by: fetcher)
            }
            let outcome = try await task.value
            #expect(outcome == .cancelled)
            #expect(server.connections == 0)
        }
    }
}
