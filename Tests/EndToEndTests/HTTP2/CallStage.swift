import TestSupport
import Testing

/// A gateway before servers of gRPC that their tests play, each test with one of its own.
final class CallStage: Sendable {
    let stage: Stage
    private let servers: [FrameServer]
    private let used = Watched(0)

    /// One server for each test of the suite.
    init(servers count: Int, settings: String = "") throws {
        let servers = try (0..<count).map { _ in try FrameServer() }
        self.servers = servers
        let token = "issuers: [main], audience: \"\(TokenForge.audience)\""
        let identity = "identity: { X-User-Id: sub, x-id-bin: { claim: sub, encoding: base64 } }"
        let routes = servers.indices.flatMap { number in
            [
                "open: public: true, grpc: true", "plain: public: true",
                "token: token: { \(token) }, grpc: true, \(identity)",
                "keep: token: { \(token), streams: keep }, grpc: true",
                "scope: token: { \(token), scopes: { /scope\(number).S/Get: [read], /scope\(number).S/Put: [write], "
                    + "\"/scope\(number).S/*\": [other] } }, grpc: true",
                "proof: token: { \(token), schemes: [DPoP] }, grpc: true",
                "limit: public: true, grpc: true, limits: { request_body: 1KiB }",
                "rate: public: true, grpc: true, limits: { requests: [{ rate: 1/h, burst: 1, by: route }] }",
                "fields: public: true, grpc: true, replace_prefix: { from: /fields\(number).S, to: /inner.S }, "
                    + "request_fields: { set: { x-sum: ours } }, response_fields: { remove: [x-down] }",
                "page: token: { \(token) }, grpc: true, cors: { origins: [https://pages.test] }",
            ].map { text in
                let kind = text.prefix { $0 != ":" }
                return "{ path: /\(kind)\(number).S/, upstream: \(servers[number].upstream),"
                    + "\(text.dropFirst(kind.count + 1)) }"
            }
        }
        var plan = StagePlan(routes: routes + ["{ path: /old.S/, upstream: $UPSTREAM, public: true }"])
        plan.issuer = "discovery: openid, leeway: 0s"
        plan.settings = settings
        stage = try Stage(plan)
    }

    /// A server that nobody has called, and what is put behind the kind of a route for its service.
    func server() -> (server: FrameServer, number: Int) {
        let number = used.withLock { used in
            used += 1
            return used - 1
        }
        return (servers[number], number)
    }
}

/// One client of the gateway and the server that it calls, both played by a test.
final class Conversation {
    let stage: Stage
    let client: FrameClient
    let server: FrameServer
    private let number: Int
    private var open: FrameClient?
    private var lastStream: UInt32 = 0

    init(_ calls: CallStage) throws {
        stage = calls.stage
        client = try FrameClient(port: stage.gateway.port)
        (server, number) = calls.server()
    }

    deinit {
        client.client.close()
        open?.client.close()
    }

    /// The path of a method of this server's service on a route of this kind.
    func path(_ kind: String, _ method: String = "Any") -> String { "/\(kind)\(number).S/\(method)" }

    /// A message with its length before it, as gRPC frames it.
    static func message(_ text: String) -> [UInt8] {
        [0] + FrameClient.bytes(UInt32(text.utf8.count)) + Array(text.utf8)
    }

    /// Begins a call; its stream.
    func call(
        _ path: String, _ more: [(String, String)] = [], type: String = "application/grpc", messages: [String] = [],
        ends: Bool = true
    ) throws -> UInt32 {
        let stream = lastStream == 0 ? 1 : lastStream + 2
        lastStream = stream
        let fields = [("content-type", type), ("te", "trailers")] + more
        try client.client.send(
            FrameClient.request(stream, path, method: "POST", fields, ends: messages.isEmpty && ends))
        for (index, message) in messages.enumerated() {
            try say(message, on: stream, ends: ends && index == messages.count - 1)
        }
        return stream
    }

    /// One more message of the client's.
    func say(_ text: String, on stream: UInt32, ends: Bool = false) throws {
        try client.client.send(FrameClient.frame(0, flags: ends ? 1 : 0, stream: stream, Self.message(text)))
    }

    /// The server's end of the connection that the gateway made.
    func peer() throws -> FrameClient {
        if let open { return open }
        let made = try server.connection()
        open = made
        return made
    }

    /// The next call that reaches the server: its stream there.
    func arrival() throws -> UInt32 {
        try #require(try peer().frames { $0.type == FrameClient.Frame.headers }.last).stream
    }

    /// Begins the server's answer, perhaps with messages.
    func answer(_ stream: UInt32, _ messages: [String] = [], _ more: [(String, String)] = []) throws {
        let head = [(":status", "200"), ("content-type", "application/grpc")] + more
        try peer().client.send(FrameClient.section(stream, head, ends: false))
        for message in messages {
            try peer().client.send(FrameClient.frame(0, stream: stream, Self.message(message)))
        }
    }

    /// Ends it with a status.
    func finish(_ stream: UInt32, _ status: String = "0", _ more: [(String, String)] = []) throws {
        try peer().client.send(FrameClient.section(stream, [("grpc-status", status)] + more, ends: true))
    }

    /// What a call was answered, read to its end: fields, content, whether it was one section alone; nil where a reset ends it.
    func result(of stream: UInt32) throws -> CallResult? {
        let frames = try client.frames {
            $0.stream == stream && ($0.ends || $0.type == FrameClient.Frame.reset)
        }.filter { $0.stream == stream }
        guard frames.last?.ends == true else { return nil }
        return CallResult(
            fields: client.fields[stream] ?? [],
            content: frames.filter { $0.type == FrameClient.Frame.data }.flatMap(\.payload),
            isOneSection: frames.count == 1)
    }
}

/// How a call ended, for its client.
struct CallResult {
    let fields: [String]
    let content: [UInt8]
    let isOneSection: Bool

    /// The only value of a field.
    subscript(_ name: String) -> String? {
        let found = values(name)
        return found.count == 1 ? found[0] : nil
    }

    /// All values of a field.
    func values(_ name: String) -> [String] {
        fields.filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    var status: String? { self["grpc-status"] }
}

extension FrameClient {
    /// The values of a field of a stream.
    func values(_ name: String, of stream: UInt32) -> [String] {
        CallResult(fields: fields[stream] ?? [], content: [], isOneSection: false).values(name)
    }
}
