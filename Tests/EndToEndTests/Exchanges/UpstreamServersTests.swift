import Glibc
import TestSupport
import TestTraits
import Testing

/// Several servers behind one upstream, Unix sockets on both sides, and who the gateway is to an upstream.
@Suite(.byEachProtocol) struct `servers of an upstream` {
    private func gateway(_ upstream: String, settings: String = "", files: [String: String] = [:]) throws
        -> GatewayProcess
    {
        try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, public: true, upstream: \(upstream) }]
            log: { level: debug }
            timeouts: { upstream_connect: 2m }
            \(settings)

            """, files: files)
    }

    @Test func `get new connections in turn`() throws {
        let servers = try (0..<3).map { _ in try RecordingUpstream() }
        let list = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let gateway = try gateway("{ url: [\(list)] }", settings: "limits: { upstream_idle_connections: 0 }")
        for number in 0..<9 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [3, 3, 3])
    }

    @Test func `get requests in turn, over one kept connection each`() throws {
        let servers = try (0..<3).map { _ in try RecordingUpstream() }
        let list = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let gateway = try gateway("{ url: [\(list)] }")
        for number in 0..<9 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [3, 3, 3])
        #expect(servers.map(\.connectionCount) == [1, 1, 1])
    }

    @Test func `share what a kept connection can take when no more may be opened`() throws {
        let servers = try (0..<2).map { _ in try RecordingUpstream() }
        let list = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let gateway = try gateway("{ url: [\(list)] }", settings: "limits: { upstream_connections: 1 }")
        for number in 0..<4 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [4, 0])
    }

    @Test func `that are down are stepped over within one request, and put back`() throws {
        let server = try RecordingUpstream()
        let gateway = try gateway("{ url: [\"http://127.0.0.1:1\", \"\(server.url)\", \"http://127.0.0.1:2\"] }")
        for number in 0..<6 {
            #expect(try gateway.exchange(request("POST", "/\(number)", body: "once")).status == 200)
            server.closeConnections()
        }
        #expect(server.requests.map(\.bodyText) == [String](repeating: "once", count: 6))
        let line = try #require(gateway.operatorLine { $0["event"] == "upstream_address_put_back" })
        #expect(line["address"] == "127.0.0.1:1" && line["found"] == "Connection refused", "\(line.raw)")
    }

    @Test(.refuses("OPS-05")) func `that are all down are told of so often and no more, and how often it was`() throws {
        let gateway = try gateway("{ url: [\"http://127.0.0.1:1\", \"http://127.0.0.1:2\"] }")
        let began = ContinuousClock.now
        for _ in 0..<500 { #expect(try gateway.exchange(request("GET", "/a")).status == 502) }
        let lines = gateway.lines("upstream_address_put_back")
        let seconds = Int((ContinuousClock.now - began) / Duration.seconds(1))
        // Two a second beside the fifty at the beginning, of a thousand.
        #expect(lines <= 53 + 2 * seconds, "\(lines) in \(seconds) s")
        #expect(
            try eventually {
                _ = try gateway.exchange(request("GET", "/a"))
                let told = gateway.operatorLog.filter { $0["event"] == "upstream_address_put_back" }
                return told.count >= 50 && told.contains { Int($0["suppressed"] ?? "") ?? 0 > 0 }
            })
    }

    @Test func `that come back are tried when no other is left`() throws {
        let server = try RecordingUpstream()
        let gateway = try gateway("{ url: [\"http://127.0.0.1:1\", \"\(server.url)\"] }")
        #expect(try gateway.exchange(request("GET", "/a")).status == 200)
        let alone = try self.gateway("{ url: [\"http://127.0.0.1:1\", \"http://127.0.0.1:2\"] }")
        for _ in 0..<3 { expectTemplate(try alone.exchange(request("GET", "/a")), status: 502) }
    }

    @Test func `that cannot prove their name are stepped over too`() throws {
        let authority = try TestCertificate.authority(named: "Authority")
        let stranger = try RecordingUpstream(identity: authority.issue(names: ["wrong.test"]))
        let server = try RecordingUpstream(identity: authority.issue(names: ["inner.test"]))
        let gateway = try gateway(
            "{ url: [\"\(stranger.url)\", \"\(server.url)\"], certificate_authority: $FOLDER/ca.crt, "
                + "server_name: inner.test }", files: ["ca.crt": authority.certificate])
        for _ in 0..<3 {
            #expect(try gateway.exchange(request("GET", "/a")).status == 200)
            server.closeConnections()
        }
        #expect(stranger.receivedCount == 0 && server.requests.count == 3)
    }

    @Test func `learn from a certificate who connects`() throws {
        let authority = try TestCertificate.authority(named: "Authority")
        let own = try authority.issue(names: ["gateway.inner.test"])
        let server = try RecordingUpstream(identity: authority.issue(names: ["inner.test"]), asksForCertificate: true)
        let tls = "url: \"\(server.url)\", certificate_authority: $FOLDER/ca.crt, server_name: inner.test"
        let files = ["ca.crt": authority.certificate, "own.crt": own.certificate, "own.key": own.key]
        let known = try gateway(
            "{ \(tls), client_certificate: $FOLDER/own.crt, client_key: { file: $FOLDER/own.key } }", files: files)
        #expect(try known.exchange(request("GET", "/a")).status == 200)
        #expect(Array(server.now.clientNames.values) == ["gateway.inner.test"])
        server.forget()
        let unknown = try gateway("{ \(tls) }", files: files)
        _ = try unknown.exchange(request("GET", "/a"))
        #expect(server.now.clientNames.isEmpty)
    }

    @Test func `at a Unix socket get requests as any other`() throws {
        let folder = try TemporaryFolder.make(for: "upstream")
        defer { TemporaryFolder.remove(folder) }
        let server = try RecordingUpstream(unixPath: "\(folder)/app.sock")
        let gateway = try gateway("\"unix:\(folder)/app.sock\"")
        for number in 0..<3 { #expect(try gateway.exchange(request("POST", "/\(number)", body: "b")).status == 200) }
        #expect(server.requests.map(\.path) == ["/0", "/1", "/2"])
        #expect(server.requests[0].fields.only("host") == "gateway.test")
        #expect(server.connectionCount == 1)
    }

    @Test func `at a Unix socket that is not there are answered 502`() throws {
        let gateway = try gateway("\"unix:/nowhere/app.sock\"")
        let response = try gateway.exchange(request("GET", "/a"))
        expectTemplate(response, status: 502)
        let line = try #require(gateway.operatorLine { $0["event"] == "upstream_connect_failed" })
        #expect(line["found"] == "No such file or directory", "\(line.raw)")
    }
}

@Suite struct `a listener at a Unix socket` {
    private func gateway(_ path: String, _ upstream: RecordingUpstream, workers: Int = 2) throws -> GatewayProcess {
        try GatewayProcess(
            """
            workers: \(workers)
            listeners:
              - { address: "127.0.0.1:0", public_url: "http://gateway.test" }
              - { address: "unix:\(path)", mode: "0600", public_url: "http://gateway.test" }
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, public: true, upstream: "\(upstream.url)" }]

            """)
    }

    @Test func `serves from every worker, and is gone afterwards`() throws {
        let folder = try TemporaryFolder.make(for: "listener")
        defer { TemporaryFolder.remove(folder) }
        let path = "\(folder)/web.sock"
        let upstream = try RecordingUpstream()
        let gateway = try gateway(path, upstream)
        for number in 0..<8 {
            let client = try RawClient(unixPath: path)
            for _ in 0..<2 {
                try client.send(request("GET", "/\(number)"))
                #expect(try client.response().status == 200)
            }
        }
        #expect(upstream.requests.count == 16)
        let line = try #require(gateway.accessLine { $0["path"] == "/0" })
        #expect(line["client"] == "unix" || line.raw.contains("unix"), "\(line.raw)")
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        gateway.terminate()
        #expect(gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
        #expect(access(path, F_OK) != 0)
    }
}
