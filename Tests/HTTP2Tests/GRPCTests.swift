import Bytes
import HTTP2
import TestTraits
import Testing

@Suite struct `a refusal to a gRPC client` {
    @Test(
        .holds("H2-86"),
        arguments: [
            (400, .framing, .internal), (400, .parameter, .invalidArgument), (401, .other, .unauthenticated),
            (403, .other, .permissionDenied), (404, .other, .unimplemented), (405, .other, .unimplemented),
            (408, .other, .deadlineExceeded), (504, .other, .deadlineExceeded), (413, .other, .resourceExhausted),
            (431, .other, .resourceExhausted), (421, .other, nil), (429, .other, .resourceExhausted),
            (502, .other, .unavailable), (502, .upstreamAnswer, .internal), (503, .other, .unavailable),
            (508, .other, .internal), (303, .other, .unauthenticated), (200, .other, nil), (304, .other, nil),
        ] as [(Int, GRPCStatus.Subject, GRPCStatus?)])
    func `has the status that says what the HTTP status does`(
        status: Int, subject: GRPCStatus.Subject, expected: GRPCStatus?
    ) {
        #expect(GRPCStatus(refusal: status, about: subject) == expected)
    }

    @Test(.holds("H2-86")) func `is an answer of trailers alone, whose text survives`() throws {
        var head = Array("HTTP/1.1 200 OK\r\ncontent-type: application/grpc\r\ngrpc-status: 16\r\ngrpc-message: ".utf8)
        PercentEncoding.append("100 % — läuft ab\r\n".utf8Span.span, to: &head)
        head += Array("\r\nwww-authenticate: Bearer\r\n\r\n".utf8)
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", [("content-type", "application/grpc")]))
        #expect(server.answer(1, String(decoding: head, as: UTF8.self)))
        #expect(
            server.decoder.fields(try #require(server.sent.first).payload) == [
                ":status: 200", "content-type: application/grpc", "grpc-status: 16",
                "grpc-message: 100 %25 %E2%80%94 l%C3%A4uft ab%0D%0A", "www-authenticate: Bearer",
            ])
        #expect(server.sent.map(\.ends) == [true])
    }

    @Test(.refuses("H2-86")) func `is never made for another content type`() {
        let native = ["application/grpc", "application/grpc+proto", "Application/GRPC;x=y", "application/grpc ; x"]
        for text in native { #expect(kind(text) == .native) }
        let web = [
            "application/grpc-web", "application/grpc-web+proto", "application/grpc-web-text",
            "application/grpc-web-text+proto",
        ]
        for text in web { #expect(kind(text) == .web) }
        for text in [
            "", "application/grp", "application/grpcx", "application/grpc-webx", "text/html", "xapplication/grpc",
        ] {
            #expect(kind(text) == nil)
        }
    }

    private func kind(_ text: String) -> GRPCContentType? { GRPCContentType(text.utf8Span.span) }
}

@Suite struct `grpc-timeout` {
    @Test(
        .holds("H2-88"),
        arguments: [
            ("1H", 3_600_000_000), ("2M", 120_000_000), ("10S", 10_000_000), ("250m", 250_000), ("7u", 7), ("1n", 1),
            ("1000n", 1), ("1001n", 2), ("0S", 0), ("99999999H", 359_999_996_400_000_000), ("00000001S", 1_000_000),
        ] as [(String, UInt64)])
    func `is a number and a unit`(text: String, microseconds: UInt64) {
        let found = GRPCTimeout.microseconds(text.utf8Span.span)
        #expect(found == microseconds)
    }

    @Test(
        .refuses("H2-88"),
        arguments: ["", "1", "S", "-1S", "+1S", "1x", "123456789S", "1 S", "1S ", "1.5S", "1s", "1h", "0x1S", "١S"])
    func `is refused when it is anything else`(text: String) {
        let found = GRPCTimeout.microseconds(text.utf8Span.span)
        #expect(found == nil)
    }
}

@Suite struct `the list of trailers` {
    @Test(
        .holds("H2-50"),
        arguments: ["grpc-status", "grpc-message", "grpc-status-details-bin", "x-sum", "server-timing", "digest"])
    func `lets pass what is about the body alone`(name: String) {
        let passes = TrailerRules.passes(name.utf8Span.span)
        #expect(passes)
    }

    @Test(
        .refuses("H2-50"),
        arguments: [
            "content-length", "transfer-encoding", "te", "trailer", "connection", "keep-alive", "upgrade", "host",
            "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-client-cert", "via", "authorization",
            "proxy-authorization", "proxy-authenticate", "proxy-status", "cookie", "set-cookie", "dpop", "dpop-nonce",
            "www-authenticate", "client-cert", "client-cert-chain", "content-encoding", "content-type", "content-range",
            "cache-control", "expires", "vary", "age", "date", "location", "retry-after", "access-control-allow-origin",
            "access-control-expose-headers", "max-forwards", "expect", "x_forwarded_for", "proxy_authorization",
            "Content_Length", "transfer_encoding", "Set_Cookie", "AUTHORIZATION", "access_control_allow_origin",
            "origin", "range", "if-match", "x-real-ip", "strict-transport-security",
        ])
    func `drops what frames, routes, authorises or describes the message`(name: String) {
        let passes = TrailerRules.passes(name.utf8Span.span)
        #expect(!passes)
    }

    private static let mixed = [("x-sum", "1"), ("authorization", "Bearer a"), ("x", "2"), ("via", "1.1 a")]

    @Test(.holds("H2-50")) func `counts what it drops, by the message that it came behind`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", ends: false))
        server.receive(Frames.headers(1, Frames.block(Self.mixed)))
        #expect(server.seen.contains(.trailers(1, "x-sum: 1\r\nx: 2\r\n")))
        #expect(server.memory.droppedTrailers.ofRequests == 2)
        // Those that are malformed are no trailers, and none of them was dropped.
        server.receive(Frames.request(3, method: "POST", ends: false))
        server.receive(Frames.headers(3, Frames.block(Self.mixed + [(":path", "/")])))
        server.receive(Frames.request(5, method: "POST", ends: false))
        server.receive(Frames.headers(5, Frames.block([("x-sum", "1")])))
        #expect(server.memory.droppedTrailers.ofRequests == 2)
        #expect(server.memory.droppedTrailers.ofResponses == 0)
    }
}
