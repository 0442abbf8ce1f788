import TestSupport
import TestTraits
import Testing

/// Row HTTP-68: an upstream that wants credentials of its own.
@Suite(.serialized, .byEachProtocol) struct `a 401 of the upstream` {
    private static let shared = Shared {
        let token = "token: { issuers: [main], audience: \"\(TokenForge.audience)\" }"
        return try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /kept/, upstream: $UPSTREAM, \(token), upstream_401: bad_gateway }",
                    "{ path: /public/, upstream: $UPSTREAM, public: true, upstream_401: bad_gateway }",
                    "{ path: /passed/, upstream: $UPSTREAM, \(token), upstream_credential: pass, upstream_401: bad_gateway }",
                    """
                    { path: /fixed/, upstream: $UPSTREAM, \(token), upstream_401: bad_gateway, \
                    upstream_credential: { static: { file: $FOLDER/upstream.secret } } }
                    """,
                ], files: ["upstream.secret": "secret\n"]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let fields = [
        "WWW-Authenticate: Basic realm=\"theirs\", charset=\"UTF-8\"", "www-authenticate: Digest realm=x, nonce=\"y\"",
        "Authentication-Info: nextnonce=\"z\"",
    ]

    private func ask(_ path: String, _ status: Int = 401, body: String = "") throws -> WireResponse {
        stage.upstream.answer(path, with: .answer(status, "theirs", fields: Self.fields))
        return try stage.exchange(body.isEmpty ? "GET" : "POST", path, fields: [stage.tokens.bearer()], body: body)
    }

    @Test(.holds("HTTP-68"), arguments: ["/open/a", "/orders/a"])
    func `passes as it is`(path: String) throws {
        for status in [401, 200] {
            let answer = try ask(path, status)
            #expect(answer.status == status)
            #expect(answer.bodyText == "theirs")
            // Names are in lower case in HTTP/2.
            let expected = Self.fields.map { field in
                let name = field.prefix { $0 != ":" }
                return WireProtocol.current == .http1 ? field : name.lowercased() + field.dropFirst(name.count)
            }
            #expect(answer.fields.all.map(\.description).filter { $0.lowercased().contains("authenti") } == expected)
        }
    }

    @Test(.refuses("HTTP-68"), arguments: ["/kept/a", "/public/a", "/fixed/a"])
    func `is a 502 where the route says so and the client's credentials stayed here`(path: String) throws {
        for body in ["", "hello"] {
            let answer = try ask(path, body: body)
            expectTemplate(answer, status: 502)
            #expect(!answer.headText.contains("theirs"))
            #expect(!answer.fields.contains("www-authenticate"))
            let id = answer.fields.only("x-request-id")
            let line = try #require(
                stage.gateway.operatorLine { $0["request_id"] == id && $0["event"] == "refused" })
            #expect(line["cause"] == "upstream_unauthorized")
            #expect(line["check"] == "HTTP-68")
        }
        #expect(try ask(path, 403).status == 403)
        #expect(try ask(path, 200).fields["www-authenticate"].count == 2)
    }

    @Test(.holds("HTTP-68")) func `is the client's to hear when its own token was passed on`() throws {
        let answer = try ask("/passed/a")
        #expect(answer.status == 401)
        #expect(answer.fields["www-authenticate"].count == 2)
    }

    @Test(.refuses("HTTP-68")) func `in the middle of an upload ends it: the upstream gets no whole request`() throws {
        let head = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
        stage.upstream.answer("/public/a", with: WireScript(exactly: [.readSome(5), .text(head), .readBody]))
        let client = try stage.gateway.client()
        try client.send("POST /public/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 200000\r\n\r\nhello")
        let answer = try client.response()
        expectTemplate(answer, status: 502)
        #expect(answer.isLast)
        #expect(stage.upstream.waits { !$0.resetConnections.isEmpty })
        #expect(stage.upstream.requests.map(\.isComplete) == [false])
    }
}
