import HTTP1
import HTTP2
import TestTraits
import Testing

/// What became of a request that was sent between two good ones.
func fate(of request: [UInt8], _ limits: ConnectionLimits = ConnectionLimits()) throws -> Seen? {
    let server = try ServerUnderTest(limits)
    server.receive(Frames.request(1))
    server.receive(request)
    server.receive(Frames.request(5))
    // Whatever was wrong with it, the connection and its other streams know nothing of it (H2-10).
    #expect(server.requests.contains(1))
    #expect(server.requests.contains(5))
    #expect(server.goAways == [])
    if case .refused(let refusal) = server.verdicts[3] {
        Issue.record("the parser of HTTP/1.1 had to refuse it: \(refusal)")
    }
    let fate = server.seen.first {
        switch $0 {
        case .request(3, _, _, _), .refused(3, _): true
        default: false
        }
    }
    if fate == nil { #expect(server.resets == [1], "neither told nor reset") }
    // What the library refuses by itself is told too, once, for the log (H2-35).
    #expect(server.seen.filter { $0 == .malformed(3) }.count == (fate == nil ? 1 : 0))
    return fate
}

func fate(of fields: [(String, String)], _ limits: ConnectionLimits = ConnectionLimits()) throws -> Seen? {
    try fate(of: Frames.headers(3, Frames.block(fields)), limits)
}

private let good = [(":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "a.example")]

/// The good pseudo fields with others in their place, and fields behind them.
private func with(_ changes: [(String, String?)], _ fields: [(String, String)] = []) -> [(String, String)] {
    good.compactMap { name, value in
        guard let change = changes.first(where: { $0.0 == name }) else { return (name, value) }
        return change.1.map { (name, $0) }
    } + fields
}

@Suite struct `the head of a request over HTTP/2` {
    @Test(.holds("H2-20", "H2-24", "H2-25", "H2-27", "H2-28")) func `becomes that of HTTP/1.1`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, path: "/a%2Fb?q=%2f", [("x-a", "a\tb"), ("user-agent", "t")]))
        #expect(
            server.seen == [
                .request(
                    1, "GET /a%2Fb?q=%2f HTTP/1.1\r\nhost: a.example\r\nx-a: a\tb\r\nuser-agent: t\r\n\r\n",
                    hasBody: false, isTunnel: false)
            ])
        #expect(server.verdicts[1] == .complete)
    }

    @Test func `takes pseudo fields in any order, and none but those`() throws {
        let fields = [(":authority", "a.example"), (":path", "/x"), (":scheme", "HTTPS"), (":method", "PURGE")]
        #expect(
            try fate(of: fields)
                == .request(3, "PURGE /x HTTP/1.1\r\nhost: a.example\r\n\r\n", hasBody: false, isTunnel: false))
    }

    @Test(
        .refuses("H2-20"),
        arguments: [
            with([(":method", nil)]), with([(":scheme", nil)]), with([(":path", nil)]), with([(":method", "")]),
            with([(":scheme", "")]), with([(":path", "")]), with([(":authority", "")]), good + [(":method", "GET")],
            good + [(":path", "/y")], good + [(":scheme", "https")], good + [(":authority", "a.example")],
            with([(":path", nil)], [("x-a", "b"), (":path", "/late")]), good + [(":status", "200")],
            good + [(":foo", "bar")], good + [(":protocol", "websocket")],
        ])
    func `is refused with a pseudo field that is missing, empty, doubled, late or unknown`(
        fields: [(String, String)]
    ) throws {
        switch try fate(of: fields) {
        case nil, .refused: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(.holds("H2-21")) func `carries values as they are, octets above ASCII too`() throws {
        let block = Frames.block(good) + Frames.literal(Array("x-a".utf8), [0xe9, 0x09, 0xff])
        guard case .request = try fate(of: Frames.headers(3, block)) else {
            Issue.record("not taken")
            return
        }
    }

    @Test(
        .refuses("H2-21"),
        arguments: [
            ("x-a", "b\r\nx-user: admin", HeadFault.fieldValueMalformed), ("x-a", "b\nc", .fieldValueMalformed),
            ("x-a", "b\rc", .fieldValueMalformed), ("x-a", "b\0c", .fieldValueMalformed),
            ("x-a", "b\u{7f}", .fieldValueMalformed), ("x-a", "b\u{1}", .fieldValueMalformed),
            ("x-a", " b", .fieldValueMalformed), ("x-a", "b ", .fieldValueMalformed),
            ("x-a", "\tb", .fieldValueMalformed), ("x-a", "b\t", .fieldValueMalformed),
            ("x-a: b\r\nx-user", "c", .fieldNameMalformed), ("x a", "b", .fieldNameMalformed),
            ("x-a:", "b", .fieldNameMalformed), ("x-é", "b", .fieldNameMalformed),
            ("x\u{7f}", "b", .fieldNameMalformed),
            ("x(a)", "b", .fieldNameMalformed), ("\0", "b", .fieldNameMalformed),
            ("", "b", .fieldNameMalformed), ("X-User", "b", nil),
        ] as [(String, String, HeadFault?)])
    func `is refused with a malformed field, which is never left out`(
        name: String, value: String, fault: HeadFault?
    ) throws {
        #expect(try fate(of: good + [(name, value), ("x-b", "c")]) == fault.map { .refused(3, $0) })
    }

    @Test(.holds("H2-22")) func `may say that it takes trailers`() throws {
        guard case .request(_, let head, _, _) = try fate(of: good + [("te", "trailers")]) else {
            Issue.record("not taken")
            return
        }
        #expect(head.contains("te: trailers\r\n"))
    }

    @Test(
        .refuses("H2-22"),
        arguments: [
            ("connection", "close"), ("connection", "x-a"), ("keep-alive", "1"), ("proxy-connection", "close"),
            ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("http2-settings", "AAAA"), ("te", "trailers, gzip"),
            ("te", "gzip"), ("te", ""),
        ])
    func `is refused with a field that speaks of a connection of HTTP/1.1`(name: String, value: String) throws {
        switch try fate(of: good + [(name, value)]) {
        case nil, .refused(_, .connectionField), .refused(_, .transferCodings): break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(.refuses("H2-22")) func `is refused with TE twice`() throws {
        #expect(try fate(of: good + [("te", "trailers"), ("te", "trailers")]) == .refused(3, .transferCodings))
    }

    @Test(
        .refuses("H2-24"),
        arguments: ["GET /admin HTTP/1.1\r\nX: y", "GET /x", "G(T", "G\u{e9}T", "GET\t"])
    func `is refused with a method that is no token`(method: String) throws {
        switch try fate(of: with([(":method", method)])) {
        case nil, .refused(_, .methodMalformed): break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(.refuses("H2-24")) func `of HTTP/2's preface is refused by the parser of HTTP/1.1`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "PRI"))
        #expect(server.verdicts[1] == .refused(.methodReserved))
    }

    @Test(.holds("H2-25")) func `asks for the whole server with OPTIONS`() throws {
        #expect(
            try fate(of: with([(":method", "OPTIONS"), (":path", "*")]))
                == .request(3, "OPTIONS * HTTP/1.1\r\nhost: a.example\r\n\r\n", hasBody: false, isTunnel: false))
    }

    @Test(
        .refuses("H2-25"),
        arguments: [
            "http://evil/x", "https://a.example/", "evil", "*", "/ HTTP/1.1\r\nHost: evil", "/a b", "/a\tb", "/a\u{7f}",
            "/a\0", "?x", "//a b",
        ])
    func `is refused with a path in another form`(path: String) throws {
        switch try fate(of: with([(":path", path)])) {
        case nil, .refused(_, .pathMalformed): break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    /// Its other fields say who reads the answer, and come behind it.
    @Test(.refuses("H2-25")) func `with a fragment in its path is refused by the parser of HTTP/1.1`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.headers(1, Frames.block(with([(":path", "/a#b")]))))
        #expect(server.verdicts[1] == .refused(.targetFragment))
    }

    @Test(.refuses("H2-26"), arguments: ["ftp", "http", "https://evil/?", "httpsx", "foo"])
    func `is refused with another scheme than the listener's`(scheme: String) throws {
        switch try fate(of: with([(":scheme", scheme)])) {
        case nil, .refused(_, .schemeNotAccepted): break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(
        .holds("H2-26"),
        arguments: [
            (AcceptedScheme.http, "http", true), (.http, "https", false), (.either, "http", true),
            (.either, "HTTPS", true), (.https, "https", true), (.either, "ftp", false),
        ])
    func `has the listener's scheme, or either behind a trusted proxy`(
        accepted: AcceptedScheme, scheme: String, isTaken: Bool
    ) throws {
        var limits = ConnectionLimits()
        limits.scheme = accepted
        let server = try ServerUnderTest(limits)
        server.receive(Frames.headers(1, Frames.block(with([(":scheme", scheme)]))))
        #expect(server.requests == (isTaken ? [1] : []))
    }
}
