import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows ECO-74 and DPOP-17 where the upstream speaks HTTP/2: its requests are as many as the operator says, and so are those
/// that wait for room in the connections that they share.
@Suite struct `the bounds of an upstream of HTTP/2` {
    private static let cause = "upstream_connections_exhausted"
    private static let done = [(":status", "200"), ("content-length", "0")]
    private static let ofServer = "requests at most at one server (upstream.limits.requests_per_server)"
    private static let ofPending = "requests at most that wait for a connection (upstream.limits.pending)"

    private func stage(
        _ ports: [UInt16], _ limits: String, version: String = "h2", patience: String = "3s"
    ) throws -> Stage {
        let list = ports.map { "\"http://127.0.0.1:\($0)\"" }.joined(separator: ", ")
        let upstream = "{ url: [\(list)], protocol: \(version), limits: { \(limits) } }"
        return try Stage(
            StagePlan(
                routes: [
                    "{ path: /stalls/, upstream: \(upstream), public: true, websocket: true }",
                    """
                    { path: /bound/, upstream: \(upstream), token: { issuers: [main], schemes: [DPoP], \
                    audience: "\(TokenForge.audience)" } }
                    """,
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                ], settings: "timeouts: { key_wait: 10s, upstream_connect: \(patience) }"))
    }

