import Foundation
import Glibc
import TestSupport
import TestTraits
import Testing

/// Upstreams of HTTP/2.
///
/// The upstream is another gateway, which speaks it to its clients and HTTP/1.1 to a server that records.
@Suite(.serialized) struct `an upstream of HTTP/2` {
    /// Two gateways, one before the other.
    private final class Chain: Sendable {
        let back: Stage
        let front: GatewayProcess

        init() throws {
            back = try Stage(
                StagePlan(
                    routes: [
                        "{ path: /open/, upstream: $UPSTREAM, public: true }",
                        "{ path: /socket/, upstream: $UPSTREAM, public: true, websocket: true }",
                        "{ path: /call/, upstream: $UPSTREAM, public: true }",
                    ]))
            let upstream = "{ url: \"http://127.0.0.1:\(back.gateway.port)\", protocol: h2 }"
            front = try GatewayProcess(
                """
                workers: 1
                listeners: [{ address: "127.0.0.1:0", public_url: http://gateway.test, http2: true }]
                admin: { address: "127.0.0.1:0" }
                routes:
                  - { path: /open/, public: true, upstream: \(upstream) }
                  - { path: /socket/, public: true, websocket: true, upstream: \(upstream) }
                  - { path: /call/, public: true, grpc: true, upstream: \(upstream) }
                  - { path: /old/, public: true, upstream: { url: "\(back.upstream.url)", protocol: h2 } }
                  - { path: /nobody/, public: true, upstream: { url: "http://127.0.0.1:9", protocol: h2 } }
                via: front
                log: { level: debug, operator: stderr, access: stdout }

                """)
        }
    }

    private static let shared = Shared { try Chain() }
    private let chain: Chain

    init() throws {
        chain = try Self.shared.get()
        chain.back.reset()
    }

    /// The two versions that clients may speak, as curl's option says them.
    enum Version: String, CaseIterable, CustomTestStringConvertible {
        case http1 = "--http1.1"
        case http2 = "--http2-prior-knowledge"

        var name: String { self == .http1 ? "1.1" : "2" }
        var testDescription: String { "HTTP/" + name }
    }

    private func curl(_ version: Version, _ path: String, _ arguments: [String] = []) throws -> [String] {
        let child = try ChildProcess(
            "/usr/bin/curl",
            ["-sS", "-w", "\n%{http_version} %{http_code}", version.rawValue, "--max-time", "60"] + arguments
                + ["-H", "Host: gateway.test", "http://127.0.0.1:\(chain.front.port)\(path)"])
        #expect(child.waitForEnd() == .exited(0), "\(child.errors.now)\(chain.front.diagnosis)")
        return child.output.now
    }

    @Test(.holds("H2-74"), arguments: Version.allCases)
    func `gets requests of clients of either version as streams`(of version: Version) throws {
        let answer = try curl(version, "/open/a?b=%2f", ["-H", "Cookie: a=1; b=2", "-H", "X-A: b"])
        #expect(answer.last == "\(version.name) 200")
        let recorded = try #require(chain.back.upstream.onlyRequest(for: "/open/a"))
        #expect(recorded.target == "/open/a?b=%2f")
        #expect(recorded.fields["host"] == ["gateway.test"])
        #expect(recorded.fields["cookie"] == ["a=1; b=2"])
        #expect(recorded.fields["x-a"] == ["b"])
        // Of the front gateway and of the one behind it, to which it spoke HTTP/2.
        let via = recorded.fields["via"].joined(separator: ", ")
        #expect(via.hasPrefix("\(version == .http1 ? "1.1" : "2.0") ") && via.contains(", 2.0 "), "\(via)")
    }

