import TestSupport
import TestTraits
import Testing

/// Row ECO-69 over real sockets: redirects of routes that are chosen by more than their path.
@Suite(.serialized, .byEachProtocol) struct `a redirect that is chosen by host, method, field or segment` {
    private static let shared = Shared {
        try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://own.test" }]
            admin: { address: "127.0.0.1:0" }
            hosts:
              - { host: a.test, public_url: "http://a.test" }
              - { host: "*.w.test" }
            routes:
              - { host: a.test, path: /moved/, name: host, public: true, redirect: { to: / } }
              - { host: "*.w.test", path: /moved/, name: wildcard, public: true, redirect: { to: / } }
              - { path: /moved/, name: got, methods: [GET], public: true, redirect: { to: / } }
              - { path: /moved/, name: posted, methods: [POST], public: true, redirect: { to: "https://new.test" } }
              - { path: /by/, name: chosen, fields: { X-Way: new }, public: true, redirect: { to: "https://new.test" } }
              - { path: /by/, public: true, redirect: { to: / } }
              - { path: /s/*/moved, public: true, redirect: { to: /there } }
            """)
    }
    private let gateway: GatewayProcess

    init() throws { gateway = try Self.shared.get() }

    private func location(
        _ method: String, _ target: String, host: String, fields: [String] = []
    ) throws -> String? {
        let client = try gateway.client()
        defer { client.close() }
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Content-Length: 0"] + fields
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try client.response().fields.only("location")
    }

    @Test(.holds("ECO-69"))
    func `leads where its own route says`() throws {
        #expect(try location("GET", "/moved/x", host: "a.test") == "/x")
        #expect(try location("GET", "/moved/x", host: "b.w.test") == "/x")
        #expect(try location("GET", "/moved/x", host: "own.test") == "/x")
        #expect(try location("POST", "/moved/x", host: "own.test") == "https://new.test/x")
        #expect(try location("GET", "/by/x", host: "own.test", fields: ["X-Way: new"]) == "https://new.test/x")
        #expect(try location("GET", "/by/x", host: "own.test") == "/x")
        #expect(try location("GET", "/s/one/moved?x", host: "own.test") == "/there?x")
    }

    @Test(.refuses("ECO-69"))
    func `sends nobody to a place that a request names, however it is written`() throws {
        let ways: [(method: String, host: String, start: String, fields: [String])] = [
            ("GET", "a.test", "/moved/", []), ("GET", "b.w.test", "/moved/", []), ("GET", "own.test", "/moved/", []),
            ("POST", "own.test", "/moved/", []), ("GET", "own.test", "/by/", ["X-Way: new"]),
            ("GET", "own.test", "/by/", []), ("GET", "own.test", "/s/one/moved?", []),
            ("GET", "own.test", "/s/%2f/moved?", []), ("GET", "own.test", "/s//moved?", []),
        ]
        let spoof = [
            "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example", "X-Original-URL: //evil.example",
        ]
        var followed = 0
        for target in HostileTarget.all where target.text.utf8.count < 2000 {
            // What cannot stand in a request line is no target of one.
            guard target.text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { continue }
            for way in ways {
                let place: String?
                do {
                    place = try location(
                        way.method, way.start + target.text, host: way.host, fields: spoof + way.fields)
                } catch WireFailure.closed {
                    continue
                }
                guard let place else { continue }
                followed += 1
                let page = BrowserURL(scheme: "http", host: way.host, path: "/moved/x")
                for text in [place, place.removingEscapes] {
                    let host = BrowserURL(text, from: page)?.host
                    #expect(
                        host == way.host || host == "new.test", "\(way.method) \(way.start)\(target.text): \(place)")
                }
            }
        }
        #expect(followed > 300, "\(followed)")
    }
}
