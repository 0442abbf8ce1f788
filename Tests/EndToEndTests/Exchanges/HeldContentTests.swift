import TestSupport
import TestTraits
import Testing

/// Row ECO-73: requests with a body that one server fails, and what of them another one gets.
///
/// Clients speak each version, and so do upstreams: those of HTTP/2 are gateways with a server of HTTP/1.1 behind them.
@Suite(.serialized, .byEachProtocol) struct `a request with a body that a server fails` {
    enum Version: String, CaseIterable { case http1, h2, auto }

    /// Two servers of one upstream, and the gateway before them.
    private final class Pair: Sendable {
        let servers: [RecordingUpstream]
        private let between: [GatewayProcess]
        let gateway: GatewayProcess

        init(_ version: Version, retries: Bool = true) throws {
            // Those that agree on HTTP/1.1 alone are asked for HTTP/2 each time anew.
            let authority = try TestCertificate.authority(named: "Authority of the tests")
            let identity = version == .auto ? try authority.issue(names: ["127.0.0.1"]) : nil
            let servers = try (0..<2).map { _ in try RecordingUpstream(identity: identity) }
            let between: [GatewayProcess] =
                try version == .h2 ? servers.map { try .before("\"\($0.url)\"", via: "back") } : []
            let urls =
                version == .h2 ? between.map { "\"http://127.0.0.1:\($0.port)\"" } : servers.map { "\"\($0.url)\"" }
            self.gateway = try .before(
                "{ url: [\(urls.joined(separator: ", "))], protocol: \(version), retries: \(retries), "
                    + "\(version == .auto ? "certificate_authority: $FOLDER/ca.crt, " : "")ejection: { failures: 0 } }",
                via: "front", files: ["ca.crt": authority.certificate])
            (self.servers, self.between) = (servers, between)
        }

        /// Every request for these paths, whichever server it came to.
        func requests(_ path: String) -> [WireRequest] { servers.flatMap(\.requests).filter { $0.path == path } }
    }

    /// How a body is announced, and written.
    enum Framing: CaseIterable {
        case length, chunks, smallChunks

