import TestSupport
import TestTraits
import Testing

/// Rows ECO-68 and ECO-69: where a prefix goes away, and where a route answers itself, no reading of a path leads past a guard.
@Suite(.serialized, .byEachProtocol) struct `other readings of a path that is rewritten or answered` {
    private static let guarded = #"token: { issuers: [main], audience: "https://api.test/orders" }"#
    private static let open =
        "public: true, allow_in_path: [encoded_slash, backslash, double_encoding, semicolon, non_ascii]"
    /// A stage for routes at each place.
    private typealias Stages = [RoutePlace: Shared<Stage>]

    private static func stages(_ routes: (RoutePlace) -> [String]) -> Stages {
        Dictionary(
            uniqueKeysWithValues: RoutePlace.allCases.map { place in
                let routes = ["{ path: /open/, upstream: $UPSTREAM, public: true }"] + routes(place)
                return (place, Shared { try Stage(routes: routes) })
            })
    }

    /// The prefix that goes away stands before the first wildcard.
    private static let rewritten = stages { place in
        ["strip_prefix: /app", "replace_prefix: { from: /app, to: /base }"].enumerated().flatMap { index, rule in
            let (path, rule) = ("/app/\(index)", rule.replacingOccurrences("/app", with: "/app/\(index)"))
            return ["{ path: \(path)/, upstream: $UPSTREAM, \(open), \(rule) }"]
                + ["/admin/", "/api/private"].map {
                    "{ path: \(path)\(place.route($0)), upstream: $UPSTREAM, \(guarded), \(rule) }"
                }
        }
    }
    private static let answered = stages { place in
        [
            "{ path: /, \(open), respond: { body: for all } }",
            "{ path: \(place.route("/admin/")), \(guarded), respond: { body: a secret } }",
            "{ path: \(place.route("/api/private")), \(guarded), redirect: { to: \"https://new.test/secret\" } }",
        ]
    }

    private func stage(_ stages: Stages, _ place: RoutePlace = .root) throws -> Stage {
        let prepared = try #require(stages[place]).get()
        prepared.reset()
        return prepared
    }

    /// A guarded path as some reader would understand it, and none of the gateway's routes spells it.
    private static let readings = [
        "/admin%2fsecret", "/admin%5csecret", #"/admin\secret"#, "/admin%252fsecret", "/%2561dmin/secret",
        "/admin;/secret", "/admin;a=b/secret", "/admin%3b/secret", "/admin%3fx", "/admin%23", "/admin%c0%afsecret",
        "/%c1%a1dmin/secret", "/x/%c0%ae%c0%ae/admin/secret", "/x/../admin", "/x/%2e%2e/admin/secret",
        "/x/..;/admin", "/x/..%2fadmin", "/x/./admin", "/admin/../admin", "/api/private/", "/api/private//",
        "/api%2fprivate", "/api/private%2f", #"/api/private\"#, "/api/private%252f", "/api/private;", "/api/private;/",
        "/api/private;%2Fx", "/api/private/x", "/api/private/%23x", "/api/private%3Fx=y", "/api/private%3b/x",
    ]
    /// The same behind what some readers do not see, or take for the beginning of a server's name.
    private static let beginnings = [
        "//admin/secret", "//x/admin/secret", "/%2fadmin/secret", #"/\admin/secret"#, "/;/admin/secret",
        "/;%2fx/admin/secret", "/%255cx/admin/secret", "/%2Fx/api/private", "//api/private", #"/\x/api/private"#,
    ]

    @Test(.refuses("ECO-68"), arguments: RoutePlace.each(readings))
    func `leads past no guard where its prefix goes away`(placed: PlacedPath) throws {
        let stage = try stage(Self.rewritten, placed.place)
        try stage.expectRefused(request("GET", "/app/0" + placed.path))
        try stage.expectRefused(request("GET", "/app/1" + placed.path))
    }

    @Test(.refuses("ECO-68"), arguments: beginnings)
    func `begins with no server once its prefix is gone, and with another prefix in its place is the same`(
        path: String
    ) throws {
        let stage = try stage(Self.rewritten)
        try stage.expectRefused(request("GET", "/app/0" + path))
        let answer = try stage.exchange("GET", "/app/1" + path)
        // It stays behind the prefix that is the upstream's: no server stands before it there.
        for sent in stage.upstream.requests where sent.path != "/open/sentinel" {
            #expect(answer.status == 200 && sent.target == "/base" + path)
        }
        #expect([200, 400].contains(answer.status), "\(answer.headText)")
    }

    @Test(
        .holds("ECO-68"), .refuses("ECO-68"),
        arguments: RoutePlace.each([
            "/admin", "/admin/x", "/%61dmin/x", "/admi%6E", "/api/private", "/api/%70rivate",
        ]))
    func `is guarded by its own spelling, whatever its upstream calls it`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(Self.rewritten, placed.place), placed.path)
        for (start, prefix) in [("/app/0", ""), ("/app/1", "/base")] {
            #expect(try stage.exchange("GET", start + path).status == 401)
            try stage.expectNothingForwarded()
            stage.reset()
            let allowed = try stage.exchange("GET", start + path, fields: [stage.tokens.bearer()])
            #expect(allowed.status == 200 && stage.upstream.requests.map(\.target) == [prefix + path])
            stage.reset()
        }
    }

    @Test(.refuses("ECO-69"), arguments: RoutePlace.each(readings, atRoot: beginnings))
    func `leads past no guard to what is answered here`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(Self.answered, placed.place), placed.path)
        for fields in [[], [stage.tokens.bearer()]] {
            let answer = try stage.exchange("GET", path, fields: fields)
            expectTemplate(answer, status: 400)
            #expect(!answer.bodyText.contains("secret") && answer.fields["location"] == [])
        }
    }

    @Test(
        .holds("ECO-69"), .refuses("ECO-69"),
        arguments: RoutePlace.each([
            "/admin", "/admin/x", "/%61dmin/x", "/admi%6E", "/api/private", "/api/%70rivate",
        ]))
    func `is answered by its own spelling to whoever may know`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(Self.answered, placed.place), placed.path)
        let refused = try stage.exchange("GET", path)
        #expect(refused.status == 401 && !refused.bodyText.contains("secret") && refused.fields["location"] == [])
        let allowed = try stage.exchange("GET", path, fields: [stage.tokens.bearer()])
        #expect(allowed.bodyText == "a secret" || allowed.fields["location"] == ["https://new.test/secret"])
    }

    @Test(
        .holds("ECO-69"),
        arguments: RoutePlace.each([
            "/items/a%2fb", #"/items/a\b"#, "/items/a%252fb", "/items;a=b/c", "/x/admin/secret", "//x/items",
        ]))
    func `is answered where all its readings are for all`(placed: PlacedPath) throws {
        let answer = try stage(Self.answered, placed.place).exchange("GET", placed.path)
        #expect(answer.status == 200 && answer.bodyText == "for all", "\(answer.headText)")
    }
}
