import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Row H2-57: all cookies that a browser keeps of a site, and more.
@Suite(.serialized) struct `a head over HTTP/2 that is too large` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A page that a browser asks for with so many cookies of 4 KiB, in frames as large as they may be.
    private func page(_ stream: UInt32, cookies: Int) -> [UInt8] {
        let browser = [("accept", "text/html"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
        let value = String(repeating: "c", count: 4080)
        let fields = browser + (0..<cookies).map { ("cookie", "name-\($0)=" + value) }
        var rest = FrameClient.request(stream, "/open/page", fields).dropFirst(9)
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            let ends: UInt8 = rest.count <= 16_384 ? 4 : 0
            bytes += FrameClient.frame(
                bytes.isEmpty ? 1 : 9, flags: ends | (bytes.isEmpty ? 1 : 0), stream: stream, Array(rest.prefix(16_384))
            )
            rest = rest.dropFirst(16_384)
        }
        return bytes
    }

    @Test(.holds("H2-57"), arguments: [20, 180])
    func `is answered by the page that says what to do, and its connection goes on`(cookies: Int) throws {
        let gate = Gate()
        defer { gate.open() }
        stage.upstream.answer(
            "/open/slow",
            with: WireScript(.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(gate), .text("ok")))
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/slow")
        try client.frames { $0.stream == 1 && $0.type == Frame.headers }
        try client.client.send(page(3, cookies: cookies))
        let frames = try client.frames { $0.stream == 3 && ($0.ends || $0.type == Frame.reset) }
        #expect(client.fields[3]?.first == ":status: 431", "\(client.fields[3] ?? [])")
        #expect(frames.filter { $0.type == Frame.data }.map(\.text).joined().contains("sends too much"))
        gate.open()
        #expect(try client.frames { $0.stream == 1 && $0.ends }.last?.text == "ok")
        try client.get(5, "/open/a")
        #expect(try client.status(of: 5) == "200")
        #expect(client.lastStreams.isEmpty)
        #expect(stage.upstream.requests.count == 2)
    }

    @Test(.refuses("H2-57")) func `ends its connection where it is a megabyte, or comes for the third time`() throws {
        let other = try FrameClient(port: stage.gateway.port)
        try other.client.send(page(1, cookies: 260))
        #expect(try other.frames { $0.type == Frame.goAway }.last?.code == 11)
        let client = try FrameClient(port: stage.gateway.port)
        for stream in [1, 3] as [UInt32] {
            try client.client.send(page(stream, cookies: 40))
            #expect(try client.status(of: stream) == "431")
        }
        try client.client.send(page(5, cookies: 40))
        #expect(try client.frames { $0.type == Frame.goAway }.last?.code == 11)
        #expect(stage.upstream.requests.isEmpty)
    }
}
