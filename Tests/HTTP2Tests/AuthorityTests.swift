import HTTP2
import TestTraits
import Testing

private let withoutAuthority = [(":method", "GET"), (":scheme", "https"), (":path", "/")]

@Suite struct `the authority of a request over HTTP/2` {
    @Test(
        .holds("H2-27", "H2-28"),
        arguments: [
            ("a.example", ["A.example:443"], "a.example"), ("a.example:443", ["a.example"], "a.example:443"),
            ("a.example", ["a.example"], "a.example"), (nil, ["b.example"], "b.example"),
            ("[::1]:443", ["[::1]"], "[::1]:443"), ("a.example:8443", ["a.EXAMPLE:8443"], "a.example:8443"),
        ] as [(String?, [String], String)])
    func `is written once, from the one that was checked`(authority: String?, hosts: [String], written: String) throws {
        let fields =
            withoutAuthority + (authority.map { [(":authority", $0)] } ?? []) + [("x-a", "b")]
            + hosts.map { ("host", $0) }
        guard case .request(_, let head, _, _) = try fate(of: fields) else {
            Issue.record("not taken")
            return
        }
        #expect(head.contains("\r\nhost: \(written)\r\n"))
        #expect(head.components(of: "host: ") == 1)
    }

    @Test(
        .refuses("H2-27", "H2-28"),
        arguments: [
            (nil, []), ("a.example", ["evil"]), ("a.example", ["a.example", "a.example"]), (nil, ["a", "a"]),
            ("u@a.example", []), ("u:p@a.example", []), ("a/x?", []), ("a.example,b.example", []), ("a.example#x", []),
            ("a.example:80", ["a.example"]), ("a.example", ["a.example:80"]), (nil, [""]), ("a.example", [""]),
            ("a b", []), ("a.example\r\nx: y", []), (nil, ["u@a.example"]), ("a.example:", []), ("[::1", []),
        ] as [(String?, [String])])
    func `is refused where two readers could see two`(authority: String?, hosts: [String]) throws {
        let fields = withoutAuthority + (authority.map { [(":authority", $0)] } ?? []) + hosts.map { ("host", $0) }
        switch try fate(of: fields) {
        case nil, .refused: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test func `loses the default port of its own scheme alone`() throws {
        var limits = ConnectionLimits()
        limits.scheme = .http
        let server = try ServerUnderTest(limits)
        let pseudo = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a.example:80")]
        server.receive(Frames.headers(1, Frames.block(pseudo + [("host", "a.example")])))
        server.receive(Frames.headers(3, Frames.block(pseudo + [("host", "a.example:443")])))
        #expect(server.requests == [1])
        #expect(server.seen.contains(.refused(3, .authorityAmbiguous)))
    }
}

@Suite struct `cookies of a request over HTTP/2` {
    @Test(.holds("H2-29"))
    func `are joined in their order, wherever their parts stand`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, [("cookie", "a=1"), ("x-a", "b"), ("cookie", "b=2; c=3"), ("cookie", "d=4")]))
        #expect(
            server.seen == [
                .request(
                    1, "GET / HTTP/1.1\r\nhost: a.example\r\nx-a: b\r\ncookie: a=1; b=2; c=3; d=4\r\n\r\n",
                    hasBody: false, isTunnel: false)
            ])
    }

    /// A browser sends each cookie by itself, and has more of them than requests have fields.
    @Test(.holds("H2-29"), .refuses("H2-29")) func `count part by part, and apart from fields`() throws {
        let parts = { (count: Int) in [(String, String)](repeating: ("cookie", "a=1"), count: count) }
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, (0..<96).map { ("x-\($0)", "b") } + parts(200)))
        server.receive(Frames.request(3, parts(201)))
        #expect(server.requests == [1])
        #expect(server.seen.last == .refused(3, .tooManyFields))
    }

    @Test(.refuses("H2-29")) func `are refused with a part that is malformed`() throws {
        let pseudo = [(":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "a")]
        #expect(
            try fate(of: pseudo + [("cookie", "a=1"), ("cookie", "b=2\r\nx: y")]) == .refused(3, .fieldValueMalformed))
    }
}

extension String {
    /// How many times a text stands in this one.
    func components(of text: String) -> Int {
        var (count, rest) = (0, self[...])
        while let found = rest.firstRange(of: text) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
