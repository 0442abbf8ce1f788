import HTTPMessage
import TestSupport
import TestTraits
import Testing

@testable import Access

/// Some routes by their paths, in whatever order.
private struct Routes: ~Copyable {
    private let paths: [String]
    private let patterns: PathPatterns

    init(_ paths: [String], sealed: [String] = [], anyCase: Bool = false, allowing: PathAllowances = []) {
        self.paths = paths + sealed
        patterns = PathPatterns(
            self.paths.enumerated().map {
                .init($1, route: $0, ignoresCase: anyCase, isSealed: $0 >= paths.count)
            },
            allowances: self.paths.map { _ in allowing })
    }

    /// The pattern that a path leads to.
    func match(_ path: String) -> String? {
        switch patterns.find(Array(path.utf8).span) {
        case .none: nil
        case .route(let number): paths[number]
        case .behind(let number): "behind " + paths[number]
        }
    }

    /// The same of a path as it comes in, or the cause of its refusal.
    func lead(_ path: String) -> String {
        var memory: [UInt8] = []
        do throws(Refused) {
            return paths[try patterns.route(Array(path.utf8).span, memory: &memory)]
        } catch {
            return "\(error.cause)"
        }
    }
}

/// What the doc comment of `WildcardPaths` promises, by trying all.
private enum Naive {
    static func segments(_ path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }

    static func fits(_ pattern: String, _ path: String) -> Bool {
        var own = segments(pattern)
        let theirs = segments(path)
        func stand(_ count: Int) -> Bool {
            zip(own, theirs).prefix(count).allSatisfy { $0 == "*" ? !["", ".", ".."].contains($1) : $0 == $1 }
        }
        guard pattern.hasSuffix("/") else { return own.count == theirs.count && stand(own.count) }
        own.removeLast()
        return own.count <= theirs.count && stand(own.count)
    }

    /// Whether one comes before another, of the paths that fit both.
    static func precedes(_ one: String, _ other: String) -> Bool {
        let (mine, theirs) = (segments(one), segments(other))
        for (own, their) in zip(mine, theirs) where own != their {
            // The end of a subtree is no segment of a path.
            if own.isEmpty { return false }
            if their.isEmpty { return true }
            return their == "*"
        }
        // `/a` before `/a/`, of the path /a itself.
        return mine.count < theirs.count && theirs.last == "" && theirs.count == mine.count + 1
            ? true : mine.count > theirs.count && !(mine.last == "" && mine.count == theirs.count + 1)
    }

    static func match(_ path: String, among patterns: [String]) -> String? {
        patterns.filter { fits($0, path) }.max { precedes($1, $0) }
    }
}