        /// A whole request with this body, whose client says that it may be repeated where its method does not.
        func message(_ method: String, _ path: String, _ body: [UInt8], key: Bool = true) -> [UInt8] {
            let key = key && method == "POST" ? "Idempotency-Key: \"\(path)\"\r\n" : ""
            let head = "\(method) \(path) HTTP/1.1\r\nHost: gateway.test\r\n\(key)"
            guard self != .length else {
                return Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
            }
            let size = self == .chunks ? 60_000 : 1500
            let chunks = stride(from: 0, to: body.count, by: size).flatMap { start in
                let part = body[start..<min(start + size, body.count)]
                return Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8)
            }
            return Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8) + chunks + Array("0\r\n\r\n".utf8)
        }
    }

    /// Bytes that look like the end of a chunked body and like another request now and then, and like nothing else.
    private func body(_ count: Int) -> [UInt8] {
        let text = Array("0\r\n\r\nGET /inside HTTP/1.1\r\nHost: gateway.test\r\n\r\n".utf8)
        return (0..<count).map { $0 % 7000 < text.count ? text[$0 % 7000] : UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    @Test(
        .holds("ECO-73"), arguments: Version.allCases,
        [WireScript(.close), WireScript(.reset), .answer(503, "no"), WireScript(exactly: [.readSome(1), .close])])
    func `reaches another one whole, byte for byte`(at version: Version, failure: WireScript) throws {
        let pair = try Pair(version)
        pair.servers[0].answerAll(with: failure)
        for framing in Framing.allCases {
            for size in [0, 1, 20_000, 65_536] {
                let content = body(size)
                // Servers have turns: until one of these has met the one that fails.
                var hasFailed = false
                for turn in 0..<8 where !hasFailed {
                    let path = "/\(framing)/\(size)/\(turn)"
                    let client = try pair.gateway.client()
                    let method = turn % 2 == 0 ? "PUT" : "POST"
                    // The next request behind it is the next request.
                    let next = Array(request("DELETE", path + "/next").utf8)
                    try client.send(framing.message(method, path, content) + next)
                    #expect(try client.response(to: method).status == 200, "\(path)\(pair.gateway.diagnosis)")
                    #expect(try client.response(to: "DELETE").status == 200)
                    let seen = pair.servers[1].requests.filter { $0.path == path }
                    #expect(seen.count == 1 && seen[0].body == content && seen[0].isComplete, "\(path)")
                    client.close()
                    hasFailed = pair.servers[0].requests.contains { $0.path == path }
                }
                #expect(hasFailed, "one of them met the server that fails")
            }
        }
        let malformed = pair.servers.flatMap(\.now.malformed)
        #expect(malformed.isEmpty && pair.requests("/inside").isEmpty, "\(malformed)")
    }

    /// Without its last chunk it is a request without end there, and the next one on the connection is a chunk of it.
    @Test(.holds("ECO-73"), .refuses("ECO-73"))
    func `reaches another one whole when it is empty and nothing was known of it`()
        throws
    {
        // The first connection says that there is no HTTP/2, and with the last one that is forgotten.
        var hasFailed = false
        for turn in 0..<8 where !hasFailed {
            let pair = try Pair(.auto)
            pair.servers[turn % 2].answerAll(with: WireScript(.close))
            let client = try pair.gateway.client()
            try client.send(Framing.chunks.message("PUT", "/empty", []) + Array(request("DELETE", "/next").utf8))
            #expect(try client.response(to: "PUT").status == 200, "\(pair.gateway.diagnosis)")
            hasFailed = pair.servers[turn % 2].requests.contains { $0.path == "/empty" }
            let seen = pair.servers[1 - turn % 2].requests.filter { $0.path == "/empty" }
            #expect(seen.count == 1 && seen[0].isComplete && seen[0].body.isEmpty)
            #expect(try client.response(to: "DELETE").status == 200)
            #expect(pair.servers.flatMap(\.now.malformed).isEmpty)
        }
        #expect(hasFailed, "one of them met the server that fails")
    }

    @Test(.holds("ECO-73"), arguments: Version.allCases)
    func `goes on at another one while it is being sent`(at version: Version) throws {
        let pair = try Pair(version)
        pair.servers[0].answerAll(with: WireScript(exactly: [.readSome(3000), .close]))
        for framing in Framing.allCases {
            var hasFailed = false
            for turn in 0..<8 where !hasFailed {
                let (path, content) = ("/\(framing)/\(turn)", body(9000))
                let message = framing.message("PUT", path, content)
                let client = try pair.gateway.client()
                let cut = message.count - 4000
                try client.send(Array(message[..<cut]))
                // Whichever server has it has as much of it as there is, or has broken off.
                #expect(eventually { pair.requests(path).contains { $0.bodyCount >= 3000 } })
                hasFailed = pair.servers[0].requests.contains { $0.path == path }
                if hasFailed { #expect(pair.servers[1].waits { $0.requests.contains { $0.path == path } }) }
                for start in stride(from: cut, to: message.count, by: 997) {
                    try client.send(Array(message[start..<min(start + 997, message.count)]))
                }
                #expect(try client.response(to: "PUT").status == 200, "\(path)\(pair.gateway.diagnosis)")
                #expect(pair.servers[1].requests.filter { $0.path == path }.map(\.body) == [content])
            }
            #expect(hasFailed, "one of them met the server that fails")
        }
    }

    @Test(.holds("ECO-73")) func `reaches another one when the first cannot be connected to`() throws {
        let pair = try Pair(.http1)
        pair.servers[0].stop()
        for number in 0..<4 {
            let client = try pair.gateway.client()
            // Nothing of it was sent: it may do anything.
            try client.send(request("POST", "/\(number)", body: "once"))
            #expect(try client.response(to: "POST").status == 200)
        }
        #expect(pair.servers[1].requests.map(\.bodyText) == ["once", "once", "once", "once"])
    }

    @Test(.refuses("ECO-73"), arguments: Version.allCases)
    func `is not sent again when it has more than is held`(at version: Version) throws {
        let pair = try Pair(version)
        for server in pair.servers { server.answerAll(with: WireScript(.close)) }
        for framing in Framing.allCases {
            let path = "/\(framing)"
            let client = try pair.gateway.client()
            try client.send(framing.message("PUT", path, body(65_537)))
            #expect(try client.response(to: "PUT").status == 502)
            #expect(pair.requests(path).map(\.bodyCount) == [65_537], "\(path)")
        }
        // Of one byte less it would have been.
        let client = try pair.gateway.client()
        try client.send(Framing.length.message("PUT", "/less", body(65_536)))
        #expect(try client.response(to: "PUT").status == 502)
        #expect(pair.requests("/less").map(\.bodyCount) == [65_536, 65_536])
    }

    @Test(.refuses("ECO-73"), arguments: Version.allCases)
    func `is not sent again when that might do it twice`(at version: Version) throws {
        let pair = try Pair(version)
        for server in pair.servers { server.answerAll(with: WireScript(.close)) }
        for method in ["POST", "PATCH", "REPORT"] {
            for framing in Framing.allCases {
                let path = "/\(method)/\(framing)"
                let client = try pair.gateway.client()
                try client.send(framing.message(method, path, body(5000), key: false))
                #expect(try client.response(to: method).status == 502)
                #expect(pair.requests(path).count == 1, "\(path)")
            }
        }
        let client = try pair.gateway.client()
        try client.send(Framing.chunks.message("POST", "/keyed", body(5000)))
        #expect(try client.response(to: "POST").status == 502)
        #expect(pair.servers.map { $0.requests.count { $0.path == "/keyed" } } == [1, 1], "twice and no more")
        let unsaid = try Pair(version, retries: false)
        for server in unsaid.servers { server.answerAll(with: WireScript(.close)) }
        #expect(try unsaid.gateway.exchange(request("PUT", "/unsaid", body: "once"), method: "PUT").status == 502)
        #expect(unsaid.requests("/unsaid").count == 1)
    }

    @Test(.refuses("ECO-73"), arguments: Version.allCases)
    func `is not sent again once its client has a byte of an answer`(at version: Version) throws {
        let (pair, gate) = (try Pair(version), Gate())
        defer { gate.open() }
        let part = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\np".utf8)
        for server in pair.servers { server.answerAll(with: WireScript(.bytes(part), .wait(gate), .close)) }
        let client = try pair.gateway.client()
        try client.send(request("PUT", "/part", body: "whole"))
        // Its server breaks off once a part of the answer has come all the way.
        let begun = try client.bytes(5)
        #expect(begun == Array("HTTP/".utf8))
        gate.open()
        _ = try? client.bytesToEnd()
        #expect(pair.requests("/part").count == 1)
    }

    @Test(.refuses("ECO-73"), .byHTTP1(because: "what is held is the same however it came"))
    func `is not sent again while its client has its share of what is held, and that of others is`() throws {
        let (pair, gate) = (try Pair(.http1), Gate())
        for server in pair.servers {
            server.answerAll(with: WireScript(.wait(gate), .echo))
            server.answer("/full", with: WireScript(.close))
        }
        func ask(from source: String) throws -> Int {
            let client = try RawClient(port: pair.gateway.port, from: source)
            defer { client.close() }
            try client.send(request("PUT", "/full", body: "whole"))
            return try client.response(to: "PUT").status
        }
        // So many that the share is borrowed: memory of 64 KiB each, and the rest of it by small ones.
        let contents = Array(repeating: body(40_000), count: 160) + Array(repeating: body(5), count: 40)
        let waiting = try contents.enumerated().map { number, content in
            let client = try pair.gateway.client()
            try client.send(Framing.length.message("PUT", "/\(number)", content))
            return client
        }
        #expect(eventually { pair.servers.map(\.receivedCount).reduce(0, +) >= 160 * 40_000 })
        #expect(eventually { pair.servers.map(\.requests.count).reduce(0, +) >= 200 })
        #expect(try ask(from: "127.0.0.1") == 502)
        #expect(pair.requests("/full").count == 1)
        #expect(try ask(from: "127.0.0.2") == 502)
        #expect(pair.requests("/full").count == 3, "others have room")
        gate.open()
        for client in waiting { #expect(try client.response(to: "PUT").status == 200) }
        // What is not needed any more is there for the next one.
        #expect(try ask(from: "127.0.0.1") == 502)
        #expect(pair.requests("/full").map(\.bodyText) == Array(repeating: "whole", count: 5))
    }

    @Test(.refuses("ECO-73")) func `has one token exchanged for both servers`() throws {
        let failing = try RecordingUpstream()
        failing.answerAll(with: WireScript(.close))
        var plan = StagePlan.lookups("cache: 30s")
        plan.routes = [
            """
            { path: /orders/, upstream: { url: ["\(failing.url)", $UPSTREAM], retries: true, ejection: { failures: 0 } }, \
            token: { issuers: [main], audience: "\(TokenForge.audience)" }, \
            upstream_credential: { exchange: { client: asker, audience: stock } } }
            """
        ]
        let stage = try Stage(plan)
        let members = [
            "\"access_token\":\"for-stock\"", "\"issued_token_type\":\"urn:ietf:params:oauth:token-type:access_token\"",
            "\"token_type\":\"Bearer\"", "\"expires_in\":1",
        ]
        stage.issuer.answer(
            ScriptedIssuer.tokenPath, with: ScriptedIssuer.json("{\(members.joined(separator: ","))}"))
        for turn in 0..<2 {
            let before = stage.exchanges
            let bearer = "Authorization: Bearer \(stage.tokens.token(["sub": quoted("user-\(turn)")]))"
            let response = try stage.exchange("PUT", "/orders/\(turn)", fields: [bearer], body: "whole")
            #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
            #expect(stage.exchanges == before + 1)
        }
        #expect(!failing.requests.isEmpty)
        for seen in failing.requests + stage.upstream.requests {
            #expect(seen.fields["authorization"] == ["Bearer for-stock"] && seen.bodyText == "whole")
        }
    }
}
