import Access
import TestSupport
import TestTraits
import Testing

/// The patterns of some routes, by their paths.
private struct Paths: ~Copyable {
    private let paths: [String]
    private let patterns: PathPatterns

    /// Those of `anyCase` fit in any case of their letters.
    init(_ paths: [String], anyCase: Set<String> = []) {
        self.paths = paths
        patterns = PathPatterns(
            paths.enumerated().map { .init($1, route: $0, ignoresCase: anyCase.contains($1)) },
            allowances: paths.map { _ in [] })
    }

    /// The pattern that a path leads to.
    func match(_ path: String) -> String? {
        guard case .route(let number) = patterns.find(Array(path.utf8).span) else { return nil }
        return paths[number]
    }
}

/// What the doc comment of `PathPatterns` promises, the slow way.
private func expected(_ path: String, among patterns: [String], anyCase: Set<String> = []) -> String? {
    let fitting = patterns.filter { pattern in
        let path = anyCase.contains(pattern) ? path.lowercased() : path
        guard pattern.hasSuffix("/") else { return pattern == path }
        return path.hasPrefix(pattern) || path + "/" == pattern
    }
    // An exact pattern and a subtree's own path are equally long but for the slash; the exact one is meant.
    func rank(_ pattern: String) -> Int { pattern.hasSuffix("/") ? pattern.count * 2 - 2 : pattern.count * 2 + 1 }
    return fitting.max { rank($0) < rank($1) }
}

