import HTTP2
import TestTraits
import Testing

@Suite struct `the head of a request over HTTP/2` {
    @Test func `becomes that of HTTP/1.1`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, path: "/a%2Fb?q=1", [("x-a", "a\tb"), ("user-agent", "t")]))
        #expect(
            server.seen == [
                .request(
                    1, "GET /a%2Fb?q=1 HTTP/1.1\r\nhost: a.example\r\nx-a: a\tb\r\nuser-agent: t\r\n\r\n",
                    hasBody: false, isTunnel: false)
            ])
        server.answer(1, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n", Body("hello"))
        #expect(server.sent.map(\.type) == [1, 0])
        #expect(server.decoder.fields(server.sent[0].payload) == [":status: 200", "content-type: text/plain"])
        #expect(server.sent[1].text == "hello")
        #expect(server.sent[1].ends)
        #expect(server.seen.last == .closed(1))
        #expect(server.connection.openStreams == 0)
    }
}
