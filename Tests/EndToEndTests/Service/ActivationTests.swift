import Foundation
import TestSupport
import TestTraits
import Testing

/// Row ECO-42: sockets that a service manager opened, played by the test.
@Suite struct `a gateway at sockets that are handed over` {
    private typealias Named = GatewayProcess.NamedDescriptor

    /// Listeners whose own addresses nobody could open, in a file that a test changes.
    private static func yaml(_ upstream: String, _ listeners: [String], admin: String = "127.0.0.1:0") -> String {
        """
        workers: 3
        listeners:
        \(listeners.map { "  - { address: \"192.0.2.1:\(443 + $0.count)\", public_url: \"http://gateway.test\"\($0) }" }
            .joined(separator: "\n"))
        admin: { address: "\(admin)" }
        routes: [{ path: /, upstream: "\(upstream)", public: true }]
        timeouts: { drain: 5s }

        """
    }

    private static func yaml(_ upstream: RecordingUpstream) -> String { yaml(upstream.url, [", name: web"]) }

    private func answer(at port: UInt16, _ target: String = "/a") throws -> Int {
        let client = try RawClient(port: port)
        try client.send(request("GET", target))
        return try client.response().status
    }

    @Test(.holds("ECO-42")) func `serves there by all workers, and opens nothing itself`() throws {
        let (web, admin) = (try Socket.listen(), try Socket.listen())
        let upstream = try RecordingUpstream()
        let gateway = try GatewayProcess(
            Self.yaml(upstream.url, [", name: web"], admin: "192.0.2.1:9901"),
            handedOver: [Named("admin", admin.socket.descriptor), Named("web", web.socket.descriptor)])
        #expect(gateway.port == web.port)
        #expect(gateway.adminPort == admin.port)
        for _ in 0..<30 { #expect(try answer(at: web.port) == 200) }
        #expect(try gateway.status("/readyz") == 200)
        let warnings = gateway.operatorLog.filter { $0["event"] == "configuration_warning" }.compactMap { $0["detail"] }
        #expect(
            warnings.contains(
                "the listener web is at 127.0.0.1:\(web.port), where its socket unit opened it, and not at "
                    + "192.0.2.1:454"), "\(warnings)")
    }

    @Test(.holds("ECO-42")) func `serves at a Unix socket, and beside a listener of its own`() throws {
        let folder = try TemporaryFolder.make(for: "activated")
        defer { TemporaryFolder.remove(folder) }
        let socket = try Socket.listen(unixPath: folder + "/web.sock")
        let upstream = try RecordingUpstream()
        let yaml = Self.yaml(upstream.url, [", name: web"]).replacingOccurrences(
            "admin:", with: "  - { address: \"127.0.0.1:0\", public_url: \"http://gateway.test\" }\nadmin:")
        let gateway = try GatewayProcess(yaml, handedOver: [Named("web", socket.descriptor)])
        let client = try RawClient(unixPath: folder + "/web.sock")
        try client.send(request("GET", "/a"))
        #expect(try client.response().status == 200)
        let own = try #require(gateway.ports.last)
        #expect(try answer(at: own) == 200)
        gateway.terminate()
        #expect(gateway.process.waitForEnd() == .exited(0))
        #expect(access(folder + "/web.sock", F_OK) == 0, "it is the manager's, and so is its file")
    }

