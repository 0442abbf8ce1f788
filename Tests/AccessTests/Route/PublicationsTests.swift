import Login
import TestTraits
import Testing

@testable import Access

/// Every spelling of a path in which one of its characters is escaped, in either case, and with a slash more.
private func spellings(of path: String) -> [String] {
    let characters = Array(path)
    var all: [String] = []
    for place in characters.indices.dropFirst() {
        let code = characters[place].asciiValue ?? 0
        let digits = Array("0123456789ABCDEF")
        let upper = "%\(digits[Int(code) / 16])\(digits[Int(code) % 16])"
        for escaped in Set([upper, upper.lowercased()]) {
            all.append(String(characters[..<place]) + escaped + String(characters[(place + 1)...]))
        }
        if characters[place] == "/" {
            all.append(String(characters[..<place]) + "/" + String(characters[place...]))
        }
    }
    return all + ["/" + path]
}

@Suite struct `the gateway's own paths` {
    private let host = "Host: api.example"

    private func rig(_ change: @escaping (inout AccessSettings) -> Void = { _ in }) throws -> JudgeRig {
        try JudgeRig(
            [JudgeRig.open("/"), JudgeRig.open("/.well-known/oauth-protected-resource/routed")],
            logins: [JudgeRig.login()]
        ) {
            $0.published = PublishedDocuments([
                PublishedDocuments.Document(
                    site: 0, authorities: ["api.example"],
                    path: Array("/.well-known/oauth-protected-resource/api".utf8), query: nil, body: [])
            ])
            $0.publishesClientKeys = true
            change(&$0)
        }
    }

    private func name(_ judgement: Judgement) -> String {
        switch judgement {
        case .forward: "forward"
        case .publish(.resource(let place)): "resource \(place)"
        case .publish(.assertionKeys): "keys"
        case .login(let endpoint): "\(endpoint)"
        case .refuse(let refused): "\(refused.cause)"
        case .wait, .answerOptions, .answerPreflight, .answerRoute, .redirectToHTTPS: "something else"
        }
    }

    private static let own: [(path: String, answer: String)] = [
        ("/.portcullis/jwks.json", "keys"), ("/.portcullis/login/shop", "start(client: 0)"),
        ("/.portcullis/login", "start(client: 0)"), ("/.portcullis/callback/shop", "callback(client: 0)"),
        ("/.portcullis/logout/shop", "logout(client: 0)"), ("/.portcullis/session/shop", "session(client: 0)"),
        ("/.well-known/oauth-protected-resource/api", "resource 0"),
        ("/.well-known/oauth-protected-resource/routed", "forward"),
        ("/.well-known/oauth-protected-resource", "routeUnknown"),
        ("/.well-known/oauth-protected-resource/other", "routeUnknown"), ("/.portcullis", "routeUnknown"),
        ("/.portcullis/", "routeUnknown"), ("/.portcullis/jwks.json/", "routeUnknown"),
        ("/.portcullis/login/bank", "routeUnknown"), ("/.portcullisx", "forward"), ("/.portculli", "forward"),
        ("/.well-known/oauth-protected-resourcex", "forward"), ("/.well-known/other", "forward"),
        ("/x/.portcullis/login/shop", "forward"), ("/.", "pathAmbiguous"), ("/..", "pathAmbiguous"), ("/", "forward"),
    ]

    @Test(.holds("MD-20", "MD-25"), .refuses("MD-25"), arguments: 0..<own.count)
    func `are answered by nobody else`(number: Int) throws {
        let (path, answer) = Self.own[number]
        #expect(name(try rig().judge("GET \(path) HTTP/1.1", host).judgement) == answer, "\(path)")
    }

    /// An upstream that unescapes or merges slashes would read them as ours.
    @Test(
        .refuses("MD-25"),
        arguments: [
            "/.portcullis/x", "/.portcullis/login/shop", "/.portcullis/jwks.json",
            "/.well-known/oauth-protected-resource/api", "/.well-known/oauth-protected-resource",
        ])
    func `go to no upstream in any spelling, and do nothing in another than their own`(path: String) throws {
        let rig = try rig()
        for spelling in spellings(of: path) {
            let outcome = try rig.judge("GET \(spelling) HTTP/1.1", host)
            #expect(outcome.plans == 0 && outcome.cause != nil, "\(spelling): \(name(outcome.judgement))")
        }
        #expect(spellings(of: path).count > path.count)
    }

    @Test(.refuses("MD-25")) func `are no refuge from the authority that is asked for`() throws {
        for (path, answer) in Self.own where answer != "forward" && answer != "pathAmbiguous" {
            #expect(
                try rig().judge("GET \(path) HTTP/1.1", "Host: other.example").cause == .authorityUnknown, "\(path)")
        }
    }

    @Test(.refuses("MD-20", "MD-25")) func `tell the operator which document was looked for, cut to what a line holds`()
        throws
    {
        let rig = try rig()
        let long = "/.portcullis/" + String(repeating: "x", count: 100)
        let refused = try #require(try rig.judge("GET \(long) HTTP/1.1", host).refused)
        #expect(refused.detail.check == "MD-25" && refused.detail.found == String(long.prefix(64)))
        let other = try rig.judge("GET /.well-known/oauth-protected-resource/x HTTP/1.1", host).refused
        #expect(other?.detail.check == "MD-20")
    }

    @Test(.refuses("MD-25")) func `publish no keys where there are none`() throws {
        let rig = try rig { $0.publishesClientKeys = false }
        #expect(try rig.judge("GET /.portcullis/jwks.json HTTP/1.1", host).cause == .routeUnknown)
    }

    @Test(.holds("MD-20")) func `publish the document of the listener, the authority and the query that are asked for`()
    {
        func document(_ listener: Int, _ authority: String, _ query: String? = nil) -> PublishedDocuments.Document {
            PublishedDocuments.Document(
                site: listener, authorities: [authority], path: [0x2F], query: query.map { Array($0.utf8) },
                body: [])
        }
        let published = PublishedDocuments([
            document(0, "a.example"), document(0, "b.example"), document(0, "b.example", "q"), document(1, "c.example"),
        ])
        func find(_ listener: Int, _ authority: String, _ query: String = "", path: String = "/") -> Int? {
            let (name, text, way) = (Array(authority.utf8), Array(query.utf8), Array(path.utf8))
            return published.find(site: listener, authority: name.span, path: way.span, query: text.span)
        }
        #expect(find(0, "a.example") == 0 && find(0, "B.Example") == 1 && find(1, "c.example") == 3)
        #expect(find(0, "c.example") == 0, "the first of the listener's, at any authority it answers for")
        #expect(find(1, "a.example") == 3)
        #expect(find(2, "a.example") == nil && find(0, "a.example", path: "/x") == nil)
        #expect(find(0, "b.example", "q") == 1, "of two for one address the first")
    }
}