@Suite struct `paths with wildcards` {
    @Test(
        .holds("ECO-65"),
        arguments: [
            // A literal segment before a wildcard, from the left, however long the others are.
            ("/api/v1/x/public", "/api/v1/*/public"), ("/api/v1/admin/public", "/api/v1/admin/"),
            ("/api/v1/admin", "/api/v1/admin/"), ("/api/v1/admin/x/y", "/api/v1/admin/"),
            ("/api/v1/x/public/y", "/api/"), ("/api/v1/x/private", "/api/"), ("/api/v1/x/public/", "/api/"),
            ("/api/v1//public", "/api/"), ("/api/v1/public", "/api/"), ("/api/v1/x/y/public", "/api/"),
            ("/API/v1/x/public", "/*/v1/x/"), ("/b/v1/x", "/*/v1/x/"), ("/b/v1/x/y", "/*/v1/x/"),
            // Where nothing fits below the literal one, the wildcard is next.
            ("/shop/cart/items", "/shop/*/items"), ("/shop/cart", "/shop/cart"), ("/shop/cart/other", "/"),
            ("/shop/*/items", "/shop/*/items"), ("/shop/%2A/items", "/shop/*/items"),
            // An exact path before a subtree's own, and a longer one before a shorter one.
            ("/t/1", "/t/*"), ("/t/1/", "/t/*/"), ("/t/1/2", "/t/*/"), ("/t/1/2/3", "/t/*/*/3"), ("/t/", "/"),
            ("/t", "/"),
            ("/t/./x", "/"), ("/t/..", "/"), ("/t/...", "/t/*"), ("/t/.a", "/t/*"),
        ])
    func `are literal as far as possible from the left, and then as long as possible`(path: String, pattern: String) {
        let patterns = [
            "/", "/api/", "/api/v1/*/public", "/api/v1/admin/", "/*/v1/x/", "/shop/*/items", "/shop/cart", "/t/*",
            "/t/*/", "/t/*/*/3",
        ]
        for order in [patterns, patterns.reversed()] { #expect(Routes(order).match(path) == pattern) }
    }

    @Test(
        .refuses("ECO-65"),
        arguments: [
            "/", "", "*", "/a", "/a/", "/a//public", "/a/b/public/", "/a/b/publicx", "/a/b/c/public", "/x/b/public",
            "a/b/public", "/a/./public", "/a/../public", "/A/b/public",
        ])
    func `lead a path that does not fit segment by segment nowhere`(path: String) {
        let routes = Routes(["/a/*/public"])
        #expect(routes.match(path) == nil)
        #expect(routes.match("/a/b/public") == "/a/*/public")
    }

    @Test(.holds("ECO-65"), .refuses("ECO-65"), arguments: [1, 2, 3, 4] as [UInt64])
    func `match as a naive search would, in ten thousand pairs of tables and paths`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        var (found, missed) = (0, 0)
        for _ in 0..<100 {
            var patterns: Set<String> = []
            for _ in 0..<(1 + numbers.below(12)) {
                let path = (0..<numbers.below(5)).map { _ in
                    "/" + numbers.pick(["a", "b", "ab", "*", "*", "a.b"])
                }.joined()
                patterns.insert(numbers.below(2) == 0 || path.isEmpty ? path + "/" : path)
            }
            let list = patterns.sorted()
            let routes = Routes(numbers.below(2) == 0 ? list : list.reversed())
            for _ in 0..<100 {
                let path = (0...numbers.below(6)).map { _ in
                    "/" + numbers.pick(["a", "b", "ab", "a", "b", "c", "", ".", "*", "a.b"])
                }.joined()
                let expected = Naive.match(path, among: list)
                #expect(routes.match(path) == expected, "\(path) among \(list)")
                // No two different ones could both be meant.
                let fitting = list.filter { Naive.fits($0, path) && $0 != expected }
                #expect(
                    fitting.allSatisfy { Naive.precedes(expected ?? "", $0) && !Naive.precedes($0, expected ?? "") })
                if expected == nil { missed += 1 } else { found += 1 }
            }
        }
        #expect(found > 2000 && missed > 1000, "\(found) \(missed)")
    }

    @Test(.holds("ECO-65")) func `fit in any case where all of them do`() {
        let routes = Routes(["/", "/api/*/public", "/api/admin/"], anyCase: true)
        #expect(routes.match("/API/Me/PUBLIC") == "/api/*/public")
        #expect(routes.match("/Api/ADMIN/public") == "/api/admin/")
        #expect(routes.match("/%41pi") == "/")
    }

    @Test(.refuses("ECO-65")) func `cost no more than there are of them, however long a path is`() {
        // Each of twelve levels has a literal and a wildcard: 4096 paths, all of which nearly fit.
        var paths = [""]
        for _ in 0..<12 { paths = paths.flatMap { [$0 + "/a", $0 + "/*"] } }
        let routes = Routes(paths.map { $0 + "/end" })
        let beginning = String(repeating: "/a", count: 12)
        #expect(routes.match(beginning + "/end") == beginning + "/end")
        for rest in ["/other", String(repeating: "/", count: 8000), "/" + String(repeating: "e", count: 8000)] {
            #expect(routes.match(beginning + rest) == nil)
        }
        let long = "/" + String(repeating: "x", count: 8000)
        #expect(Routes(["/*/x/*/", "/"]).match(long + "/x" + long) == "/*/x/*/")
    }

    @Test(
        .refuses("ECO-65", "HTTP-57"),
        arguments: [
            ("/api/v1/x//public", "pathMatchesTwoRoutes"), ("/api//v1/x/public", "pathMatchesTwoRoutes"),
            ("/api/v1/x/public/", "pathMatchesTwoRoutes"), ("/api/v1/x%2Fpublic", "pathAmbiguous"),
            ("/api/v1/x%2Fy/public", "pathAmbiguous"), ("/api/v1/admin%2Fpublic", "pathAmbiguous"),
            ("/api/v1/admin;/public", "pathAmbiguous"), ("/api/v1/x;/public", "pathAmbiguous"),
            ("/api/v1/%2e%2e/public", "pathAmbiguous"), ("/api/v1/../public", "pathAmbiguous"),
            ("/api/v1/x%5Cy/public", "pathAmbiguous"), ("//api/v1/x/public", "pathMatchesTwoRoutes"),
            ("/api/v1/x%3Fy/public", "pathMatchesTwoRoutes"), ("/api/v1/x%23/public", "pathMatchesTwoRoutes"),
            ("//x/api/v1/x/public", "pathMatchesTwoRoutes"), ("/api/v1/%61dmin/public", "/api/v1/admin/"),
            ("/api/v1/%78/publi%63", "/api/v1/*/public"),
        ])
    func `are one to every reader of a path, or it is refused`(path: String, lead: String) {
        #expect(Routes(["/", "/api/v1/*/public", "/api/v1/admin/"]).lead(path) == lead)
    }

    @Test(
        .refuses("ECO-65", "HTTP-57"),
        arguments: [
            ("/api/v1/x%2Fpublic", "pathMatchesTwoRoutes"), ("/api/v1/x%2Fy/public", "pathMatchesTwoRoutes"),
            ("/api/v1/admin%2F/public", "pathMatchesTwoRoutes"), ("/api/v1/admin;/public", "pathMatchesTwoRoutes"),
            ("/api/v1/admin;a=b/public", "pathMatchesTwoRoutes"),
            ("/api/v1/admin%5Cx/public", "pathMatchesTwoRoutes"), ("/api/v1/;/public", "pathMatchesTwoRoutes"),
            ("/api/v1/%252561dmin/public", "pathMatchesTwoRoutes"), ("/files/a%2Fb/c;d", "/files/*/"),
        ])
    func `are one to every reader where characters are let through`(path: String, lead: String) {
        let all: PathAllowances = [.encodedSlash, .backslash, .doubleEncoding, .semicolon, .nonASCII]
        let routes = Routes(["/", "/api/v1/*/public", "/api/v1/admin/", "/files/*/"], allowing: all)
        #expect(routes.lead(path) == lead)
        // Where the whole path decides, a long one is not read in all ways there are.
        let long = "/api/v1/" + String(repeating: "x", count: 2040) + "/public"
        #expect(routes.lead(long) == "pathMatchesTwoRoutes")
        #expect(Routes(["/api/v1/*/public"]).lead(long) == "/api/v1/*/public")
    }

    @Test(.refuses("ECO-65")) func `open nothing that a literal path closes, nor the gateway's own`() throws {
        let rig = try JudgeRig([
            JudgeRig.open("/api/v1/*/public"), JudgeRig.route("/api/v1/admin/"), JudgeRig.open("/*/*"),
            JudgeRig.open("/*/login/*"),
        ])
        func cause(_ path: String) throws -> Refusal? {
            let outcome = try rig.judge("GET \(path) HTTP/1.1", "Host: api.example")
            #expect(outcome.isForwarded || outcome.cause != nil)
            return outcome.cause
        }
        #expect(try cause("/api/v1/x/public") == nil)
        #expect(try cause("/api/v1/admin/public") == .credentialsMissing)
        #expect(try cause("/x/login/y") == nil)
        for path in [
            "/.portcullis/x", "/.portcullis/login/x", "/%2Eportcullis/x", "/.well-known/oauth-protected-resource",
        ] {
            #expect(try cause(path) == .routeUnknown, "\(path)")
        }
    }
}