    @Test(.holds("ECO-42")) func `keeps them over reloads, whatever the address is then`() throws {
        let web = try Socket.listen()
        let upstream = try RecordingUpstream()
        let gateway = try GatewayProcess(Self.yaml(upstream), handedOver: [Named("web", web.socket.descriptor)])
        let client = try RawClient(port: web.port)
        try client.send(request("GET", "/a"))
        #expect(try client.response().status == 200)
        try Self.yaml(upstream).replacingOccurrences("192.0.2.1:454", with: "192.0.2.9:80")
            .write(toFile: gateway.folder + "/gateway.yaml", atomically: true, encoding: .utf8)
        gateway.process.signal(SIGHUP)
        #expect(gateway.operatorLine { $0["event"] == "reloaded" } != nil, "\(gateway.diagnosis)")
        try client.send(request("GET", "/b"))
        #expect(try client.response().status == 200, "the connection goes on")
        for _ in 0..<10 { #expect(try answer(at: web.port) == 200) }
        #expect(!gateway.operatorLog.contains { $0["event"] == "listener_closed" })
    }

    @Test(.refuses("ECO-42")) func `refuses a reload that leaves a socket without a listener, and serves on`() throws {
        let web = try Socket.listen()
        let upstream = try RecordingUpstream()
        let gateway = try GatewayProcess(Self.yaml(upstream), handedOver: [Named("web", web.socket.descriptor)])
        try Self.yaml(upstream.url, [", name: other"])
            .write(toFile: gateway.folder + "/gateway.yaml", atomically: true, encoding: .utf8)
        gateway.process.signal(SIGHUP)
        let line = gateway.operatorLine { $0["event"] == "reload_refused" }
        #expect(line?["detail"]?.contains("found none for the socket \"web\"; ") == true, "\(line?.raw ?? "")")
        #expect(try answer(at: web.port) == 200)
    }

    @Test(.holds("ECO-42"), .refuses("ECO-42"))
    func `leaves who waits there to the next process, and loses nobody under load`() throws {
        let web = try Socket.listen(backlog: 4096)
        let upstream = try RecordingUpstream()
        func start() throws -> GatewayProcess {
            try GatewayProcess(Self.yaml(upstream), handedOver: [Named("web", web.socket.descriptor)])
        }
        var gateway = try start()
        let outcomes = Watched<[String: Int]>([:])
        let (stopped, port) = (Watched(false), web.port)
        let clients = 4
        for _ in 0..<clients {
            Thread.detachNewThread {
                var client: RawClient?
                var answered = ContinuousClock.now
                while !stopped.now {
                    let outcome: String
                    var idle = Duration.zero
                    do {
                        let current = try client ?? RawClient(port: port)
                        if client != nil { idle = ContinuousClock.now - answered }
                        try current.send(request("GET", "/a"))
                        let response = try current.response()
                        answered = .now
                        outcome = "\(response.status)"
                        // A connection for three requests or so, and none behind an answer that says it is the last.
                        client =
                            response.fields["connection"].contains("close") || Int.random(in: 0..<3) == 0
                            ? nil : current
                    } catch {
                        // A gateway that ends keeps none for who asks nothing for a second: this thread stood still.
                        outcome = idle > .milliseconds(900) ? "late" : "\(error)"
                        client = nil
                    }
                    outcomes.withLock { $0[outcome, default: 0] += 1 }
                }
                outcomes.withLock { $0["ended", default: 0] += 1 }
            }
        }
        for round in 1...3 {
            #expect(outcomes.wait { $0["200", default: 0] >= round * 100 }, "\(outcomes.now)")
            gateway.terminate()
            #expect(gateway.process.waitForEnd() == .exited(0))
            // Somebody comes while nobody is there.
            let waiting = try RawClient(port: web.port)
            try waiting.send(request("GET", "/waiting"))
            gateway = try start()
            #expect(try waiting.response().status == 200)
        }
        #expect(outcomes.wait { $0["200", default: 0] >= 400 })
        stopped.withLock { $0 = true }
        #expect(outcomes.wait { $0["ended"] == clients })
        #expect(outcomes.now.filter { !["200", "ended", "late"].contains($0.key) } == [:])
    }

    /// A gateway at `web` that holds a request and has been told to end, and the client that waits for it.
    private func draining(
        _ web: (socket: Socket, port: UInt16), drain: String, _ upstream: RecordingUpstream, by gate: Gate
    ) throws -> (GatewayProcess, RawClient) {
        upstream.answer(
            "/held", with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlast.")))
        let gateway = try GatewayProcess(
            Self.yaml(upstream).replacingOccurrences(of: "drain: 5s", with: "drain: \(drain)"),
            handedOver: [Named("web", web.socket.descriptor)])
        let held = try RawClient(port: web.port)
        try held.send(request("GET", "/held"))
        #expect(upstream.waits { $0.requests.count == 1 })
        gateway.terminate()
        #expect(try eventually { try gateway.status("/readyz") == 503 })
        return (gateway, held)
    }

    @Test(.holds("ECO-42"))
    func `serves who comes while a request from before its end is under way, and ends when that has`() throws {
        let (web, gate) = (try Socket.listen(backlog: 4096), Gate())
        let upstream = try RecordingUpstream()
        let (gateway, held) = try draining(web, drain: "1h", upstream, by: gate)
        // Longer than the moment that connections on their way to a socket of its own would have.
        let until = ContinuousClock.now + .milliseconds(800)
        var served = 0
        while served < 50 || ContinuousClock.now < until {
            let client = try RawClient(port: web.port)
            try client.send(request("GET", "/a"))
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response.fields["connection"].contains("close"))
            served += 1
        }
        #expect(gateway.process.isRunning && held.staysSilent())
        gate.open()
        #expect(try held.response().status == 200)
        #expect(gateway.process.waitForEnd() == .exited(0))
        #expect(gateway.operatorLine { $0["event"] == "drained" } != nil)
    }

    @Test(.holds("ECO-42"))
    func `keeps nobody waiting for long behind a request that came after its end had begun`() throws {
        let (web, first, second) = (try Socket.listen(backlog: 4096), Gate(), Gate())
        let upstream = try RecordingUpstream()
        upstream.answer(
            "/late", with: WireScript(.wait(second), .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlast.")))
        let (gateway, held) = try draining(web, drain: "1h", upstream, by: first)
        let late = try RawClient(port: web.port)
        try late.send(request("GET", "/late"))
        #expect(upstream.waits { $0.requests.count == 2 })
        first.open()
        #expect(try held.response().status == 200)
        // Whoever comes now may wait for a pause, and not for the one that came late.
        for _ in 0..<20 {
            let client = try RawClient(port: web.port)
            try client.send(request("GET", "/a"))
            #expect(try client.response().status == 200)
        }
        #expect(gateway.process.isRunning && late.staysSilent())
        second.open()
        #expect(try late.response().status == 200)
        #expect(gateway.process.waitForEnd() == .exited(0))
        #expect(gateway.operatorLine { $0["event"] == "drained" } != nil)
    }

    @Test(.refuses("ECO-42"))
    func `takes nobody whom it could not answer before it is cut off, and the next process does`() throws {
        let (web, gate) = (try Socket.listen(backlog: 4096), Gate())
        defer { gate.open() }
        let upstream = try RecordingUpstream()
        // A quarter of it is for this machine, too.
        let (gateway, held) = try draining(web, drain: "8s", upstream, by: gate)
        var waiting: RawClient?
        var served = 0
        while waiting == nil {
            let client = try RawClient(port: web.port)
            try client.send(request("GET", "/a"))
            if client.staysSilent(for: .milliseconds(300)) {
                waiting = client
            } else {
                #expect(try client.response().status == 200)
                served += 1
            }
        }
        #expect(served > 0)
        #expect(gateway.process.isRunning, "it has a quarter of its time left for those that it took")
        #expect(gateway.process.waitForEnd() == .exited(0))
        #expect(held.isClosedByPeer())
        let next = try GatewayProcess(Self.yaml(upstream), handedOver: [Named("web", web.socket.descriptor)])
        defer { withExtendedLifetime(next) {} }
        #expect(try waiting?.response().status == 200)
    }

    private func refusal(_ listeners: [String], _ handedOver: [Named], environment: [String: String] = [:]) throws
        -> String
    {
        let gateway = try GatewayProcess(
            Self.yaml("http://127.0.0.1:9", listeners), environment: environment, handedOver: handedOver,
            until: .started)
        #expect(gateway.process.waitForEnd() == .exited(2))
        #expect(gateway.ports.isEmpty)
        return gateway.process.errors.now.joined(separator: "\n")
    }

    @Test(.refuses("ECO-42")) func `does not start with a socket too many, or a listener too many`() throws {
        let (web, old) = (try Socket.listen().socket, try Socket.listen().socket)
        let surplus = try refusal([", name: web"], [Named("web", web.descriptor), Named("old", old.descriptor)])
        #expect(
            surplus.contains(
                """
                gateway.yaml: expected a listener for each socket that was handed over, found none for the socket "old"
                    write FileDescriptorName= of the socket unit as a listener's name: web, admin
                """), "\(surplus)")
        let missing = try refusal([", name: web", ", name: second"], [Named("web", web.descriptor)])
        #expect(
            missing.contains(
                "expected a socket for each listener that has a name, found none for the listener \"second\""),
            "\(missing)")
        let twice = try refusal([", name: web"], [Named("web", web.descriptor), Named("web", old.descriptor)])
        #expect(twice.contains("found two sockets \"web\""), "\(twice)")
    }

    @Test(.refuses("ECO-42")) func `does not start at what is no socket that listens for streams`() throws {
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let datagram = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let idle = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let other = Glibc.socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { for descriptor in [file, datagram, idle, other] { close(descriptor) } }
        let cases = [
            (file, "no socket"), (datagram, "a socket without streams"), (idle, "a socket that does not listen"),
            (other, "a socket of another family"),
        ]
        for (descriptor, found) in cases {
            let said = try refusal([", name: web"], [Named("web", descriptor)])
            #expect(
                said.contains("expected the socket \"web\" (descriptor 3) to listen for streams, found \(found)\n"),
                "\(said)")
        }
    }

