import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Row H2-48: what is behind the last chunk of an upstream of HTTP/1.1, to a client of HTTP/2.
@Suite(.serialized) struct `trailers of an answer in chunks` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let head = "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func sections(of stream: UInt32, _ client: FrameClient) throws -> [Frame] {
        // Beside what the connection says of itself.
        try client.frames { $0.stream == stream && ($0.ends || $0.type == Frame.reset) }.filter { $0.stream == stream }
    }

    @Test(.holds("H2-48")) func `follow the content, and end the stream`() throws {
        let end = "0\r\nX-Sum:  a b \r\nServer-Timing: a;dur=1\r\n\r\n"
        stage.upstream.answer("/open/a", with: .raw(Self.head + "5\r\nhello\r\n" + end))
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/a")
        let frames = try sections(of: 1, client)
        try #require(frames.map(\.type) == [Frame.headers, Frame.data, Frame.headers], "\(frames)")
        #expect(frames.map(\.ends) == [false, false, true])
        #expect(frames[1].text == "hello")
        #expect(client.fields[1]?.suffix(2) == ["x-sum: a b", "server-timing: a;dur=1"])
        #expect(client.fields[1]?.contains { $0.hasPrefix("trailer:") } == false)
        // The upstream's connection is at the next answer's beginning.
        try client.get(3, "/open/b")
        #expect(try client.status(of: 3) == "200")
        #expect(Set(stage.upstream.requests.map(\.connection)).count == 1)
    }

    @Test(.holds("H2-48"), arguments: [1, 2, 3, 4, 9, 13, 14, 20, 23, 24])
    func `are whole however they come in pieces`(cut: Int) throws {
        let end = Array("0\r\nX-Sum: 12\r\nX-B: 2\r\n\r\n".utf8)
        let start = Array((Self.head + "5\r\nhello\r\n").utf8)
        let gate = Gate()
        defer { gate.open() }
        stage.upstream.answer(
            "/open/a",
            with: WireScript(
                .bytes(start + end.prefix(cut)), .wait(gate), .bytes(Array(end.dropFirst(cut)))))
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/a")
        try client.frames { $0.type == Frame.data }
        gate.open()
        let last = try #require(try sections(of: 1, client).last)
        #expect(last.type == Frame.headers && last.ends)
        #expect(client.fields[1]?.suffix(2) == ["x-sum: 12", "x-b: 2"])
    }

    @Test(
        .refuses("H2-48"),
        arguments: [
            "Set-Cookie: __Host-portcullis-web=evil", "Content-Length: 3", "Transfer-Encoding: gzip",
            "Cache-Control: public", "Connection: close", "Location: /b",
        ])
    func `are dropped when they are not about the content alone`(trailer: String) throws {
        stage.upstream.answer("/open/a", with: .raw(Self.head + "5\r\nhello\r\n0\r\n\(trailer)\r\n\r\n"))
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/a")
        let frames = try sections(of: 1, client)
        #expect(!frames.contains { $0.type == Frame.reset }, "\(frames)")
        #expect(frames.filter { $0.type == Frame.data }.map(\.text).joined() == "hello")
        #expect(frames.filter { $0.type == Frame.headers }.count == 1)
        #expect(frames.last?.ends == true)
        let name = trailer.prefix { $0 != ":" }.lowercased()
        #expect(client.fields[1]?.contains { $0.hasPrefix(name + ":") } == false)
    }

    @Test(.refuses("H2-48")) func `that are cut off reset the stream, and none of them arrives`() throws {
        stage.upstream.answer("/open/a", with: .rawThenClose(Self.head + "5\r\nhello\r\n0\r\nX-Sum: 1\r\n"))
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/a")
        #expect(try sections(of: 1, client).last?.type == Frame.reset)
        #expect(client.fields[1]?.contains { $0.hasPrefix("x-sum") } != true)
    }

    @Test(.refuses("H2-48")) func `beyond a hundred reset the stream`() throws {
        let lines = (0..<200).map { "X-\($0): 1\r\n" }.joined()
        stage.upstream.answer("/open/a", with: .raw(Self.head + "5\r\nhello\r\n0\r\n" + lines + "\r\n"))
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/a")
        #expect(try sections(of: 1, client).last?.type == Frame.reset)
    }
}