@Suite struct `what is behind a guarded path beside wildcards` {
    private static func sealed(_ guarded: [String], _ open: [String]) -> [String] {
        let routes = guarded.map { JudgeRig.route($0) } + open.map { JudgeRig.open($0) }
        return SealedSubtree.all(in: routes).map { $0.path ?? routes[$0.exact].path }.sorted()
    }

    @Test(.refuses("HTTP-57", "ECO-65")) func `is nobody's where a weaker route would take it`() {
        // A wildcard that takes what is behind a literal path, and a literal one behind a wildcard.
        #expect(Self.sealed(["/report.cgi"], ["/*/x"]) == ["/report.cgi"])
        #expect(Self.sealed(["/report.cgi"], ["/*/"]) == ["/report.cgi"])
        #expect(Self.sealed(["/*/report.cgi"], ["/"]) == ["/*/report.cgi"])
        #expect(Self.sealed(["/*/b"], ["/a/*/c"]) == ["/a/b"])
        #expect(Self.sealed(["/a/*"], ["/*/b/c"]) == ["/a/b"])
        // It is named there, or is not the route's own.
        #expect(Self.sealed(["/report.cgi"], ["/report.cgi/*"]).isEmpty)
        #expect(Self.sealed(["/*/b"], ["/a/b/c"]).isEmpty)
        #expect(Self.sealed(["/*/b"], ["/a/"]).isEmpty)
        #expect(Self.sealed(["/*/b", "/*/b/"], ["/"]).isEmpty)
        #expect(Self.sealed(["/a/*/x", "/a/"], ["/"]).isEmpty)
        #expect(Self.sealed(["/a"], ["/*"]).isEmpty)
        #expect(Self.sealed([], ["/*/b", "/"]).isEmpty)
    }