    @Test(.refuses("ECO-42")) func `does not start where the manager contradicts itself`() throws {
        let folder = try TemporaryFolder.make(for: "contradiction")
        defer { TemporaryFolder.remove(folder) }
        let path = folder + "/gateway.yaml"
        try Self.yaml("http://127.0.0.1:9", [", name: web"]).write(toFile: path, atomically: true, encoding: .utf8)
        for (variables, expected) in [
            ("LISTEN_FDS=2 LISTEN_FDNAMES=web", "expected LISTEN_FDNAMES to be 2 names"),
            ("LISTEN_FDS=many", "expected LISTEN_FDS to be a number of sockets"),
            // Said of a descriptor that nobody opened.
            ("LISTEN_FDS=1 LISTEN_FDNAMES=web", "found a descriptor that is not open"),
        ] {
            let command = "export LISTEN_PID=$$ \(variables); exec '\(GatewayProcess.binary)' run '\(path)'"
            let process = try ChildProcess("/bin/sh", ["-c", command])
            #expect(process.waitForEnd() == .exited(2))
            #expect(process.errors.now.joined().contains(expected), "\(process.errors.now)")
        }
    }

    @Test(.holds("ECO-42")) func `is what it always was where sockets are another process's`() throws {
        let upstream = try RecordingUpstream()
        let yaml = Self.yaml(upstream).replacingOccurrences("192.0.2.1:454", with: "127.0.0.1:0")
        let gateway = try GatewayProcess(
            yaml, environment: ["LISTEN_FDS": "1", "LISTEN_PID": "1", "LISTEN_FDNAMES": "old"])
        #expect(try answer(at: gateway.port) == 200)
    }
}
