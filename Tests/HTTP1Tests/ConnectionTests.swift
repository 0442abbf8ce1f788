import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `connection field` {
    private func with(_ lines: String, version: String = "HTTP/1.1", method: String = "GET") -> Verdict<ReadRequest> {
        request("\(method) / \(version)\r\nHost: a\r\n\(lines)\r\n\r\n")
    }

    @Test(
        .holds("HTTP-37"), .refuses("HTTP-37"),
        arguments: [
            "X: y", "Connection: keep-alive", "Connection:", "Connection: , ,", "Connection: X-Close", "Connection: te",
        ])
    func `an HTTP 1.1 connection lives on unless it says close`(lines: String) throws {
        #expect(try #require(with(lines).message).keepAlive)
        #expect(try !#require(with(lines, version: "HTTP/1.0").message).keepAlive)
    }

    @Test(
        .holds("HTTP-37"),
        arguments: [
            "Connection: close", "Connection: Close", "connection: CLOSE", "Connection: keep-alive, close",
            "Connection: close,", "Connection: ,close", "Connection: keep-alive\r\nX: y\r\nConnection: close",
            "Connection:\tclose\t", "Connection: x ,\tclose , y",
        ])
    func `close ends it`(lines: String) throws {
        #expect(try !#require(with(lines).message).keepAlive)
    }

    @Test(.refuses("HTTP-37")) func `HTTP 1.0 is not persistent even when it asks`() throws {
        #expect(try !#require(with("Connection: keep-alive", version: "HTTP/1.0").message).keepAlive)
    }

    @Test(
        .holds("HTTP-44"),
        arguments: [
            ("Connection: keep-alive, X-Hop", true), ("Connection: x-hop", true), ("Connection: Keep-Alive", false),
            ("Connection: close", false), ("Connection: upgrade, te, close, keep-alive", false), ("X: y", false),
            ("Connection: Trailer", true), ("Connection: HTTP2-Settings", true),
        ])
    func `other fields may be named and are reported`(lines: String, names: Bool) throws {
        #expect(try #require(with(lines).message).connectionNamesFields == names)
    }

    @Test(
        .refuses("HTTP-44"),
        arguments: [
            "Host", "Content-Length", "content-length", "Transfer-Encoding", "Authorization", "AUTHORIZATION", "Cookie",
            "DPoP",
            "dpop", "Expect", "Content-Type", "Content-Encoding", "Cache-Control", "Origin", "Via", "Max-Forwards",
            "Forwarded",
            "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port",
        ])
    func `a field that frames, addresses or authorises may not be named`(name: String) {
        #expect(with("Connection: \(name)") == .refused(.connectionNamesReserved))
        #expect(with("Connection: keep-alive, \(name)") == .refused(.connectionNamesReserved))
        #expect(with("Connection: close\r\nX: y\r\nConnection: \(name) , x") == .refused(.connectionNamesReserved))
        #expect(with("Connection: \(name)", version: "HTTP/1.0") == .refused(.connectionNamesReserved))
    }

    @Test(
        .refuses("HTTP-44"),
        arguments: ["a b", "\"close\"", "close;x", "close=1", "a/b", "\u{e9}", "x, y z", "(close)"])
    func `an option that is no token is refused`(value: String) {
        #expect(with("Connection: \(value)") == .refused(.connectionMalformed))
    }

    @Test(
        .holds("HTTP-44"), .refuses("HTTP-44"), arguments: ["a", "close", "te", "Keep-Alive", "x\u{2d}hop", "upgrade"])
    func `more than sixty-four options are refused, on however many lines they stand`(option: String) throws {
        let most = Array(repeating: option, count: 64).joined(separator: ", ,")
        #expect(try #require(with("Connection: \(most), ,,").message).authorizationCount == 0)
        #expect(with("Connection: \(most), \(option)") == .refused(.connectionOptionsTooMany))
        #expect(with("Connection: \(most)\r\nX: y\r\nConnection: \(option)") == .refused(.connectionOptionsTooMany))
    }

    @Test(
        .holds("HTTP-58"),
        arguments: [
            "Connection: upgrade\r\nUpgrade: websocket", "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket",
            "Upgrade: websocket\r\nConnection: x\r\nConnection: UPGRADE",
        ])
    func `a WebSocket handshake is recognised`(lines: String) throws {
        #expect(try #require(with(lines).message).offersWebSocket)
    }

    @Test(
        .refuses("HTTP-58"),
        arguments: [
            "Upgrade: websocket", "Connection: upgrade", "Connection: upgrade\r\nUpgrade: h2c",
            "Connection: upgrade\r\nUpgrade: websocket, h2c", "Connection: upgrade\r\nUpgrade: websocket/13",
            "Connection: upgrade\r\nUpgrade: websocket\r\nUpgrade: websocket", "Connection: upgrade\r\nUpgrade:",
            "Connection: upgraded\r\nUpgrade: websocket",
            "Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 5",
            "Connection: upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked",
        ])
    func `anything else is no handshake`(lines: String) throws {
        #expect(try !#require(with(lines).message).offersWebSocket)
    }

    @Test(.refuses("HTTP-58")) func `only GET in HTTP 1.1 offers a WebSocket`() throws {
        let lines = "Connection: upgrade\r\nUpgrade: websocket"
        #expect(try !#require(with(lines, version: "HTTP/1.0").message).offersWebSocket)
        #expect(try !#require(with(lines, method: "POST").message).offersWebSocket)
        #expect(try !#require(with(lines, method: "get").message).offersWebSocket)
    }

    @Test(.holds("HTTP-61"), arguments: ["100-continue", "100-Continue", " 100-CONTINUE\t"])
    func `a client that waits for 100 is recognised`(value: String) throws {
        #expect(try #require(with("Expect: \(value)\r\nContent-Length: 3").message).expectContinue)
        #expect(try !#require(with("X: y").message).expectContinue)
    }

    @Test(
        .refuses("HTTP-62"),
        arguments: [
            "foo", "", "100-continue, foo", "100-continue;x", "100", "100-continue=1", "100-continue\r\nExpect: foo",
            "foo\r\nExpect: 100-continue",
        ])
    func `any other expectation cannot be met`(value: String) {
        #expect(with("Expect: \(value)") == .refused(.expectationUnknown))
    }

    @Test(.holds("HTTP-62"), arguments: ["100-continue", "foo", ""])
    func `HTTP 1.0 expectations are ignored`(value: String) throws {
        #expect(try !#require(with("Expect: \(value)", version: "HTTP/1.0").message).expectContinue)
    }

    @Test(.holds("RS-05")) func `Authorization lines are counted and the first is found`() throws {
        let one = try #require(with("X: y\r\naUTHORIZATION: Bearer x").message)
        #expect(one.authorizationIndex == 2)
        #expect(one.authorizationCount == 1)
        let two = try #require(with("Authorization: Bearer x\r\nX: y\r\nAuthorization: Bearer x").message)
        #expect(two.authorizationIndex == 1)
        #expect(two.authorizationCount == 2)
        let none = try #require(with("X-Authorization: Bearer x").message)
        #expect(none.authorizationIndex == -1)
        #expect(none.authorizationCount == 0)
    }
}
