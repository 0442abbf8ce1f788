import Glibc
import TestSupport
import TestTraits
import Testing

/// Rows HTTP-31 and OPS-05: a client that goes away, at every point of an exchange and in every way.
///
/// Each way out ends the same: the numbers of connections are what they were, and half a request was a whole one to nobody.
@Suite(.serialized) struct `clients that vanish` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /socket/, upstream: $UPSTREAM, public: true, websocket: true }"
                ]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        try #require(eventually { stage.gateway.connections("client") == 0 })
        try stage.upstream.settle()
        stage.reset()
    }

    /// Nobody is connected any more, and the upstream has recorded what it was sent before they went.
    private func expectNobodyLeft(at location: SourceLocation = #_sourceLocation) throws {
        #expect(eventually { stage.gateway.connections("client") == 0 }, sourceLocation: location)
        try stage.upstream.settle()
        #expect(eventually { stage.gateway.connections("upstream") == 0 }, sourceLocation: location)
        #expect(stage.gateway.process.isRunning, sourceLocation: location)
    }

    private static let messages = [
        "GET /open/vanished?a=b HTTP/1.1\r\nHost: gateway.test\r\nX-A: b\r\n\r\n",
        "POST /open/vanished HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 10\r\n\r\nabcdefghij",
        "POST /open/vanished HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    ]

    @Test(.holds("HTTP-31"), arguments: Leaving.allCases)
    func `before a request is complete, wherever it is cut`(leaving: Leaving) throws {
        for message in Self.messages {
            for cut in 0..<message.utf8.count {
                let client = try stage.gateway.client()
                if cut > 0 { try client.send(Array(message.utf8.prefix(cut))) }
                try leaving.leave(client)
            }
        }
        try expectNobodyLeft()
        let received = stage.upstream.requests
        // Heads without a body do arrive; what never arrives is the end of their body.
        #expect(received.allSatisfy { $0.path == "/open/vanished" && $0.method == "POST" })
        #expect(received.allSatisfy { !$0.isComplete }, "a cut request was complete")
        stage.reset()
        for message in Self.messages { try stage.expectForwarded(message, path: "/open/vanished") }
        #expect(stage.upstream.requests.allSatisfy { $0.isComplete })
    }

    @Test(.holds("HTTP-31")) func `with a large body under way`() throws {
        for leaving in Leaving.allCases {
            stage.reset()
            let client = try stage.gateway.client()
            try client.send("POST /open/large HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 1000000\r\n\r\n")
            try client.send([UInt8](repeating: 98, count: 300_000))
            #expect(stage.upstream.waits { ($0.requests.first?.bodyCount ?? 0) > 0 })
            try leaving.leave(client)
            #expect(stage.upstream.waits { $0.overConnections >= 1 }, "\(leaving)")
            #expect(stage.upstream.requests.allSatisfy { !$0.isComplete })
        }
        try expectNobodyLeft()
    }

    @Test(
        .holds("HTTP-31"),
        arguments: ["Content-Length: 67108864\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n4000000\r\n"])
    func `behind the head of the answer, and in its middle`(framing: String) throws {
        let size = 64 << 20
        for part in ["", "abc"] {
            for leaving in [Leaving.end, .reset] {
                stage.reset()
                let gate = Gate()
                let head = "HTTP/1.1 200 OK\r\n" + framing + part
                stage.upstream.answer("/open/a", with: WireScript(.text(head), .wait(gate), .pattern(size)))
                let client = try stage.gateway.client()
                try client.send(request("GET", "/open/a"))
                _ = try client.bytes(through: part.isEmpty ? "\r\n\r\n" : part)
                try leaving.leave(client)
                // A client that closed in order may still read: only the next bytes show that it does not.
                if leaving == .end { gate.open() }
                #expect(stage.upstream.waits { $0.overConnections >= 1 }, "\(framing) \(leaving)")
                #expect(stage.upstream.now.sentCount < size, "all of it was sent to nobody")
                gate.open()
            }
        }
        try expectNobodyLeft()
    }

    @Test(.holds("HTTP-31")) func `while the upstream has not answered yet`() throws {
        for leaving in [Leaving.end, .reset] {
            stage.reset()
            let gate = Gate()
            stage.upstream.answer("/open/a", with: WireScript(.wait(gate), .echo))
            let clients = try (0..<20).map { _ in try stage.gateway.client() }
            for client in clients { try client.send(request("GET", "/open/a")) }
            #expect(stage.upstream.waits { $0.requests.count >= 20 })
            for client in clients { try leaving.leave(client) }
            if leaving == .reset { #expect(stage.upstream.waits { $0.overConnections >= 20 }) }
            gate.open()
            #expect(eventually { stage.gateway.connections("client") == 0 }, "\(leaving)")
        }
        try expectNobodyLeft()
    }

    @Test(.holds("HTTP-36")) func `between requests that were sent one behind the other`() throws {
        for leaving in [Leaving.end, .reset] {
            stage.reset()
            let gate = Gate()
            stage.upstream.answer("/open/first", with: WireScript(.wait(gate), .echo))
            let client = try stage.gateway.client()
            let half = "POST /open/half HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 10\r\n\r\nhalf"
            try client.send(request("GET", "/open/first") + request("GET", "/open/second") + half)
            // What the round before sent last may arrive only now.
            #expect(stage.upstream.waits { $0.requests.contains { $0.path == "/open/first" } })
            try leaving.leave(client)
            gate.open()
            #expect(eventually { stage.gateway.connections("client") == 0 }, "\(leaving)")
            #expect(!stage.upstream.requests.contains { $0.path == "/open/half" && $0.isComplete })
        }
        try expectNobodyLeft()
    }

    @Test(.holds("HTTP-58")) func `out of a WebSocket`() throws {
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        let fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        // A masked frame of two bytes, cut everywhere: in its head, its mask, its content, and behind it.
        let frame: [UInt8] = [0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6B]
        for leaving in Leaving.allCases {
            for cut in 0...frame.count {
                stage.reset()
                stage.upstream.answer("/socket/a", with: WireScript(.text(answer), .tunnel))
                let client = try stage.gateway.client()
                try client.send(request("GET", "/socket/a", fields: fields))
                #expect(try client.response().status == 101)
                if cut > 0 {
                    try client.send(Array(frame.prefix(cut)))
                    // The upstream sends back what it gets: the part has passed both ways when it is here.
                    #expect(try client.bytes(cut) == Array(frame.prefix(cut)))
                }
                try leaving.leave(client)
                #expect(stage.upstream.waits { $0.overConnections >= 1 }, "\(leaving) after \(cut) bytes")
            }
        }
        try expectNobodyLeft()
    }

    @Test(.holds("OPS-05")) func `hundreds of them cost neither memory nor descriptors`() throws {
        let process = stage.gateway.process
        func round(allAtOnce: Bool = false) throws {
            if allAtOnce { process.signal(SIGSTOP) }
            for message in Self.messages {
                for cut in stride(from: 1, to: message.utf8.count, by: 6) {
                    let client = try stage.gateway.client()
                    try client.send(Array(message.utf8.prefix(cut)))
                    if cut / 6 % 2 == 0 { client.reset() } else { client.close() }
                }
            }
            if allAtOnce { process.signal(SIGCONT) }
            try expectNobodyLeft()
        }
        // The first rounds make the buffers that later ones use again: as many as are needed when the gateway stood still
        // meanwhile and finds all of them at once.
        for _ in 0..<3 { try round(allAtOnce: true) }
        for _ in 0..<3 { try round() }
        let (memory, descriptors) = (process.memory("RssAnon"), process.openDescriptors())
        for _ in 0..<10 { try round() }
        if !Sanitizer.isOn {
            #expect(process.memory("RssAnon") - memory < 2048, "KB after four hundred clients more")
        }
        #expect(eventually { process.openDescriptors() <= descriptors + 2 })
    }
}

/// Rows HTTP-31 and RS-24: clients that go away while their request waits for an issuer's keys.
@Suite struct `clients that vanish while they wait for keys` {
    private func stage(_ gate: Gate) throws -> Stage {
        try Stage(
            StagePlan(
                settings: "timeouts: { key_wait: 10s }", milestone: .listening,
                prepare: { $0.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .close)) }))
    }

    @Test(.refuses("RS-24"), arguments: [Leaving.end, .reset])
    func `are forgotten, and nothing of theirs is forwarded`(leaving: Leaving) throws {
        let gate = Gate()
        let stage = try stage(gate)
        let clients = try (0..<10).map { _ in try stage.gateway.client() }
        for (number, client) in clients.enumerated() {
            let body = number % 2 == 0 ? "whole" : ""
            let method = body.isEmpty ? "GET" : "POST"
            try client.send(request(method, "/orders/\(number)", fields: [stage.tokens.bearer()], body: body))
        }
        #expect(eventually { stage.gateway.reading("portcullis_parked_requests") ?? 0 > 0 })
        for client in clients { try leaving.leave(client) }
        #expect(eventually { stage.gateway.connections("client") == 0 })
        #expect(eventually { stage.gateway.reading("portcullis_parked_requests") == 0 })
        #expect(stage.upstream.requests.isEmpty)
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        // With the keys at hand whoever waited would be served: only who comes now is.
        stage.issuer.publish(metadata: stage.issuer.metadata())
        gate.open()
        #expect(
            try eventually {
                try stage.exchange("GET", "/orders/now", fields: [stage.tokens.bearer()]).status == 200
            })
        #expect(stage.upstream.requests.map(\.path) == ["/open/a", "/orders/now"])
    }
}

