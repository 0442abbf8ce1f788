import Access
import Bytes
import HTTPMessage
import TestTraits
import Testing

private let host = "Host: api.example"

@Suite struct `a head` {
    @Test(
        .holds("HTTP-21"), arguments: ["api.example", "API.Example", "api.example:8443", "other.example"])
    func `has an authority of its listener`(authority: String) {
        let outcome = permitted(["GET / HTTP/1.1", "Host: \(authority)"]) { head throws(Refused) in
            try head.checkAuthority(TextList(["api.example", "api.example:8443"]))
        }
        #expect(
            outcome
                == (authority == "other.example" ? .refused(.authorityUnknown, found: authority) : .passed(true)))
    }

    @Test(.holds("HTTP-21")) func `of HTTP/1.0 needs no authority`() {
        let outcome = permitted(["GET / HTTP/1.0"]) { head throws(Refused) in
            try head.checkAuthority(TextList(["api.example"]))
        }
        #expect(outcome == .passed(true))
    }

    @Test(arguments: [
        ("a.example", "a.example"), ("a.example:1", "a.example"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"),
    ])
    func `has a host without its port`(authority: String, expected: String) {
        let outcome = judged(["GET / HTTP/1.1", "Host: \(authority)"]) { String(copying: $0.host) }
        #expect(outcome == .passed(expected))
    }

    @Test(
        .refuses("HTTP-51"),
        arguments: [["Via: 1.1 gateway"], ["Via: 1.0 other, 1.1 GATEWAY (x)"], ["Via: 1.1 other", "Via: 1.1 gateway"]])
    func `that was here before goes no further`(lines: [String]) {
        let outcome = permitted(["GET / HTTP/1.1", host] + lines) { head throws(Refused) in
            try head.checkLoop(Array("gateway".utf8).span)
        }
        guard case .refused(.loopDetected, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let other = permitted(["GET / HTTP/1.1", host, "Via: 1.1 gateway2, 1.1 other"]) { head throws(Refused) in
            try head.checkLoop(Array("gateway".utf8).span)
        }
        #expect(other == .passed(true))
    }

    @Test(.refuses("HTTP-44"), arguments: ["x-portcullis-id", "X_Request_Id", "x-user"])
    func `names no reserved field in Connection`(name: String) {
        let outcome = permitted(["GET / HTTP/1.1", host, "Connection: keep-alive, \(name)"]) { head throws(Refused) in
            try head.checkConnectionOptions(ReservedNames(["X-User"]))
        }
        #expect(outcome == .refused(.reservedConnectionOption, found: name))
        let other = permitted(["GET / HTTP/1.1", host, "Connection: keep-alive, X-Own"]) { head throws(Refused) in
            try head.checkConnectionOptions(ReservedNames(["X-User"]))
        }
        #expect(other == .passed(true))
    }

    @Test(.refuses("HTTP-17", "HTTP-75")) func `of CONNECT is refused before any route`() {
        let lines = ["CONNECT api.example:443 HTTP/1.1", "Host: api.example:443"]
        let outcome = judged(lines) { head throws(Refused) in try head.isForServer() }
        #expect(outcome == .refused(.connectRefused, found: "CONNECT"))
        let server = judged(["OPTIONS * HTTP/1.1", host]) { head throws(Refused) in try head.isForServer() }
        #expect(server == .passed(true))
        let other = judged(["OPTIONS / HTTP/1.1", host]) { head throws(Refused) in try head.isForServer() }
        #expect(other == .passed(false))
    }

    @Test(
        .refuses("HTTP-18", "HTTP-19"),
        arguments: [
            ("GET", true), ("PURGE", true), ("POST", false), ("get", false), ("purge", false), ("TRACE", false),
            ("TRACK", false),
        ])
    func `has a method that its route lets through`(method: String, passes: Bool) {
        let outcome = permitted(["\(method) / HTTP/1.1", host]) { head throws(Refused) in
            try head.checkMethod(MethodSet(["GET", "PURGE", "TRACE"]))
        }
        #expect(outcome == (passes ? .passed(true) : .refused(.methodNotAllowed, found: method)))
    }

    @Test(.refuses("HTTP-19"), arguments: ["get", "Options", "trace"])
    func `has no misspelt method where all are let through`(method: String) {
        let outcome = permitted(["\(method) / HTTP/1.1", host]) { head throws(Refused) in
            try head.checkMethod(MethodSet(nil))
        }
        #expect(outcome == .refused(.methodNotAllowed, found: method))
        let other = permitted(["PROPFIND / HTTP/1.1", host]) { head throws(Refused) in
            try head.checkMethod(MethodSet(nil))
        }
        #expect(other == .passed(true))
    }

    @Test(
        .holds("HTTP-20"),
        arguments: [
            (["Max-Forwards: 0"], 0), (["Max-Forwards: 12"], 12), ([], nil), (["Max-Forwards: x"], nil),
            (["Max-Forwards: 1", "Max-Forwards: 0"], nil), (["Max-Forwards: 0000000000"], nil),
            (["Max-Forwards:"], nil),
        ] as [([String], Int?)])
    func `says how far it may travel in one number`(lines: [String], hops: Int?) {
        let outcome = judged(["OPTIONS / HTTP/1.1", host] + lines) { $0.maximumForwards }
        #expect(outcome == .passed(hops))
        let isLast = judged(["OPTIONS / HTTP/1.1", host] + lines) { $0.isLastHop }
        #expect(isLast == .passed(hops == 0))
        let ofGet = judged(["GET / HTTP/1.1", host] + lines) { $0.isLastHop }
        #expect(ofGet == .passed(false))
    }

    @Test(.refuses("MCP-06")) func `is of a page that the route serves, by every line`() {
        func check(_ lines: [String], _ origins: [String]?) -> Outcome<Bool> {
            permitted(["GET / HTTP/1.1", host] + lines) { head throws(Refused) in
                try head.checkOrigin(OriginList(origins))
            }
        }
        let own = "Origin: https://app.example"
        #expect(check([own], ["https://app.example"]) == .passed(true))
        #expect(check([], ["https://app.example"]) == .passed(true))
        #expect(check(["Origin: https://evil.test"], nil) == .passed(true))
        #expect(check(["Origin: null"], ["https://app.example"]) == .refused(.originNotAllowed, found: "null"))
        #expect(
            check([own, "Origin: https://evil.test"], ["https://app.example"])
                == .refused(.originNotAllowed, found: "https://evil.test"))
    }

    @Test(.refuses("HTTP-71")) func `of a page elsewhere gets that page's lines`() {
        let rules = CORSRules(origins: ["https://a.example", "https://b.example"], methods: ["GET"], credentials: true)
        func judge(_ lines: [String], _ settings: CORSSettings) -> Outcome<CrossOrigin> {
            judged(lines) { head throws(Refused) in
                try head.crossOrigin(
                    CORSPolicy(settings, routeMethods: MethodSet(nil), isPublic: false), OriginList(nil), MethodSet(nil)
                )
            }
        }
        func found(
            _ lines: CrossOrigin.Lines, listed: Bool = false, _ preflight: CrossOrigin.Preflight = .none
        ) -> Outcome<CrossOrigin> {
            var found = CrossOrigin()
            found.lines = lines
            found.isOfListedOrigin = listed
            found.preflight = preflight
            return .passed(found)
        }
        let get = ["GET / HTTP/1.1", host]
        let ask = ["OPTIONS / HTTP/1.1", host, "Access-Control-Request-Method: PUT"]
        #expect(judge(get, .rules(rules)) == found(.anyone))
        #expect(judge(get, .refused) == found(.none))
        #expect(judge(get + ["Origin: https://b.example"], .rules(rules)) == found(.origin(1), listed: true))
        #expect(judge(get + ["Origin: https://c.example"], .rules(rules)) == found(.anyone))
        #expect(
            judge(["POST / HTTP/1.1", host, "Origin: https://b.example"], .rules(rules)) == found(.origin(1)))
        #expect(
            judge(get + ["Origin: https://a.example", "Origin: https://b.example"], .rules(rules)) == found(.anyone))
        #expect(judge(ask, .rules(rules)) == found(.anyone))
        #expect(
            judge(ask + ["Origin: https://a.example"], .rules(rules)) == found(.none, .answered(origin: 0)))
        #expect(
            judge(ask + ["Origin: https://c.example"], .rules(CORSRules(origins: nil)))
                == found(.none, .answered(origin: nil)))
        for settings in [CORSSettings.rules(rules), .refused] {
            #expect(
                judge(ask + ["Origin: https://c.example"], settings)
                    == .refused(.originNotAllowed, found: "https://c.example"))
        }
        #expect(judge(ask + ["Origin: https://c.example"], .upstream) == found(.none, .forwarded))
        #expect(
            judge(
                ["OPTIONS / HTTP/1.1", host, "Origin: https://c.example", "Access-Control-Request-Method: TRACE"],
                .upstream) == .refused(.methodNotAllowed, found: "TRACE"))
        // With content it is no preflight.
        #expect(
            judge(ask + ["Origin: https://c.example", "Content-Length: 1"], .refused) == found(.none))
    }

    @Test(.refuses("HTTP-58")) func `offers a WebSocket by one key and version 13`() {
        func check(_ lines: [String]) -> Outcome<Bool> {
            let upgrade = ["GET / HTTP/1.1", host, "Connection: Upgrade", "Upgrade: websocket"]
            return permitted(upgrade + lines) { head throws(Refused) in try head.checkWebSocket() }
        }
        let key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        #expect(check([key, "Sec-WebSocket-Version: 13"]) == .passed(true))
        #expect(
            check([key, "Sec-WebSocket-Version: 12"]) == .refused(.webSocketVersionUnknown, found: "another version"))
        #expect(
            check(["Sec-WebSocket-Version: 13"]) == .refused(.webSocketOfferMalformed, found: "key missing"))
    }

    @Test func `in the clear goes to https only with nothing to lose`() {
        func check(_ lines: [String]) -> Outcome<Bool> {
            permitted(lines) { head throws(Refused) in try head.checkRedirect(expected: "https") }
        }
        #expect(check(["GET /a?b HTTP/1.1", host]) == .passed(true))
        #expect(check(["HEAD / HTTP/1.1", host]) == .passed(true))
        let method = "another method than GET and HEAD over plain HTTP"
        #expect(check(["POST / HTTP/1.1", host]) == .refused(.plainHTTP, found: method))
        #expect(check(["OPTIONS * HTTP/1.1", host]) == .refused(.plainHTTP, found: method))
        #expect(
            check(["GET / HTTP/1.1", host, "Authorization: Bearer x"])
                == .refused(.plainHTTP, found: "credentials over plain HTTP"))
    }

    @Test(
        arguments: [
            ("/.well-known/acme-challenge/aB_-9", true), ("/.well-known/acme-challenge/", false),
            ("/.well-known/acme-challenge", false), ("/.well-known/acme-challenge/a/b", false),
            ("/.well-known/acme-challenge/a.b", false), ("/.well-known/acme-challenge/%61", false),
            ("/.well-known/acme-challengex", false), ("/", false),
        ])
    func `asks an ACME challenge in letters of one reading`(path: String, isChallenge: Bool) {
        let outcome = judged(["GET \(path) HTTP/1.1", host]) { $0.isACMEChallenge }
        #expect(outcome == .passed(isChallenge))
    }
}
