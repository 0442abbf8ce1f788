import TestSupport
import TestTraits
import Testing

/// Rows HTTP-56 and HTTP-57 beside a public catch-all: no reading of a path may lead to a route that is guarded.
@Suite(.serialized, .byEachProtocol) struct `other readings of a path` {
    private static let guarded = #"token: { issuers: [main], audience: "https://api.test/orders" }"#
    private static func routes(_ place: RoutePlace, _ allowed: String) -> [String] {
        let open = ["/"] + (place == .wildcard ? ["/shop/*/public", "/shop/*/api/public"] : [])
        return open.map { "{ path: \($0), upstream: $UPSTREAM, public: true\(allowed) }" }
            + ["/admin/", "/api/private", long].map {
                "{ path: \(place.route($0)), upstream: $UPSTREAM, \(guarded) }"
            }
    }
    /// Of 127 bytes.
    private static let long = "/long/" + String(repeating: "a", count: 121)
    /// A stage for routes at each place.
    private typealias Stages = [RoutePlace: Shared<Stage>]

    private static func stages(_ routes: (RoutePlace) -> [String]) -> Stages {
        Dictionary(
            uniqueKeysWithValues: RoutePlace.allCases.map { place in
                (place, Shared { try Stage(routes: routes(place)) })
            })
    }

    private static let strict = stages { routes($0, "") }
    private static let loose = stages {
        routes($0, ", allow_in_path: [encoded_slash, backslash, double_encoding, semicolon, non_ascii]")
    }

    private static let anyCase = stages { place in
        // Where a path has a wildcard, all routes take notice of case or none does.
        let every = place == .wildcard ? ", case_insensitive: true" : ""
        let open = "upstream: $UPSTREAM, public: true\(every)"
        return [
            "{ path: /, \(open) }",
            "{ path: \(place.route("/open/")), \(open), allow_in_path: [encoded_slash, non_ascii] }",
        ]
            + ["/kiosk/", "/open/till/", "/api/private"].map {
                "{ path: \(place.route($0)), upstream: $UPSTREAM, case_insensitive: true, \(guarded) }"
            }
    }

    private func stage(_ stages: Stages, _ place: RoutePlace = .root) throws -> Stage {
        let prepared = try #require(stages[place]).get()
        prepared.reset()
        return prepared
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: RoutePlace.each(
            [
                "/admin%3fx", "/admin%23", "/api/private%3Fx=y", "/api/private/%23x", "/api/private/", "/api/private//",
                "/api/private///", "//admin/secret", "///admin", "/api//private",
            ],
            atRoot: [
                "//x/admin/secret", "///x/admin/secret", "//x//admin/secret", "//x/%61dmin", "//x/api/private",
                "//x/api/private/", "//x/.portcullis/x", "//x/admin%3fx", "/.portcullis%3fx",
            ]))
    func `a path that is another one behind a host, or without its last slashes, is refused`(
        placed: PlacedPath
    ) throws {
        try stage(Self.strict, placed.place).expectRefused(request("GET", placed.path))
        try stage(Self.loose, placed.place).expectRefused(request("GET", placed.path))
    }

    @Test(
        .holds("HTTP-57"),
        arguments: RoutePlace.each([
            "//x/open", "//x", "//x/", "/open//", "/x/admin/secret", "/api/privates/x", "/api", "/who%3F", "/%3f/admin",
            "/%23",
        ]))
    func `a path that is public in all its readings is forwarded`(placed: PlacedPath) throws {
        try stage(Self.strict, placed.place).expectForwarded(request("GET", placed.path), path: placed.path)
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: RoutePlace.each(
            [
                "/admin%2fsecret", "/%2fadmin/secret", "/%2Fadmin", "/api%2fprivate", "/api/private%2f",
                "/admin%5csecret", #"/admin\secret"#, #"/\admin/secret"#, #"/api/private\"#, "/admin%252fsecret",
                "/%2561dmin/secret", "/api/private%252f", "/admin;/secret", "/;/admin/secret", "/admin;a=b/secret",
                "/api/private;", "/api/private;/", "/api/private/;/", "/api/private;%2Fx", "/api/private;a%2fb/",
                #"/api/private;\x"#, "/api/private;%252Fx", "/api/private;/x", "/api/private%3b/x",
                "/api/private%253b/x/y", "/admin%3b/secret", "/admin%c0%afsecret", "/%c1%a1dmin/secret",
                "/x/%c0%ae%c0%ae/admin/secret",
            ],
            atRoot: [
                "/%2Fx/admin/", "//x%2Fadmin/", "/%2fx%2fapi/private", "/%255cx/admin/secret", "/;/x/admin/secret",
                "/;%2fx/admin/secret", "//x/admin%2fsecret", #"/\x/admin/secret"#, #"//x\admin\secret"#,
                "//x/api/private%2f", "/.portcullis%2fx", #"/.portcullis\x"#, "/.portcullis;/x", "/.portcullis%252fx",
                "/.well-known%2foauth-protected-resource",
            ]))
    func `what a route lets through leads to no other route, and not to the gateway`(placed: PlacedPath) throws {
        try stage(Self.loose, placed.place).expectRefused(request("GET", placed.path))
    }