@Suite struct `the paths of routes` {
    @Test(
        .holds("HTTP-57", "HTTP-76"),
        arguments: [
            ("/", "/"), ("/x", "/"), ("/ap", "/"), ("/apis", "/"), ("/api", "/api/"), ("/api/", "/api/"),
            ("/api/x", "/api/"), ("/api/v", "/api/"), ("/api/v1", "/api/v1"), ("/api/v1/", "/api/"),
            ("/api/v1/x", "/api/"), ("/api/v2", "/api/v2/"), ("/api/v2/", "/api/v2/"), ("/api/v2/a/b/c", "/api/v2/"),
            ("/api/v2x", "/api/"), ("/API/v2", "/"), ("//api/v2", "/"), ("/api//v2", "/api/"),
            ("/both", "/both"), ("/both/", "/both/"), ("/both/x", "/both/"),
        ])
    func `lead a path to the longest pattern that fits`(path: String, pattern: String) {
        // The order in which they are written does not matter.
        let patterns = ["/", "/api/", "/api/v1", "/api/v2/", "/both", "/both/"]
        for order in [patterns, patterns.reversed()] { #expect(Paths(order).match(path) == pattern) }
    }

    @Test(
        .refuses("HTTP-76"),
        arguments: ["/", "", "/x", "/ap", "/apis", "/api/v1/", "/api/v1/x", "/API", "api", "/sub", "//sub/x", "\0"])
    func `lead a path that no pattern fits nowhere`(path: String) {
        let paths = Paths(["/api", "/api/v1", "/sub/only/"])
        #expect(paths.match(path) == nil)
        #expect(paths.match("/api") == "/api")
        #expect(paths.match("/sub/only") == "/sub/only/")
    }

    @Test(.refuses("HTTP-76")) func `lead nowhere when there are none`() {
        for path in ["", "/", "/x"] { #expect(Paths([]).match(path) == nil) }
    }

    @Test func `lead an empty path to the root's subtree only`() {
        #expect(Paths(["/"]).match("/") == "/")
        #expect(Paths(["/x"]).match("/") == nil)
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            ("/admin", "/admin/"), ("/Admin", "/admin/"), ("/ADMIN/Users", "/admin/"),
            ("/admin/PUBLIC", "/admin/public"),
            ("/aDmIn/pUbLiC", "/admin/public"), ("/Admin/public/", "/admin/"), ("/adminx", "/"), ("/Shop", "/Shop/"),
            ("/Shop/cart", "/Shop/cart"), ("/Shop/Cart", "/Shop/"), ("/Shop/CART/x", "/Shop/"), ("/shop/cart", "/"),
            ("/SHOP", "/"),
            ("/Exact", "/exact"), ("/Exact/x", "/Exact/"), ("/exact/x", "/"), ("/[dmin", "/"), ("/@DMIN", "/"),
        ])
    func `in any case lead there in every spelling, the longest first`(path: String, pattern: String) {
        let patterns = ["/", "/admin/", "/admin/public", "/Shop/", "/Shop/cart", "/exact", "/Exact/"]
        let anyCase: Set = ["/admin/", "/admin/public", "/exact"]
        for order in [patterns, patterns.reversed()] { #expect(Paths(order, anyCase: anyCase).match(path) == pattern) }
    }

    @Test func `are found among many`() {
        let many = (0..<5000).map { $0 % 2 == 0 ? "/service\($0)/" : "/service\($0)/item" }
        let paths = Paths(many)
        for number in 0..<5000 {
            #expect(paths.match("/service\(number)/item") == many[number])
            #expect(paths.match("/service\(number)") == (number % 2 == 0 ? many[number] : nil))
        }
        #expect(paths.match("/service5000/item") == nil)
    }

    @Test func `are told apart when their hashes are equal`() {
        // Two texts with one FNV-1a hash of 64 bits; every byte of them takes part in the comparison.
        let (one, other) = ("8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ")
        func hash(_ text: String) -> UInt64 {
            text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        }
        #expect(hash(one) == hash(other))
        #expect(Paths([one]).match(other) == nil)
        #expect(Paths([one]).match(one) == one)
        let both = Paths([one, other, one + "/x", other + "/"])
        #expect(both.match(one) == one)
        #expect(both.match(other) == other)
        #expect(both.match(one + "/x") == one + "/x")
        #expect(both.match(other + "/x") == other + "/")
        #expect(both.match(one + "/y") == nil)
    }

    @Test func `are sealed behind an exact one that says so`() {
        let patterns = PathPatterns(
            [.init("/", route: 0), .init("/x", route: 1), .init("/x", route: 1, isSealed: true)], allowances: [[], []])
        let found = ["/x", "/x/", "/x/y", "/xy"].map { patterns.find(Array($0.utf8).span) }
        #expect(found == [.route(1), .behind(1), .behind(1), .route(0)])
    }

    @Test(.holds("HTTP-57", "HTTP-76"), arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `match as a plain search would`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        func path(_ numbers: inout Numbers, segments: Int) -> String {
            (0..<segments).map { _ in "/" + numbers.pick(["a", "b", "ab", "A", "", "a.b"]) }.joined()
        }
        for _ in 0..<60 {
            var patterns: Set<String> = []
            for _ in 0..<numbers.below(24) {
                let pattern = path(&numbers, segments: 1 + numbers.below(3))
                patterns.insert(numbers.below(2) == 0 || pattern.isEmpty ? pattern + "/" : pattern)
            }
            let list = patterns.sorted()
            let paths = Paths(list)
            for _ in 0..<100 {
                let path = path(&numbers, segments: 1 + numbers.below(4))
                #expect(paths.match(path) == expected(path, among: list), "\(path) among \(list)")
            }
            // Those in lower case may fit in any; none of the others is such a path or below it in a configuration.
            let anyCase = Set(list.filter { $0.lowercased() == $0 && numbers.below(2) == 0 })
            let covered = { (path: String) in expected(path.lowercased(), among: Array(anyCase)) != nil }
            let rest = list.filter { anyCase.contains($0) || !covered($0) }
            let mixed = Paths(rest, anyCase: anyCase)
            for _ in 0..<100 {
                let path = path(&numbers, segments: 1 + numbers.below(4))
                #expect(
                    mixed.match(path) == expected(path, among: rest, anyCase: anyCase),
                    "\(path) among \(rest), of which \(anyCase) in any case")
            }
        }
    }
}
