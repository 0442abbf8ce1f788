import HTTPMessage
import TestSupport
import TestTraits
import Testing

@testable import Access

private func has(_ set: MethodSet, _ method: MethodID) -> Bool { set.known >> UInt16(method.rawValue) & 1 == 1 }

private func route(_ access: RouteSettings.Access, methods: [String]? = nil) -> RouteSettings {
    RouteSettings(
        name: "r", path: "/", upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: access, methods: methods)
}

private func token(_ scopes: [String] = [], _ byMethod: [String: [String]] = [:]) -> TokenSettings {
    TokenSettings(issuers: ["main"], audiences: ["https://api.example/"], scopes: scopes, scopesByMethod: byMethod)
}

@Suite struct `the methods of a route` {
    private let ordinary: [MethodID] = [.get, .head, .post, .put, .delete, .patch, .options]
    private let never: [MethodID] = [.connect, .trace, .track]

    @Test(.holds("HTTP-18", "HTTP-19")) func `are all but three when none are named`() {
        let set = MethodSet(nil)
        for method in ordinary + [.other] { #expect(has(set, method)) }
        for method in never { #expect(!has(set, method)) }
        #expect(set.allow == "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS")
    }

    @Test(.holds("HTTP-19")) func `are those named, and no other`() {
        let set = MethodSet(["GET", "PROPFIND"])
        #expect(has(set, .get))
        for method in ordinary.dropFirst() + never + [.other] { #expect(!has(set, method)) }
        #expect(set.allow == "GET, PROPFIND")
        #expect("PROPFIND".withBytes { set.contains(named: $0.span) })
        for name in ["propfind", "PROPFIN", "PROPFINDS", "", "MKCOL"] {
            #expect(!name.withBytes { set.contains(named: $0.span) }, "\(name)")
        }
    }

    @Test(.refuses("HTTP-18")) func `never include CONNECT, TRACE or TRACK, even when they are named`() {
        let set = MethodSet(["CONNECT", "GET", "TRACE", "TRACK"])
        #expect(has(set, .get))
        #expect(set.allow == "GET")
        for method in never { #expect(!has(set, method)) }
        for name in ["CONNECT", "TRACE", "TRACK"] {
            #expect(!name.withBytes { set.contains(named: $0.span) }, "\(name)")
        }
    }

    @Test(.refuses("HTTP-18")) func `never include them in another case either`() {
        // Some upstream would read `trace` as TRACE.
        let names = ["connect", "Trace", "track", "tRaCk"]
        let set = MethodSet(names + ["GET"])
        for name in names { #expect(!name.withBytes { set.contains(named: $0.span) }, "\(name)") }
        #expect(set.allow == "GET")
    }

    @Test(.refuses("HTTP-19")) func `do not include a lower-case spelling of one that is named`() {
        let set = MethodSet(["GET", "POST"])
        for name in ["get", "Get", "post"] { #expect(!name.withBytes { set.contains(named: $0.span) }, "\(name)") }
    }

    @Test(.refuses("HTTP-19")) func `are none when the list is empty`() {
        let set = MethodSet([])
        #expect(set.known == 0)
        #expect(set.allow == "")
    }

    @Test(.holds("HTTP-19"), .refuses("HTTP-19")) func `are closed by scopes that are named by method alone`() {
        let set = MethodSet.of(route(.token(token([], ["POST": ["w"], "GET": ["r"], "PURGE": ["p"]]))))
        for method in [MethodID.get, .head, .post] { #expect(has(set, method)) }
        for method in [MethodID.put, .delete, .patch, .options, .other] + never { #expect(!has(set, method)) }
        #expect("PURGE".withBytes { set.contains(named: $0.span) })
        #expect(set.allow == "GET, POST, PURGE, HEAD")
        let writing = MethodSet.of(route(.token(token([], ["POST": ["w"]]))))
        #expect(!has(writing, .head))
        #expect(!has(writing, .get))
    }

    @Test(.holds("HTTP-19")) func `stay open where scopes have a default or a list says otherwise`() {
        #expect(MethodSet.of(route(.token(token(["r"], ["POST": ["w"]])))).known == MethodSet(nil).known)
        #expect(MethodSet.of(route(.token(token()))).known == MethodSet(nil).known)
        #expect(MethodSet.of(route(.publicAccess)).known == MethodSet(nil).known)
        let listed = MethodSet.of(route(.token(token([], ["POST": ["w"]])), methods: ["PUT"]))
        #expect(has(listed, .put))
        #expect(!has(listed, .post))
    }

    @Test func `have names that belong to their numbers`() {
        #expect(MethodSet.all.count == MethodSet.count)
        for (index, method) in MethodSet.all.enumerated() {
            #expect(Int(method.id.rawValue) == index, "scopes are found by this number")
            #expect(MethodSet.name(of: method.id) == method.name)
        }
    }
}

@Suite struct `the scopes of a method` {
    @Test(
        .holds("RS-19"),
        arguments: [
            ("GET", ["r"]), ("HEAD", ["r"]), ("POST", ["w"]), ("DELETE", ["d"]), ("get", ["d"]), ("", ["d"]),
        ])
    func `are the method's own, or the default`(method: String, scopes: [String]) {
        let settings = token(["d"], ["GET": ["r"], "POST": ["w"]])
        #expect(settings.rights.scopes(for: method) == scopes)
    }

    @Test(.holds("RS-19")) func `of HEAD are its own when it is named, and may be none`() {
        let settings = token(["d"], ["GET": ["r"], "HEAD": []])
        #expect(settings.rights.scopes(for: "HEAD") == [])
        #expect(token(["d"]).rights.scopes(for: "HEAD") == ["d"])
    }

    @Test(.holds("RS-19")) func `become the predicates of that method alone`() throws {
        var catalogue = PredicateCatalogue()
        let policy = TokenPolicy(
            token(["d"], ["GET": ["r"], "POST": ["r", "w"]]), ProofSettings(), issuerIndex: { _ in 0 },
            catalogue: &catalogue)
        for (scope, allowed) in [
            ("r", [MethodID.get, .head]), ("r w", [.get, .head, .post]),
            ("d", [.put, .delete, .patch, .options, .other]),
            ("w", []), ("R", []),
        ] {
            let words = catalogue.answers(for: try verifiedToken(["scope": "\"\(scope)\""]), issuer: 0)
            for method in [MethodID.get, .head, .post, .put, .delete, .patch, .options, .other] {
                let row = policy.row(of: method, named: Span())
                let isAllowed = AnswerBits(words.span).allHold(policy.rights[row: row].scopes.numbers)
                #expect(isAllowed == allowed.contains(method), "\(scope): \(method)")
            }
        }
    }
}