    /// A gateway within these limits whose client has been answered over the one connection that its upstream takes.
    private func used(
        _ limits: String
    ) throws -> (stage: Stage, listener: (socket: Socket, port: UInt16), client: FrameClient, peer: FrameClient) {
        let listener = try Socket.listen(backlog: 0)
        let stage = try stage([listener.port], limits)
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/stalls/a")
        let peer = try FrameClient(serving: try #require(listener.socket.accept()))
        try answer(try arrival(peer), peer)
        #expect(try client.status(of: 1) == "200")
        return (stage, listener, client, peer)
    }

    /// A request of a client of its own, so that none has more than its share.
    private func send(_ number: Int, _ stage: Stage) throws -> RawClient {
        let client = try RawClient(port: stage.gateway.port, from: "127.0.0.\(number + 2)")
        try client.send(request("GET", "/stalls/\(number)"))
        return client
    }

    /// The next request that reaches a server: its stream there.
    private func arrival(_ peer: FrameClient) throws -> UInt32 {
        try #require(try peer.frames { $0.type == Frame.headers }.last).stream
    }

    private func answer(_ stream: UInt32, _ peer: FrameClient) throws {
        try peer.client.send(FrameClient.section(stream, Self.done, ends: true))
    }

    /// Until all of these streams are over.
    private func end(of streams: Set<UInt32>, _ client: FrameClient) throws -> [UInt32: String] {
        var left = streams
        while !left.isEmpty {
            let frame = try client.next()
            if frame.ends || frame.type == Frame.reset { left.remove(frame.stream) }
        }
        return Dictionary(uniqueKeysWithValues: streams.map { ($0, client.values(":status", of: $0).first ?? "none") })
    }

    private func expectRefused(
        _ expected: String, _ stage: Stage, at location: SourceLocation = #_sourceLocation
    ) throws {
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == Self.cause }, sourceLocation: location)
        #expect(line["expected"] == expected && line["blame"] == "capacity", "\(line.raw)", sourceLocation: location)
    }

    private func proven(_ stage: Stage) -> [(String, String)] {
        ProofCall().fields(stage).map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (parts[0].lowercased(), String(parts[1]))
        }
    }

    @Test(
        .holds("ECO-74"), .refuses("ECO-74"),
        arguments: [("requests: 3", "3 connections at most"), ("requests_per_server: 3", "3 " + ofServer)])
    func `let so many have a stream, and refuse the next one at once`(limits: String, expected: String) throws {
        let server = try FrameServer()
        let stage = try stage([server.port], limits)
        var waiting = [try send(0, stage)]
        let peer = try server.connection()
        var streams = [try arrival(peer)]
        for number in 1..<3 {
            waiting.append(try send(number, stage))
            streams.append(try arrival(peer))
        }
        let refused = try send(3, stage).response()
        expectTemplate(refused, status: 503)
        #expect(refused.fields.only("retry-after") != nil)
        try expectRefused(expected, stage)
        #expect(try stage.exchange("GET", "/open/a").status == 200, "no other route is held up")
        for (client, stream) in zip(waiting, streams) {
            try answer(stream, peer)
            #expect(try client.response().status == 200)
        }
        let next = try send(4, stage)
        try answer(try arrival(peer), peer)
        #expect(try next.response().status == 200)
        #expect(server.connectionCount == 0, "all of them shared the one that there is")
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"))
    func `of one server send its requests to the other, and nobody's where both are full`() throws {
        let servers = try (0..<2).map { _ in try FrameServer() }
        let stage = try stage(servers.map(\.port), "requests_per_server: 1")
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/stalls/1")
        try client.get(3, "/stalls/3")
        let peers = try servers.map { try $0.connection() }
        let streams = try peers.map { try arrival($0) }
        try client.get(5, "/stalls/5")
        #expect(try client.status(of: 5) == "503")
        try expectRefused("1 " + Self.ofServer, stage)
        try answer(streams[1], peers[1])
        let served = try client.frames { $0.ends }.last?.stream
        #expect(served == 1 || served == 3)
        for stream in [UInt32(7), 9, 11] {
            try client.get(stream, "/stalls/a")
            try answer(try arrival(peers[1]), peers[1])
            #expect(try client.status(of: stream) == "200", "the one that has room")
        }
    }

    @Test(
        .holds("ECO-74"), .refuses("ECO-74"),
        arguments: [("pending: 3", "3 " + ofPending), ("requests_per_server: 3", "3 " + ofServer)])
    func `let so many wait for its connection, and refuse the next one at once`(
        limits: String, expected: String
    ) throws {
        // Its queue has room for one connection, which nobody accepts: what else begins one is not answered.
        let (silent, port) = try Socket.listen(backlog: 0)
        let first = try Socket.connect(port: port)
        let stage = try stage([port], limits)
        let clients = try (0..<3).map { number in
            let client = try FrameClient(port: stage.gateway.port, from: "127.0.0.\(number + 2)")
            try client.get(1, "/stalls/\(number)")
            // It waits once the gateway has answered what came behind it.
            try client.get(3, "/open/a")
            #expect(try client.status(of: 3) == "200")
            return client
        }
        expectTemplate(try send(3, stage).response(), status: 503)
        try expectRefused(expected, stage)
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        for client in clients { #expect(try end(of: [1], client) == [1: "504"]) }
        withExtendedLifetime((silent, first)) {}
    }

    @Test(.holds("ECO-74", "OPS-05"), .refuses("OPS-05"), arguments: ["http1", "h2"])
    func `leave places to wait to all others, however many requests one client sends`(version: String) throws {
        let (silent, port) = try Socket.listen(backlog: 0)
        let first = try Socket.connect(port: port)
        let stage = try stage([port], "pending: 4", version: version, patience: "60s")
        let client = try FrameClient(port: stage.gateway.port)
        for stream in [UInt32(1), 3, 5] { try client.get(stream, "/stalls/\(stream)") }
        #expect(try client.status(of: 5) == "429")
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == "upstream_share_exhausted" })
        let expected = "2 requests of one client that wait for a connection (half of upstream.limits.pending)"
        #expect(line["expected"] == expected, "\(line.raw)")
        #expect(line["found"] == "more of 127.0.0.1" && line["blame"] == "client", "\(line.raw)")
        // The last place is left to somebody who has none.
        let other = try FrameClient(port: stage.gateway.port, from: "127.0.0.2")
        for stream in [UInt32(1), 3] { try other.get(stream, "/stalls/\(stream)") }
        #expect(try other.status(of: 3) == "429")
        let third = try FrameClient(port: stage.gateway.port, from: "127.0.0.3")
        for stream in [UInt32(1), 3] { try third.get(stream, "/stalls/\(stream)") }
        #expect(try third.status(of: 3) == "503", "there is no place at all")
        // What is given up holds no place.
        for stream in [UInt32(1), 3] { try client.client.send(FrameClient.reset(stream)) }
        for stream in [UInt32(7), 9] { try client.get(stream, "/stalls/\(stream)") }
        #expect(try client.status(of: 9) == "429")
        #expect(client.values(":status", of: 7).isEmpty, "it waits, and has one place of the two that are free")
        withExtendedLifetime((silent, first)) {}
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"))
    func `count a WebSocket that waits for a connection of HTTP/1.1 as any other`() throws {
        let (stage, (silent, port), client, peer) = try used("pending: 1")
        // From now on no connection comes about, and it has said that it takes no extended CONNECT.
        let first = try Socket.connect(port: port)
        try client.openSocket(3, "/stalls/a")
        try client.openSocket(5, "/stalls/a")
        #expect(try client.status(of: 5) == "503")
        try expectRefused("1 " + Self.ofPending, stage)
        try client.get(7, "/stalls/a")
        try answer(try arrival(peer), peer)
        #expect(try client.status(of: 7) == "200", "for it there is room in what is open")
        #expect(try end(of: [3], client) == [3: "504"])
        withExtendedLifetime((silent, first)) {}
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"))
    func `count a WebSocket that connects by HTTP/1.1 once among those of its server`() throws {
        let (stage, (silent, port), client, peer) = try used("requests_per_server: 2")
        // It connects, and nobody accepts that.
        let first = try Socket.connect(port: port)
        try client.openSocket(3, "/stalls/a")
        try client.get(5, "/stalls/a")
        let held = try arrival(peer)
        try client.get(7, "/stalls/a")
        #expect(try client.status(of: 7) == "503", "with the WebSocket there are two")
        try expectRefused("2 " + Self.ofServer, stage)
        try answer(held, peer)
        #expect(try client.status(of: 5) == "200")
        #expect(try end(of: [3], client) == [3: "504"])
        for stream in [UInt32(9), 11] {
            try client.get(stream, "/stalls/a")
            try answer(try arrival(peer), peer)
            #expect(try client.status(of: stream) == "200", "what is over counts no more")
        }
        withExtendedLifetime((silent, first)) {}
    }

    // MARK: proofs

    @Test(.holds("DPOP-17"), .refuses("ECO-74"), arguments: ["http1", "h2"])
    func `spend no proof of a request that may not wait for a connection`(version: String) throws {
        let (silent, port) = try Socket.listen(backlog: 0)
        let first = try Socket.connect(port: port)
        let stage = try stage([port], "pending: 1", version: version)
        let client = try FrameClient(port: stage.gateway.port)
        let proof = proven(stage)
        try client.get(1, "/bound/a", proven(stage))
        try client.get(3, "/bound/a", proof)
        #expect(try client.status(of: 3) == "503")
        #expect(try client.status(of: 1) == "504")
        try client.get(5, "/bound/a", proof)
        #expect(try client.status(of: 5) == "504", "it was good still, and waited")
        try client.get(7, "/bound/a", proof)
        #expect(try client.status(of: 7) == "401")
        withExtendedLifetime((silent, first)) {}
    }

    @Test(.holds("DPOP-17", "ECO-74"), .refuses("ECO-74"))
    func `spend no proof of a request that may not wait for a stream`() throws {
        let server = try FrameServer()
        let stage = try stage([server.port], "pending: 1")
        let client = try FrameClient(port: stage.gateway.port)
        func ask(_ stream: UInt32) throws { try client.get(stream, "/bound/a", proven(stage)) }
        func serve(_ stream: UInt32, _ there: UInt32, _ peer: FrameClient) throws {
            try answer(there, peer)
            #expect(try client.status(of: stream) == "200")
        }
        // Two connections, each of which has one stream at a time, as the gateway knows behind an answer.
        try ask(1)
        let one = try server.connection(streams: 1)
        try serve(1, try arrival(one), one)
        try ask(3)
        let held = try arrival(one)
        try ask(5)
        let other = try server.connection(streams: 1)
        try serve(5, try arrival(other), other)
        try ask(7)
        let there = try arrival(other)
        // It waits, as one may, and the next one may not.
        try ask(9)
        let proof = proven(stage)
        try client.get(11, "/bound/a", proof)
        #expect(try client.status(of: 11) == "503")
        try expectRefused("1 " + Self.ofPending, stage)
        try serve(7, there, other)
        try serve(9, try arrival(other), other)
        try client.get(13, "/bound/a", proof)
        try serve(13, try arrival(other), other)
        try client.get(15, "/bound/a", proof)
        #expect(try client.status(of: 15) == "401")
        try serve(3, held, one)
    }
}