/// Rows HTTP-73 and OPS-05: clients that go away during a TLS handshake.
@Suite struct `clients that vanish during a handshake` {
    @Test(.refuses("HTTP-73")) func `leave nothing behind, wherever they are in it`() throws {
        let authority = try TestCertificate.authority(named: "Authority of the tests")
        let identity = try authority.issue(names: ["gateway.test"])
        let upstream = try RecordingUpstream()
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              - address: 127.0.0.1:0
                public_url: https://gateway.test
                tls: { certificate: $FOLDER/s.crt, key: $FOLDER/s.key }
            admin: { address: "127.0.0.1:0" }
            routes:
              - { path: /open/, upstream: "\(upstream.url)", public: true }
            log: { level: debug }

            """, files: ["s.crt": identity.certificate, "s.key": identity.key])
        let options = TLSClientOptions(serverName: "gateway.test", authority: authority.certificate)
        func get() throws {
            let client = try RawClient(port: gateway.port, tls: options)
            try client.send(request("GET", "/open/a"))
            #expect(try client.response().status == 200)
            client.close()
        }
        try get()
        #expect(eventually { gateway.connections("client") == 0 })
        let descriptors = gateway.process.openDescriptors()
        // A record header and a client hello that announce more than comes.
        let beginning: [UInt8] = [22, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + [UInt8](repeating: 7, count: 32)
        for leaving in Leaving.allCases {
            for cut in 0...beginning.count {
                let client = try gateway.client()
                if cut > 0 { try client.send(Array(beginning.prefix(cut))) }
                try leaving.leave(client)
            }
        }
        // And right behind it, with and without a part of a request.
        for part in ["", "GET /open/half HTTP/1.1\r\nHost: gate"] {
            for leaving in Leaving.allCases {
                let client = try RawClient(port: gateway.port, tls: options)
                if !part.isEmpty { try client.send(part) }
                try leaving.leave(client)
            }
        }
        #expect(eventually { gateway.connections("client") == 0 })
        #expect(eventually { gateway.process.openDescriptors() <= descriptors + 2 })
        #expect(!upstream.requests.contains { $0.path == "/open/half" })
        try get()
    }
}
