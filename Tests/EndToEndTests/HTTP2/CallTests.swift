import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows of section H.11: calls of gRPC between a client and a server of which each frame is a test's.
@Suite(.serialized) struct `a call of gRPC` {
    private static let shared = Shared { try CallStage(servers: 40) }
    let calls: CallStage
    var stage: Stage { calls.stage }

    init() throws {
        calls = try Self.shared.get()
        calls.stage.reset()
    }

    private func bearer(_ claims: [String: String?] = [:]) -> (String, String) {
        ("authorization", "Bearer " + stage.tokens.token(claims))
    }

    private func scoped(_ scope: String) -> (String, String) { bearer(["scope": quoted(scope)]) }

    // MARK: Messages

    @Test(.holds("H2-85")) func `passes message by message in both directions, and each side ends by itself`() throws {
        let one = try Conversation(calls)
        let stream = try one.call(one.path("open"), ends: false)
        let there = try one.arrival()
        for number in 0..<50 {
            try one.say("up \(number)", on: stream)
            let up = try one.peer().frames { $0.type == Frame.data }.flatMap(\.payload)
            #expect(up == Conversation.message("up \(number)"))
            if number == 0 { try one.answer(there) }
            let down = Conversation.message("down \(number)")
            try one.peer().client.send(FrameClient.frame(0, stream: there, down))
            #expect(try one.client.frames { $0.type == Frame.data }.last?.payload == down)
        }
        // Half-closed by the client, it goes on; its end comes with nothing more to say.
        try one.client.client.send(FrameClient.frame(0, flags: 1, stream: stream))
        #expect(try one.peer().frames { $0.stream == there && $0.ends }.last?.payload == [])
        try one.peer().client.send(FrameClient.frame(0, stream: there, Conversation.message("last")))
        #expect(try one.client.frames { $0.type == Frame.data }.last?.payload == Conversation.message("last"))
        try one.finish(there)
        #expect(try one.result(of: stream)?.status == "0")
    }

    @Test(.holds("H2-49", "H2-85"), .refuses("H2-49"))
    func `has its request's trailers passed, which other routes drop`() throws {
        let one = try Conversation(calls)
        for (kind, expected) in [("open", ["7"]), ("plain", [])] {
            let stream = try one.call(one.path(kind), messages: ["a"], ends: false)
            let there = try one.arrival()
            try one.client.client.send(FrameClient.section(stream, [("x-sum", "7")], ends: true))
            try one.peer().frames { $0.stream == there && $0.ends }
            #expect(try one.peer().values("x-sum", of: there) == expected, "\(kind)")
            try one.answer(there)
            try one.finish(there)
            #expect(try one.result(of: stream)?.status == "0")
        }
    }

    @Test(.holds("ECO-68"), .refuses("ECO-70"))
    func `has its server's path, and no trailer that its route sets or removes, in either direction`() throws {
        let one = try Conversation(calls)
        let stream = try one.call(one.path("fields"), messages: ["a"], ends: false)
        let there = try one.arrival()
        #expect(try one.peer().values(":path", of: there) == ["/inner.S/Any"])
        try one.client.client.send(FrameClient.section(stream, [("x-sum", "7"), ("x-other", "8")], ends: true))
        try one.peer().frames { $0.stream == there && $0.ends }
        #expect(try one.peer().values("x-sum", of: there) == ["ours"])
        #expect(try one.peer().values("x-other", of: there) == ["8"])
        try one.answer(there)
        try one.finish(there, "0", [("x-down", "1"), ("x-up", "2")])
        let result = try #require(try one.result(of: stream))
        #expect(result["x-up"] == "2" && result.values("x-down") == [])
    }

    @Test(.holds("H2-89"), arguments: ["open", "plain"])
    func `tells its server once that trailers are read, whatever its client says`(kind: String) throws {
        let one = try Conversation(calls)
        for te in [[("te", "trailers")], []] {
            let stream = UInt32(te.isEmpty ? 1 : 3)
            let client = te.isEmpty ? try FrameClient(port: stage.gateway.port) : one.client
            let fields = [("content-type", "application/grpc")] + te
            try client.client.send(FrameClient.request(stream, one.path(kind), method: "POST", fields))
            let there = try one.arrival()
            #expect(try one.peer().values("te", of: there) == ["trailers"])
            client.client.close()
        }
    }