    /// What stands for a wildcard is one segment to every reader, or the path is refused.
    @Test(
        .refuses("HTTP-56", "HTTP-57"),
        arguments: [
            "/shop/a%2fb/public", "/shop/a%2fapi/private", "/shop/a%2fapi/public",
            "/shop/a%5cadmin/public", #"/shop/a\admin/public"#, "/shop/a%252fadmin/public", "/shop/;/public",
            "/shop/;/a/api/private", "/shop;/a/admin/x", "/shop%2fa/admin", "/shop%2fa/api/private", "/shop/%2fa/admin",
            "/shop/a/..%2fadmin/public", "/shop/%c0%afa/api/private", "/shop/a%3f/api/public", "/shop/a%23/api/public",
            "/shop//a/api/public", "//shop/a/public", "//x/shop/a/admin", "/shop/a/admin%2fpublic",
            "/shop/a/public/", "/shop/a/api/public%2f", "/shop/a/api/public;x",
        ])
    func `what stands for a wildcard is one segment to every reader`(path: String) throws {
        try stage(Self.loose, .wildcard).expectRefused(request("GET", path))
    }

    @Test(
        .holds("HTTP-56"),
        arguments: RoutePlace.each([
            "/items/a%2fb", #"/items/a\b"#, "/items/a%5Cb", "/items/a%252fb", "/items;a=b/c", "/items/\u{EB}",
            "/x/admin%2fy",
            "/items/%e4", "/items/a%2f", "//x/items%2fa", "/%2fx/items", "/items;a%2fb/admin",
        ]))
    func `what a route lets through is forwarded where all readings are its own`(placed: PlacedPath) throws {
        let loose = try stage(Self.loose, placed.place)
        let response = try loose.exchange("GET", placed.path)
        #expect(response.status == 200, "\(response.headText)")
        #expect(loose.upstream.requests.map(\.target) == [placed.path])
    }

    @Test(
        .holds("HTTP-57"),
        arguments: RoutePlace.each([
            "/Kiosk", "/KIOSK/x", "/kiosk/X", "/%4biosk/x", "/%4Biosk", "/API/private", "/Api/%50rivate",
        ]))
    func `a route that fits in any case is guarded in every spelling`(placed: PlacedPath) throws {
        let stage = try stage(Self.anyCase, placed.place)
        #expect(try stage.exchange("GET", placed.path).status == 401)
        #expect(stage.upstream.requests.isEmpty)
        try stage.expectForwarded(
            request("GET", placed.path, fields: [stage.tokens.bearer()]), path: placed.path)
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: RoutePlace.each(
            [
                "//Kiosk", "/API/private/", "/api/PRIVATE//", "/%E2%84%AAiosk/x", "/%e2%84%aaiosk", "/kio%C5%BFk/x",
                "/k%c4%b1osk", "/K%C4%B0OSK/x", "/ap%C4%B1/private", "/KI%CC%87OSK/x", "/ap%C4%B1/private/",
                "/open/t%FDll/x", "/ap%C4%B1/private%3Fx", "/K%C4%B0OSK%23", "/open/T%DDLL",
                "/open%2f%E2%84%AAiosk/../x", "/%2fKIOSK",
            ], atRoot: ["//x/KIOSK/x", "//x/%E2%84%AAiosk/x"]))
    func `a spelling that is a guarded one to servers that change case is refused`(placed: PlacedPath) throws {
        try stage(Self.anyCase, placed.place).expectRefused(request("GET", placed.path))
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: RoutePlace.each([
            "/Open", "/OPEN/x", "/k%C3%AFosk", "/%E2%84%AA", "/open/%E2%84%AA", "/open/\u{212A}", "/api/Public",
            "/open/t%FDl", "/open/%FD",
        ]))
    func `what is no guarded path in any case is forwarded`(placed: PlacedPath) throws {
        let stage = try stage(Self.anyCase, placed.place)
        let response = try stage.exchange("GET", placed.path)
        #expect(response.status == 200, "\(response.headText)")
        #expect(stage.upstream.requests.map(\.target) == [placed.path])
    }

