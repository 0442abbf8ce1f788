import Foundation
import TestSupport
import TestTraits
import Testing

/// HTTP/2 as curl, nghttp and h2load speak it, to upstreams of HTTP/1.1.
@Suite(.serialized) struct `a client of HTTP/2` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// What curl prints behind an answer's content: the version it came by, and its status.
    private static let written = ["-sS", "-w", "\n%{http_version} %{http_code}"]

    private func curl(_ path: String, _ arguments: [String] = [], version: String = "--http2-prior-knowledge") throws
        -> [String]
    {
        let child = try ChildProcess(
            "/usr/bin/curl",
            Self.written + [version, "--max-time", "60", "-H", "Host: gateway.test"] + arguments
                + ["http://127.0.0.1:\(stage.gateway.port)\(path)"])
        #expect(child.waitForEnd() == .exited(0), "\(child.errors.now)\(stage.gateway.diagnosis)")
        return child.output.now
    }

    @Test func `speaks it by prior knowledge beside HTTP/1.1`() throws {
        #expect(try curl("/open/a").last == "2 200")
        #expect(try curl("/open/a", version: "--http1.1").last == "1.1 200")
    }

    @Test(.holds("H2-32"))
    func `is seen by its upstream as one of HTTP/1.1, and in Via as what it is`() throws {
        _ = try curl("/open/a?b=%2f", ["-H", "Cookie: a=1; b=2"])
        let recorded = try #require(stage.upstream.onlyRequest(for: "/open/a"))
        #expect(recorded.target == "/open/a?b=%2f")
        #expect(recorded.version == "HTTP/1.1")
        #expect(recorded.fields["host"] == ["gateway.test"])
        #expect(recorded.fields["cookie"] == ["a=1; b=2"])
        #expect(try #require(recorded.fields.only("via")).hasPrefix("2.0 "))
    }

    @Test func `is judged as any other: a token opens, and none is told how to get one`() throws {
        let refused = try curl("/orders/a", ["-D", "-"])
        #expect(refused.last == "2 401")
        #expect(refused.contains { $0.hasPrefix("www-authenticate: Bearer realm=") })
        #expect(!refused.contains { $0.hasPrefix("connection:") })
        try stage.expectNothingForwarded()
        let opened = try curl("/orders/a", ["-H", stage.tokens.bearer(), "-H", "X-User: somebody"])
        #expect(opened.last == "2 200")
        #expect(try #require(stage.upstream.onlyRequest(for: "/orders/a")).fields["x-user"] != ["somebody"])
    }

    @Test(arguments: [("application/grpc", "application/grpc"), ("application/grpc-web+proto", "application/grpc-web")])
    func `who calls a procedure is told how that ended in fields, and the logs what it was`(
        type: String, answered: String
    ) throws {
        let refused = try curl(
            "/orders/call", ["-D", "-", "-d", "", "-H", "Content-Type: \(type)", "-H", "Accept: text/html"])
        #expect(refused.last == "2 200")
        #expect(refused.contains { $0.hasPrefix("content-type: \(answered)") })
        #expect(refused.contains { $0.hasPrefix("grpc-status: 16") })
        #expect(refused.contains { $0.hasPrefix("grpc-message: credentials_missing") })
        #expect(refused.contains { $0.hasPrefix("www-authenticate: Bearer realm=") })
        let line = try #require(stage.gateway.accessLine { $0["path"] == "/orders/call" })
        #expect(line["status"] == "401")
        try stage.expectNothingForwarded()
        #expect(try curl("/orders/call", ["-d", "", "-H", "Content-Type: application/json"]).last == "2 401")
    }

    @Test(arguments: [0, 1, 20_000, 3_000_000])
    func `sends a body with a length`(count: Int) throws {
        let file = stage.gateway.folder + "/body-\(count)"
        try Data(repeating: 0x61, count: count).write(to: URL(fileURLWithPath: file))
        #expect(try curl("/open/body", ["--data-binary", "@" + file]).last == "2 200")
        let recorded = try #require(stage.upstream.onlyRequest(for: "/open/body"))
        #expect(recorded.fields["content-length"] == ["\(count)"])
        #expect(recorded.body.count == count)
    }

    @Test func `sends a body without one, which is chunked by us`() throws {
        let file = stage.gateway.folder + "/body"
        try Data(repeating: 0x62, count: 1_000_000).write(to: URL(fileURLWithPath: file))
        // Which curl, over HTTP/2, takes for leaving the length out.
        let answer = try curl("/open/body", ["--data-binary", "@" + file, "-H", "Transfer-Encoding: chunked"])
        #expect(answer.last == "2 200")
        let recorded = try #require(stage.upstream.onlyRequest(for: "/open/body"))
        #expect(recorded.fields["transfer-encoding"] == ["chunked"])
        #expect(recorded.body.count == 1_000_000)
    }

    @Test(.holds("H2-42"), arguments: [(400_000, true), (10_000, false)])
    func `may send more at once of a body that is large, when its upstream takes it`(count: Int, grows: Bool) throws {
        let file = stage.gateway.folder + "/window-\(count)"
        try Data(repeating: 0x63, count: count).write(to: URL(fileURLWithPath: file))
        let child = try ChildProcess(
            "/usr/bin/nghttp",
            [
                "-nv", "--no-dep", "-H", ":authority: gateway.test", "-d", file,
                "http://127.0.0.1:\(stage.gateway.port)/open/body",
            ])
        #expect(child.waitForEnd() == .exited(0))
        let lines = child.output.now
        // Where a frame stands in a line, and by how much it opens the window in the next.
        let increments = zip(lines, lines.dropFirst()).compactMap { frame, details -> Int? in
            guard frame.contains("recv WINDOW_UPDATE"), !frame.contains("stream_id=0>") else { return nil }
            return Int(details.filter(\.isNumber))
        }
        // A stream has 64 KiB until then.
        #expect(increments.contains { $0 > 128 << 10 } == grows, "\(increments)")
        #expect(try #require(stage.upstream.onlyRequest(for: "/open/body")).body.count == count)
    }

    @Test func `gets a body of any framing whole`() throws {
        let content = String(repeating: "0123456789abcdef", count: 200_000)
        stage.upstream.answer("/open/length", with: .answer(200, content))
        let counted = ["-o", stage.gateway.folder + "/got"]
        #expect(try curl("/open/length", counted).last == "2 200")
        #expect(try String(contentsOfFile: counted[1], encoding: .utf8) == content)
    }

    @Test func `asks for many things at once, over few connections`() throws {
        let child = try ChildProcess(
            "/usr/bin/h2load",
            [
                "-n", "2000", "-c", "4", "-m", "32", "--connect-to=127.0.0.1:\(stage.gateway.port)",
                "http://gateway.test/open/a",
            ])
        #expect(child.waitForEnd() == .exited(0))
        let line = try #require(child.output.now.first { $0.hasPrefix("requests:") })
        #expect(line.contains(" 2000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(child.output.now)")
    }

    @Test func `is named in the access log`() throws {
        _ = try curl("/open/logged")
        let line = try #require(stage.gateway.accessLine { $0["path"] == "/open/logged" })
        #expect(line["protocol"] == "h2c")
    }
}