    @Test(.holds("H2-75"), arguments: Version.allCases, [0, 1, 20_000, 3_000_000])
    func `gets a body whole, and its answer comes back whole`(of version: Version, count: Int) throws {
        let file = chain.front.folder + "/body-\(count)"
        try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: file))
        let content = String(repeating: "0123456789abcdef", count: count / 16)
        chain.back.upstream.answer("/open/body", with: .answer(200, content))
        let got = chain.front.folder + "/got"
        #expect(
            try curl(version, "/open/body", ["--data-binary", "@" + file, "-o", got]).last == "\(version.name) 200")
        let recorded = try #require(chain.back.upstream.onlyRequest(for: "/open/body"))
        #expect(recorded.fields["content-length"] == ["\(count)"])
        #expect(Data(recorded.body) == (try Data(contentsOf: URL(fileURLWithPath: file))))
        #expect(try String(contentsOfFile: got, encoding: .utf8) == content)
    }

    @Test(arguments: Version.allCases)
    func `gets a body of unknown length`(of version: Version) throws {
        let file = chain.front.folder + "/unknown"
        try Data(repeating: 0x62, count: 1_000_000).write(to: URL(fileURLWithPath: file))
        let sent = ["--data-binary", "@" + file, "-H", "Transfer-Encoding: chunked"]
        #expect(try curl(version, "/open/body", sent).last == "\(version.name) 200")
        let recorded = try #require(chain.back.upstream.onlyRequest(for: "/open/body"))
        #expect(recorded.fields["transfer-encoding"] == ["chunked"])
        #expect(recorded.body.count == 1_000_000)
    }

    @Test(arguments: Version.allCases)
    func `answers HEAD without a body`(to version: Version) throws {
        #expect(try curl(version, "/open/a", ["-I"]).last == "\(version.name) 200")
    }

    @Test(.refuses("H2-74"), .refuses("H2-75"), arguments: Version.allCases)
    func `that speaks HTTP/1.1 alone is no upstream, and the cause is said`(to version: Version) throws {
        #expect(try curl(version, "/old/a").last == "\(version.name) 502")
        let line = try #require(chain.front.operatorLine { $0["event"] == "refused" && $0["route"] == "/old/" })
        #expect(line["cause"] == "upstream_protocol")
        #expect(chain.back.upstream.onlyRequest(for: "/old/a") == nil)
    }

    @Test(arguments: Version.allCases)
    func `that nobody is at is answered as any other`(to version: Version) throws {
        #expect(try curl(version, "/nobody/a").last == "\(version.name) 502")
    }

    @Test func `takes many requests at once, over few connections`() throws {
        let child = try ChildProcess(
            "/usr/bin/h2load",
            [
                "-n", "2000", "-c", "4", "-m", "64", "--connect-to=127.0.0.1:\(chain.front.port)",
                "http://gateway.test/open/a",
            ])
        #expect(child.waitForEnd() == .exited(0))
        let line = try #require(child.output.now.first { $0.hasPrefix("requests:") })
        #expect(line.contains(" 2000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(child.output.now)")
        #expect(eventually { chain.back.gateway.accessLog.count { $0["path"] == "/open/a" } >= 2000 })
    }

    /// A masked text frame; the server of these tests sends every byte back, so its own mask returns too.
    private static let frame: [UInt8] = [0x81, 0x85, 1, 2, 3, 4] + zip("hello".utf8, [1, 2, 3, 4, 1]).map { $0 ^ $1 }

    @Test(.holds("H2-39")) func `carries a WebSocket by extended CONNECT`() throws {
        chain.back.upstream.answer("/socket/a", with: .switching)
        let client = try chain.front.client()
        // RFC 6455 §1.3
        try client.send(
            "GET /socket/a HTTP/1.1\r\nHost: gateway.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 101, "\(chain.front.diagnosis)")
        #expect(response.fields.only("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        for _ in 0..<3 {
            try client.send(Self.frame)
            #expect(try client.bytes(Self.frame.count) == Self.frame)
        }
        let recorded = try #require(chain.back.upstream.onlyRequest(for: "/socket/a"))
        #expect(recorded.fields.only("sec-websocket-key") != "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(recorded.fields["via"].joined(separator: ", ").contains(", 2.0 "))
        client.close()
        #expect(
            chain.back.upstream.waits { ($0.endedConnections + $0.resetConnections).contains(recorded.connection) })
    }

    @Test(.refuses("H2-39")) func `that does not switch is no tunnel`() throws {
        chain.back.upstream.answer("/socket/a", with: .answer(200))
        let client = try chain.front.client()
        try client.send(
            "GET /socket/a HTTP/1.1\r\nHost: gateway.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        #expect(try client.response().status != 101)
    }

    @Test(.holds("H2-88"), arguments: ["1S", "1500m"])
    func `that does not answer a call in its time is answered for`(time: String) throws {
        let gate = Gate()
        chain.back.upstream.answer("/call/a.S/Get", with: WireScript(.wait(gate)))
        let call = ["-D", "-", "-d", "", "-H", "Content-Type: application/grpc", "-H", "grpc-timeout: \(time)"]
        let started = ContinuousClock.now
        let answer = try curl(.http2, "/call/a.S/Get", call + ["-H", "TE: trailers"])
        #expect(answer.last == "2 200")
        #expect(answer.contains { $0.hasPrefix("grpc-status: 4") }, "\(answer)")
        #expect(ContinuousClock.now - started >= .seconds(1))
        gate.open()
    }

    @Test(.refuses("H2-88"), arguments: ["1", "-1S", "1x", "123456789S", ""])
    func `never sees a call whose time is none`(time: String) throws {
        let call = ["-D", "-", "-d", "", "-H", "Content-Type: application/grpc", "-H", "grpc-timeout;"]
        let said = time.isEmpty ? call : call.dropLast(1) + ["grpc-timeout: \(time)"]
        let answer = try curl(.http2, "/call/a.S/Get", Array(said))
        #expect(answer.last == "2 200")
        #expect(answer.contains { $0.hasPrefix("grpc-status: 3") }, "\(answer)")
    }

    @Test(.holds("H2-94")) func `that is not there is UNAVAILABLE to who calls it`() throws {
        let call = ["-D", "-", "-d", "", "-H", "Content-Type: application/grpc"]
        let answer = try curl(.http2, "/nobody/a.S/Get", call)
        #expect(answer.last == "2 200")
        #expect(answer.contains { $0.hasPrefix("grpc-status: 14") }, "\(answer)")
    }

    @Test(.refuses("H2-94")) func `whose answer to a call is none is heard as it spoke`() throws {
        chain.back.upstream.answer("/open/call", with: .answer(503, "down"))
        let answer = try curl(.http2, "/open/call", ["-D", "-", "-d", "", "-H", "Content-Type: application/grpc"])
        #expect(answer.last == "2 503")
        #expect(!answer.contains { $0.hasPrefix("grpc-status") })
    }

    @Test func `is told that trailers are read, of a call`() throws {
        _ = try curl(.http2, "/open/call", ["-d", "", "-H", "Content-Type: application/grpc"])
        // The gateway in the middle takes it for what it is, and its own upstream speaks HTTP/1.1.
        let recorded = try #require(chain.back.upstream.onlyRequest(for: "/open/call"))
        #expect(recorded.fields["te"] == [])
    }

    @Test(.holds("H2-79"), .holds("H2-78")) func `may end under load, and no client notices`() throws {
        let servers = try (0..<2).map { _ in
            try Stage(StagePlan(routes: ["{ path: /open/, upstream: $UPSTREAM, public: true }"]))
        }
        let urls = servers.map { "http://127.0.0.1:\($0.gateway.port)" }.joined(separator: ", ")
        let front = try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: http://gateway.test, http2: true }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /open/, public: true, upstream: { url: [\(urls)], protocol: h2 } }]
            via: front
            log: { level: debug, operator: stderr, access: stdout }

            """)
        let child = try ChildProcess(
            "/usr/bin/h2load",
            [
                "-n", "8000", "-c", "4", "-m", "16", "--connect-to=127.0.0.1:\(front.port)",
                "http://gateway.test/open/a",
            ])
        #expect(eventually { servers[0].gateway.accessLog.count > 200 })
        servers[0].gateway.process.signal(SIGTERM)
        #expect(child.waitForEnd() == .exited(0))
        let line = try #require(child.output.now.first { $0.hasPrefix("requests:") })
        #expect(line.contains(" 8000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(child.output.now)")
        #expect(servers[0].gateway.process.waitForEnd() == .exited(0))
    }
}