    @Test(.refuses("H2-89")) func `says nothing of trailers to a server of HTTP/1.1`() throws {
        let one = try Conversation(calls)
        _ = try one.result(of: try one.call("/old.S/Any"))
        let recorded = try #require(stage.upstream.onlyRequest(for: "/old.S/Any"))
        #expect(recorded.fields["te"] == [])
    }

    // MARK: Rights

    @Test(.holds("H2-90")) func `needs the scopes of its method, or of its service`() throws {
        let one = try Conversation(calls)
        for (method, scope) in [("Get", "read"), ("Put", "write"), ("List", "other")] {
            let stream = try one.call(one.path("scope", method), [scoped(scope)])
            let there = try one.arrival()
            try one.answer(there, ["good"])
            try one.finish(there)
            let result = try #require(try one.result(of: stream), "\(method)")
            #expect(result.status == "0" && result.content == Conversation.message("good"))
        }
    }

    @Test(.refuses("H2-90")) func `without them is denied, and its server hears nothing of it`() throws {
        let one = try Conversation(calls)
        for (method, scope, needed) in [
            ("Get", "write other", "read"), ("Put", "read", "write"), ("List", "read", "other"),
        ] {
            let result = try #require(try one.result(of: try one.call(one.path("scope", method), [scoped(scope)])))
            #expect(result.status == "7" && result.isOneSection && result[":status"] == "200")
            #expect(result["www-authenticate"]?.contains("scope=\"\(needed)\"") == true, "\(result.fields)")
        }
        #expect(one.server.connectionCount == 0)
    }