    /// Text of at least so many bytes that repeats a unit.
    private func repeated(_ unit: String, _ count: Int) -> String {
        String(repeating: unit, count: (count + unit.utf8.count - 1) / unit.utf8.count)
    }

    @Test(.holds("HTTP-57"), arguments: RoutePlace.allCases, [0, 1, 2, 3, 5, 9, 40])
    func `a path leads as far as the longest route's, however much of it is escaped`(
        place: RoutePlace, escapes: Int
    ) throws {
        let spelt = place.beginning + "/long/" + repeated("%61", 3 * escapes) + repeated("a", 121 - escapes)
        for stage in [try stage(Self.strict, place), try stage(Self.loose, place)] {
            #expect(try stage.exchange("GET", spelt).status == 401)
            try stage.expectForwarded(request("GET", spelt + "%61"), path: spelt + "%61")
            for refused in [spelt + "/", spelt + "%3Fx", spelt + "%23" + repeated("y", 40), "/" + spelt] {
                try stage.expectRefused(request("GET", refused))
            }
        }
    }

    @Test(
        .holds("HTTP-57"),
        arguments: RoutePlace.each(["/long", "/%6Cong", "/%6C%6Fng", "/%6C%6F%6Eg", "/%6C%6F%6E%67", "/l%6Fn%67"]))
    func `two slashes are seen wherever they stand`(placed: PlacedPath) throws {
        let (stage, name) = (try stage(Self.strict, placed.place), placed.path)
        try stage.expectRefused(request("GET", name + "/" + Self.long.dropFirst(5)))
        try stage.expectForwarded(request("GET", name + "//x"), path: name + "//x")
    }

    @Test(.refuses("HTTP-57"), arguments: [";a", ";", "%3B", "%253Bx", "/", "%2F", #"\"#, "%5c", "%255C"])
    func `a path that does not tell in 800 bytes where it leads is refused`(unit: String) throws {
        let stage = try stage(Self.loose)
        func path(_ length: Int) -> String {
            let filler = "/" + repeated(unit, 752)
            return filler + "/" + String(repeating: "x", count: length - filler.utf8.count - 1)
        }
        let fits = try stage.exchange("GET", path(800))
        #expect(fits.status == 200, "\(fits.headText)")
        try stage.expectRefused(request("GET", path(801)))
    }

    @Test(.refuses("HTTP-57"), arguments: RoutePlace.allCases, ["/admin/secret", "/api/private"])
    func `where a path leads is seen behind thousands of characters that some do not see`(
        place: RoutePlace, guarded: String
    ) throws {
        let stage = try stage(Self.loose, place)
        for unit in [";a", "/", "%2f", "/;/", #"\"#, "/%253Bx"] {
            for count in [1, 300, 1_000, 1_900, 2_100, 4_000, 7_900] {
                try stage.expectRefused(request("GET", place.beginning + "/" + repeated(unit, count) + guarded))
            }
        }
    }

    @Test(.refuses("HTTP-57"), arguments: RoutePlace.allCases, ["%C4%B1", "\u{131}"])
    func `letters of another case are seen where hundreds of marks follow that some do not see`(
        place: RoutePlace, letter: String
    ) throws {
        let stage = try stage(Self.anyCase, place)
        for count in [0, 1, 30, 60, 100, 300] {
            let marks = repeated(letter.contains("%") ? "%CC%87" : "\u{307}", count)
            for rest in ["ll", "ll/x", "ll/", "ll%3Fx"] {
                try stage.expectRefused(request("GET", place.beginning + "/open/t" + letter + marks + rest))
            }
        }
    }

    @Test(
        .holds("HTTP-56"),
        arguments: ["%E1%BA%9E", "%C3%BC", "%F0%9F%98%80", "%25E1%25BA%259E", "%D0%B0/", "%41", "\u{e4}", "%ff", "x"])
    func `a name of 1,024 bytes in any script is forwarded, and a path of 8,000`(unit: String) throws {
        for (stage, start) in [(try stage(Self.loose), "/items/"), (try stage(Self.anyCase), "/open/")] {
            let decoded = repeated(unit, 1).split(separator: "%").count
            guard start == "/items/" || !unit.contains("%25") else { continue }
            for path in [start + String(repeating: unit, count: 1_024 / decoded), start + repeated(unit, 7_900)] {
                let response = try stage.exchange("GET", path)
                #expect(response.status == 200, "\(path.utf8.count): \(response.headText)")
            }
        }
    }
}