    @Test(.refuses("HTTP-57", "ECO-65"), arguments: [1, 2, 3] as [UInt64])
    func `leads to no weaker route that does not name it`(seed: UInt64) throws {
        var numbers = Numbers(seed: seed)
        var sealed = 0
        for _ in 0..<150 {
            var routes: [String: RouteSettings] = [:]
            for _ in 0..<(2 + numbers.below(6)) {
                var path = (0..<numbers.below(4)).map { _ in "/" + numbers.pick(["a", "b", "*"]) }.joined()
                if path.isEmpty || numbers.below(3) == 0 { path += "/" }
                routes[path] = numbers.below(2) == 0 ? JudgeRig.open(path) : JudgeRig.route(path)
            }
            let list = routes.values.sorted { $0.path < $1.path }
            let rig = try JudgeRig(list)
            func find(_ path: String) -> PathPatterns.Match { rig.table.index.tables[0].find(Array(path.utf8).span) }
            for _ in 0..<60 {
                let path = (0...numbers.below(3)).map { _ in "/" + numbers.pick(["a", "b", "c"]) }.joined()
                guard case .route(let exact) = find(path) else { continue }
                let own = list[exact]
                guard !own.path.hasSuffix("/"), own.access.token != nil else { continue }
                let behind = path + (0...numbers.below(2)).map { _ in "/" + numbers.pick(["a", "b", "c"]) }.joined()
                switch find(behind) {
                case .none: break
                case .behind: sealed += 1
                case .route(let number):
                    guard list[number].access.token == nil else { continue }
                    // All that it says of the guarded path is at least as narrow.
                    let mine = Naive.segments(list[number].path).filter { !$0.isEmpty }
                    let theirs = Naive.segments(own.path)
                    let isNamed = mine.count >= theirs.count && zip(mine, theirs).allSatisfy { $1 == "*" || $0 == $1 }
                    #expect(isNamed, "\(behind) to \(list[number].path), behind \(own.path) of \(list.map(\.path))")
                }
            }
        }
        #expect(sealed > 100, "\(sealed)")
    }

    @Test(.holds("ECO-65")) func `is looked for among all paths that may have a request in common`() {
        let ends = ["", "/", "/a", "/b", "/*", "/a/", "/*/", "/b/x"]
        let texts = ["/"] + ["/a", "/b", "/*"].flatMap { first in ends.map { first + $0 } }
        let paths = texts.map(SegmentedPath.init)
        let neighbours = NeighbouringPaths(paths)
        var found = 0
        for (place, path) in paths.enumerated() {
            let near = neighbours.of(path)
            #expect(near == near.sorted() && near.contains(place))
            for (other, theirs) in paths.enumerated() where path.crosses(theirs) || path.fits(texts[other]) {
                #expect(near.contains(other), "\(texts[place]) \(texts[other])")
                found += 1
            }
        }
        #expect(found > 100, "\(found)")
        #expect(!neighbours.of(SegmentedPath("/a/x")).contains(texts.firstIndex(of: "/b/a") ?? -1))
    }

    @Test(.holds("ECO-65")) func `is judged by which paths cross`() {
        func crosses(_ one: String, _ other: String) -> Bool {
            SegmentedPath(one).crosses(SegmentedPath(other)) && SegmentedPath(other).crosses(SegmentedPath(one))
        }
        #expect(crosses("/api/*/x", "/*/admin/") && crosses("/a/", "/*/b") && crosses("/a/*", "/*/b"))
        for (one, other) in [
            ("/a/*/", "/a/b/"), ("/a/b", "/a/*"), ("/", "/*/x"), ("/a/*", "/b/*"), ("/a/*", "/*/b/c"), ("/a", "/a/"),
        ] {
            #expect(!crosses(one, other), "\(one) \(other)")
        }
    }
}
