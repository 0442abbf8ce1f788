import TestSupport
import TestTraits
import Testing

/// Rows HTTP-71 and HTTP-72: what scripts of other pages may read of answers, ours and the upstream's alike.
@Suite(.serialized, .byEachProtocol) struct `an answer to a page of another origin` {
    private static let token =
        "token: { issuers: [main], audience: \"\(TokenForge.audience)\", scopes: [\"orders:read\"] }"
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /api/, upstream: $UPSTREAM, \(token), cors: { origins: [https://app.test], expose: [Link, ETag] }, limits: { request_body: 10B } }",
                    "{ path: /kept/, upstream: $UPSTREAM, \(token), cors: { origins: [https://app.test], credentials: true } }",
                    "{ path: /all/, upstream: $UPSTREAM, public: true, cors: { origins: \"*\" } }",
                    "{ path: /theirs/, upstream: $UPSTREAM, \(token), cors: upstream }",
                    "{ path: /dead/, upstream: \"http://127.0.0.1:1\", \(token), cors: { origins: [https://app.test] } }",
                ]))
    }
    let stage: Stage
    private static let exposed = "WWW-Authenticate, DPoP-Nonce"

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private var good: String { stage.tokens.bearer(["scope": "\"orders:read\""]) }

    private func expectReadable(
        _ answer: WireResponse, exposing: String, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            answer.fields.only("access-control-allow-origin") == "https://app.test", "\(answer.headText)",
            sourceLocation: location)
        #expect(answer.fields.only("access-control-expose-headers") == exposing, sourceLocation: location)
        #expect(answer.fields.only("vary") == "Origin", sourceLocation: location)
    }

    @Test(.holds("HTTP-71")) func `of the upstream is readable, and says to caches that it is for one origin`() throws {
        let answer = try stage.exchange("GET", "/api/a", fields: ["Origin: https://app.test", good])
        #expect(answer.status == 200, "\(answer.headText)")
        expectReadable(answer, exposing: Self.exposed + ", Link, ETag")
        #expect(!answer.fields.contains("access-control-allow-credentials"))
        let kept = try stage.exchange("GET", "/kept/a", fields: ["Origin: https://app.test", good])
        expectReadable(kept, exposing: Self.exposed)
        #expect(kept.fields.only("access-control-allow-credentials") == "true")
    }

    @Test(.holds("HTTP-72")) func `of ours is readable with its challenge, whatever it refuses`() throws {
        let origin = "Origin: https://app.test"
        let answers = [
            (401, try stage.exchange("GET", "/api/a", fields: [origin])),
            (401, try stage.exchange("GET", "/api/a", fields: [origin, "Authorization: Bearer abc"])),
            (400, try stage.exchange("GET", "/api/a", fields: [origin, "Authorization: Bearer a b"])),
            (403, try stage.exchange("GET", "/api/a", fields: [origin, stage.tokens.bearer(["scope": "\"other\""])])),
            (413, try stage.exchange("POST", "/api/a", fields: [origin, good], body: "eleven byte")),
            (502, try stage.exchange("GET", "/dead/a", fields: [origin, good])),
        ]
        for (status, answer) in answers {
            #expect(answer.status == status, "\(answer.headText)")
            expectReadable(answer, exposing: Self.exposed + (status == 502 ? "" : ", Link, ETag"))
            #expect(answer.fields.contains("www-authenticate") == [400, 401, 403].contains(status))
        }
    }

    @Test(
        .refuses("HTTP-71", "T-46"),
        arguments: [
            "https://evil.test", "null", "https://app.test.evil.test", "https://evil-app.test", "HTTPS://APP.TEST",
        ])
    func `says nothing to any other origin, but to caches that it would have`(origin: String) throws {
        for path in ["/api/a", "/kept/a"] {
            for fields in [["Origin: " + origin, good], ["Origin: " + origin]] {
                let answer = try stage.exchange("GET", path, fields: fields)
                #expect(answer.status == (fields.count == 2 ? 200 : 401))
                expectNothingAllowed(answer)
                #expect(answer.fields.only("vary") == "Origin")
            }
        }
    }

    @Test(.holds("HTTP-71"), .refuses("HTTP-71"))
    func `two origins are none, and no origin is told that others have an answer of their own`() throws {
        let both = ["Origin: https://app.test", "Origin: https://evil.test", good]
        for fields in [both, [both[1], both[0], good], [good]] {
            let answer = try stage.exchange("GET", "/kept/a", fields: fields)
            #expect(answer.status == 200)
            expectNothingAllowed(answer)
            #expect(answer.fields.only("vary") == "Origin")
        }
    }

    @Test(.refuses("HTTP-71")) func `for everybody is the same for everybody, and varies with nothing`() throws {
        for fields in [[], ["Origin: https://any.test"], ["Origin: null"]] {
            let answer = try stage.exchange("GET", "/all/a", fields: fields)
            #expect(answer.fields.only("access-control-allow-origin") == "*")
            #expect(answer.fields.only("access-control-expose-headers") == Self.exposed)
            #expect(!answer.fields.contains("vary"))
            #expect(!answer.fields.contains("access-control-allow-credentials"))
        }
    }

    private static let theirs = [
        "Access-Control-Allow-Origin: https://evil.test", "access-control-allow-credentials: true",
        "ACCESS-CONTROL-EXPOSE-HEADERS: Set-Cookie", "Access-Control-Max-Age: 1", "Timing-Allow-Origin: *",
        "Vary: Accept",
    ]

    @Test(.refuses("HTTP-71")) func `has one policy: what the upstream says beside ours goes no further`() throws {
        stage.upstream.answerAll(with: .answer(200, fields: Self.theirs))
        let ours = try stage.exchange("GET", "/api/a", fields: ["Origin: https://app.test", good])
        #expect(ours.fields["access-control-allow-origin"] == ["https://app.test"])
        #expect(!ours.fields.contains("access-control-allow-credentials"))
        #expect(ours.fields["access-control-expose-headers"] == [Self.exposed + ", Link, ETag"])
        #expect(!ours.fields.contains("access-control-max-age"))
        #expect(ours.fields["vary"] == ["Accept", "Origin"])
        #expect(ours.fields.only("timing-allow-origin") == "*")
        let foreign = try stage.exchange("GET", "/api/a", fields: ["Origin: https://evil.test", good])
        expectNothingAllowed(foreign)
    }

    @Test(.refuses("HTTP-72"))
    func `says nothing where the route has no cors, and lets no upstream open what needs credentials`()
        throws
    {
        stage.upstream.answerAll(with: .answer(200, fields: Self.theirs))
        let fields = ["Origin: https://evil.test"]
        let guarded = try stage.exchange("GET", "/orders/a", fields: fields + [good])
        #expect(guarded.status == 200)
        expectNothingAllowed(guarded)
        #expect(guarded.fields["vary"] == ["Accept"])
        let refused = try stage.exchange("GET", "/orders/a", fields: fields)
        #expect(refused.status == 401)
        expectNothingAllowed(refused)
        #expect(!refused.fields.contains("vary"))
        let open = try stage.exchange("GET", "/open/a", fields: fields)
        #expect(open.fields.only("access-control-allow-origin") == "https://evil.test", "theirs to share")
    }

    @Test(.holds("HTTP-71")) func `is the upstream's own where the route leaves it to that`() throws {
        stage.upstream.answerAll(with: .answer(200, fields: Self.theirs))
        let answer = try stage.exchange("GET", "/theirs/a", fields: ["Origin: https://evil.test", good])
        #expect(answer.fields.only("access-control-allow-origin") == "https://evil.test")
        #expect(answer.fields.only("access-control-allow-credentials") == "true")
        expectNothingAllowed(try stage.exchange("GET", "/theirs/a", fields: ["Origin: https://evil.test"]))
    }
}