    @Test(
        .refuses("H2-90"),
        arguments: [
            ("Put/", "7"), ("put", "7"), ("Put.x/", "7"), ("P%75t", "7"), ("Put?", nil), ("/Put", "7"),
            ("..%2FPut", "13"),
            ("%2FPut", "13"), ("Put;x", "13"), ("", "7"), ("a/b", "7"),
        ] as [(String, String?)])
    func `in another spelling never has a weaker rule`(method: String, status: String?) throws {
        let one = try Conversation(calls)
        let all = scoped(status == nil ? "read other admin" : "read write other admin")
        let result = try #require(try one.result(of: try one.call(one.path("scope", method), [all])))
        #expect(result.status == status ?? "7", "\(result.fields)")
        #expect(one.server.connectionCount == 0)
        if status == "7" {
            let line = try #require(
                stage.gateway.operatorLine {
                    $0["event"] == "refused" && $0["request_id"] == result["x-request-id"]
                })
            #expect(line["cause"] == "grpc_method_not_allowed" && line["check"] == "H2-90")
        }
    }

    // MARK: Identity

    @Test(.holds("H2-91")) func `tells its server who calls, under the names of the route`() throws {
        let one = try Conversation(calls)
        _ = try one.call(one.path("token"), [bearer(["sub": quoted("al\u{fc}ce?")]), ("x-mine", "1")])
        let there = try one.arrival()
        let peer = try one.peer()
        #expect(peer.values("x-user-id", of: there) == ["al%C3%BCce?"])
        // base64 of the UTF-8, without padding, which a server of gRPC decodes.
        #expect(peer.values("x-id-bin", of: there) == ["YWzDvGNlPw"])
        #expect(peer.values("x-mine", of: there) == ["1"])
        #expect(peer.values("authorization", of: there) == [])
    }

    @Test(
        .refuses("H2-91"),
        arguments: ["x-user-id", "x_user_id", "x-user-id-bin", "x_user-id_bin", "x-id-bin", "x.id.bin"])
    func `cannot say itself who calls, in any spelling`(name: String) throws {
        let one = try Conversation(calls)
        for (kind, more) in [("token", [bearer()]), ("open", [])] {
            _ = try one.call(one.path(kind), more + [(name, "cm9vdA")])
            let there = try one.arrival()
            let said = try one.peer().fields[there] ?? []
            #expect(!said.contains { $0.contains("cm9vdA") }, "\(said)")
            #expect(try one.peer().values("x-user-id", of: there) == (kind == "token" ? ["alice"] : []))
        }
    }

    // MARK: Health

    @Test(.holds("H2-92")) func `for health goes where its route leads, as any other`() throws {
        let one = try Conversation(calls)
        for method in ["Check", "Watch"] {
            let stream = try one.call(one.path("open", method))
            let there = try one.arrival()
            try one.answer(there, ["\u{8}\u{1}"])
            try one.finish(there)
            #expect(try one.result(of: stream)?.content == Conversation.message("\u{8}\u{1}"))
        }
    }

    @Test(
        .refuses("H2-92"),
        arguments: [
            "/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch",
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        ])
    func `for health or reflection is nobody's without a route`(path: String) throws {
        let one = try Conversation(calls)
        let result = try #require(try one.result(of: try one.call(path)))
        #expect(result.status == "12" && result.isOneSection && result.content.isEmpty)
        #expect(one.server.connectionCount == 0)
    }

    // MARK: Size

    @Test(.holds("H2-95")) func `may code its messages as it likes, and have as many as its route allows`() throws {
        let one = try Conversation(calls)
        let text = String(repeating: "x", count: 700)
        let stream = try one.call(one.path("limit"), [("grpc-encoding", "unheard-of")], messages: [text, "end"])
        let there = try one.arrival()
        #expect(try one.peer().values("grpc-encoding", of: there) == ["unheard-of"])
        let content = try one.peer().frames { $0.ends }.flatMap(\.payload)
        #expect(content == Conversation.message(text) + Conversation.message("end"))
        try one.answer(there, [], [("grpc-encoding", "unheard-of")])
        try one.finish(there)
        #expect(try one.result(of: stream)?["grpc-encoding"] == "unheard-of")
    }

    @Test(.refuses("H2-95"), arguments: [false, true])
    func `whose messages are more than its route allows is told so, and its server's end is cancelled`(
        isAnswered: Bool
    ) throws {
        let one = try Conversation(calls)
        let text = String(repeating: "x", count: 700)
        let stream = try one.call(one.path("limit"), messages: [text], ends: false)
        let there = try one.arrival()
        try one.peer().frames { $0.type == Frame.data }
        if isAnswered {
            try one.answer(there, ["so far"])
            try one.client.frames { $0.type == Frame.data }
        }
        try one.say(text, on: stream)
        let result = try #require(try one.result(of: stream))
        #expect(result.status == "8" && (isAnswered || result.isOneSection))
        let reset = try one.peer().frames { $0.stream == there && $0.type == Frame.reset }.last
        #expect(reset?.code == 8)
    }

    // MARK: Trying again

    @Test(.holds("H2-96")) func `hears from its server when to try again`() throws {
        let one = try Conversation(calls)
        let stream = try one.call(one.path("open"))
        let there = try one.arrival()
        try one.answer(there)
        try one.finish(there, "14", [("grpc-retry-pushback-ms", "250")])
        #expect(try one.result(of: stream)?["grpc-retry-pushback-ms"] == "250")
    }

    @Test(.holds("H2-96")) func `that is one too many is told the time in milliseconds`() throws {
        let one = try Conversation(calls)
        _ = try one.call(one.path("rate"))
        _ = try one.arrival()
        let result = try #require(try one.result(of: try one.call(one.path("rate"))))
        #expect(result.status == "8")
        let seconds = try #require(result["retry-after"].flatMap { Int($0) })
        #expect(result["grpc-retry-pushback-ms"] == "\(seconds * 1000)")
    }

    @Test(.refuses("H2-96")) func `that is tried again with the same proof is refused, and told why`() throws {
        let one = try Conversation(calls)
        let path = one.path("proof")
        let lines = ProofCall(method: "POST", path: path).fields(stage).map { line in
            let colon = line.firstIndex(of: ":") ?? line.startIndex
            return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
        }
        let first = try one.call(path, lines)
        let there = try one.arrival()
        try one.answer(there)
        try one.finish(there)
        #expect(try one.result(of: first)?.status == "0")
        let result = try #require(try one.result(of: try one.call(path, lines)))
        #expect(result.status == "16" && result["grpc-message"] == "The DPoP proof was used before")
        #expect(result.values("www-authenticate").contains { $0.contains("error=\"invalid_dpop_proof\"") })
    }

    // MARK: Pages

    private static let web = "application/grpc-web+proto"

    @Test(.holds("H2-87")) func `of a page has its content passed as it is`() throws {
        let one = try Conversation(calls)
        let origin = ("origin", "https://pages.test")
        let stream = try one.call(one.path("page"), [bearer(), origin], type: Self.web, messages: ["asked"])
        let there = try one.arrival()
        let peer = try one.peer()
        #expect(peer.values("content-type", of: there) == [Self.web])
        #expect(try peer.frames { $0.ends }.flatMap(\.payload) == Conversation.message("asked"))
        let content = Conversation.message("said") + [0x80] + FrameClient.bytes(14) + Array("grpc-status:0\n".utf8)
        try peer.client.send(
            FrameClient.section(there, [(":status", "200"), ("content-type", Self.web)], ends: false)
                + FrameClient.frame(0, flags: 1, stream: there, content))
        let result = try #require(try one.result(of: stream))
        #expect(result.content == content && result["access-control-allow-origin"] == origin.1)
    }

    @Test(.holds("H2-87")) func `of a page is refused in a form that the page may read`() throws {
        let one = try Conversation(calls)
        let fields = [("origin", "https://pages.test"), ("x-grpc-web", "1")]
        let result = try #require(try one.result(of: try one.call(one.path("page"), fields, type: Self.web)))
        #expect(result[":status"] == "200" && result.status == "16" && result.isOneSection && result.content.isEmpty)
        #expect(result["content-type"] == "application/grpc-web" && result["www-authenticate"] != nil)
        #expect(result["access-control-allow-origin"] == "https://pages.test")
        let exposed = result.values("access-control-expose-headers").joined(separator: ",").lowercased()
        for name in ["grpc-status", "grpc-message", "www-authenticate", "dpop-nonce"] {
            #expect(exposed.contains(name), "\(exposed)")
        }
    }

    @Test(.holds("H2-87")) func `of a page may be asked for beforehand`() throws {
        let one = try Conversation(calls)
        try one.client.client.send(
            FrameClient.request(
                1, one.path("page"), method: "OPTIONS",
                [
                    ("origin", "https://pages.test"), ("access-control-request-method", "POST"),
                    ("access-control-request-headers", "x-grpc-web,grpc-timeout,content-type,authorization,dpop"),
                ]))
        let result = try #require(try one.result(of: 1))
        #expect(result[":status"] == "204" && result["access-control-allow-origin"] == "https://pages.test")
        let allowed = result.values("access-control-allow-headers").joined(separator: ",").lowercased()
        for name in ["x-grpc-web", "grpc-timeout", "content-type", "authorization", "dpop"] {
            #expect(allowed.contains(name), "\(allowed)")
        }
    }

    @Test(.refuses("H2-87")) func `of a page that the route does not name is told nothing and goes nowhere`() throws {
        let one = try Conversation(calls)
        let origin = ("origin", "https://evil.test")
        try one.client.client.send(
            FrameClient.request(
                1, one.path("page"), method: "OPTIONS", [origin, ("access-control-request-method", "POST")]))
        let asked = try #require(try one.result(of: 1))
        #expect(asked[":status"] == "403" && asked["access-control-allow-origin"] == nil, "\(asked.fields)")
        try one.client.client.send(
            FrameClient.request(3, one.path("page"), method: "POST", [origin, ("content-type", Self.web)]))
        let result = try #require(try one.result(of: 3))
        #expect(result.status != "0" && result["access-control-allow-origin"] == nil, "\(result.fields)")
        #expect(one.server.connectionCount == 0)
    }
}
