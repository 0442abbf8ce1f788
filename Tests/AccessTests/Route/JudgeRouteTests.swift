import TestTraits
import Testing

@testable import Access

@Suite struct `where a request is meant to go` {
    private let host = "Host: api.example"

    @Test(.holds("HTTP-70"), .refuses("HTTP-70"))
    func `is https, for what comes in the clear, whatever it is`() throws {
        let rig = try JudgeRig([
            JudgeRig.open("/"), JudgeRig.open("/.well-known/acme-challenge/"), JudgeRig.route("/private/"),
        ])
        let challenge = "/.well-known/acme-challenge/"
        let cases: [(line: String, lines: [String], isServed: Bool, isRedirected: Bool)] = [
            ("GET /a", [], false, true), ("HEAD /a", [], false, true), ("POST /a", ["Content-Length: 0"], false, false),
            ("PUT /a", ["Content-Length: 0"], false, false), ("DELETE /a", [], false, false),
            ("OPTIONS *", [], false, false), ("OPTIONS /a", [], false, false),
            ("GET /a", ["Authorization: Bearer abc"], false, false), ("GET /private/a", [], false, true),
            ("GET http://api.example/a", [], false, true), ("GET \(challenge)abc", [], true, false),
            ("GET \(challenge)abc-_Z9", [], true, false), ("GET \(challenge)", [], false, true),
            ("GET \(challenge)a%62c", [], false, true), ("GET \(challenge)a/b", [], false, true),
            ("GET \(challenge)..", [], false, true),
        ]
        for (line, lines, isServed, isRedirected) in cases {
            let request = ["\(line) HTTP/1.1", host] + lines
            rig.clearText = .atTLS
            #expect(try rig.judgeOnce(request).cause == .plainHTTP, "\(request)")
            rig.clearText = .redirected
            let outcome = try rig.judgeOnce(request)
            #expect(outcome.isForwarded == isServed, "\(request)")
            var goes = false
            if case .redirectToHTTPS = outcome.judgement { goes = true }
            #expect(goes == isRedirected, "\(request)")
            if !isServed && !isRedirected {
                #expect(outcome.cause == .plainHTTP, "\(request)")
                #expect(outcome.refused?.detail.expected == "https, as in https://api.example")
            }
        }
    }

    @Test(.refuses("HTTP-70")) func `is https for a challenge too, unless a public route of just those takes it`()
        throws
    {
        for routes in [
            [JudgeRig.open("/")], [JudgeRig.route("/.well-known/acme-challenge/")], [JudgeRig.route()],
        ] {
            let rig = try JudgeRig(routes)
            rig.clearText = .redirected
            guard
                case .redirectToHTTPS = try rig.judge("GET /.well-known/acme-challenge/abc HTTP/1.1", host).judgement
            else { return #expect(Bool(false)) }
        }
    }

    @Test(
        .holds("HTTP-21", "HTTP-75"), .refuses("HTTP-21", "HTTP-75"),
        arguments: [
            ("api.example", nil, nil), ("API.example", nil, nil), ("api.example", "api.example", nil),
            ("api.example:8443", "api.example", nil), ("other.example", nil, .authorityUnknown),
            ("api.example", "other.example", .serverNameDisagrees),
            ("api.example:8443", "api.example.evil", .serverNameDisagrees),
            ("other.example", "other.example", .authorityUnknown), ("api.example:80", nil, .authorityUnknown),
            ("api.example.", nil, .authorityUnknown),
        ] as [(String, String?, Refusal?)])
    func `is an authority of the listener, which the handshake has named too`(
        authority: String, serverName: String?, cause: Refusal?
    ) throws {
        let rig = try JudgeRig([JudgeRig.open("/")]) { $0.authorities = [["api.example", "api.example:8443"]] }
        rig.connection.serverName = serverName
        let outcome = try rig.judge("GET /a HTTP/1.1", "Host: \(authority)")
        #expect(outcome.cause == cause && outcome.isForwarded == (cause == nil))
        if cause == .authorityUnknown { #expect(outcome.refused?.detail.found == authority) }
    }

    // MARK: pages elsewhere

    private func rig(_ cors: CORSSettings) throws -> JudgeRig {
        var route = JudgeRig.open("/")
        route.cors = cors
        route.methods = ["GET", "PUT"]
        return try JudgeRig([route])
    }

    private func find(
        _ cors: CORSSettings, _ method: String, _ lines: [String]
    ) throws -> (outcome: JudgeRig.Outcome, findings: Findings) {
        var findings = Findings()
        let outcome = try rig(cors).judge(["\(method) /a HTTP/1.1", host] + lines, &findings)
        return (outcome, findings)
    }

    @Test(.holds("HTTP-71"), .refuses("HTTP-71")) func `is answered for the pages that the route names, and no other`()
        throws
    {
        let rules = CORSRules(origins: ["https://app.example", "https://b.example"], credentials: true)
        let ask = ["Access-Control-Request-Method: PUT"]
        for (origin, place) in [
            ("https://app.example", 0), ("https://b.example", 1), ("https://evil.example", nil), ("null", nil),
            ("https://APP.example", nil), ("https://app.example/", nil),
        ] as [(String, Int?)] {
            let asked = try find(.rules(rules), "OPTIONS", ask + ["Origin: \(origin)"])
            if case .answerPreflight(let found) = asked.outcome.judgement {
                #expect(found == place && place != nil, "\(origin)")
            } else {
                #expect(place == nil && asked.outcome.cause == .originNotAllowed, "\(origin)")
                #expect(asked.outcome.refused?.detail.found == origin)
            }
            let plain = try find(.rules(rules), "GET", ["Origin: \(origin)"])
            #expect(plain.outcome.isForwarded)
            #expect(plain.findings.corsLines == (place.map { .origin($0) } ?? .anyone), "\(origin)")
            #expect(plain.findings.isOfListedOrigin == (place != nil), "\(origin)")
        }
        let twice = try find(.rules(rules), "GET", ["Origin: https://app.example", "Origin: https://app.example"])
        #expect(twice.findings.corsLines == .anyone && !twice.findings.isOfListedOrigin, "nobody can tell which")
        let silent = try find(.rules(rules), "GET", [])
        #expect(silent.findings.corsLines == .anyone && !silent.findings.isPreflight)
    }

    @Test(.refuses("SC-09")) func `is not by its user's session where the route's rules give no credentials`() throws {
        let rules = CORSRules(origins: ["https://app.example"], credentials: false)
        #expect(try !find(.rules(rules), "GET", ["Origin: https://app.example"]).findings.isOfListedOrigin)
        var narrow = CORSRules(origins: ["https://app.example"], credentials: true)
        narrow.methods = ["GET"]
        #expect(try find(.rules(narrow), "GET", ["Origin: https://app.example"]).findings.isOfListedOrigin)
        #expect(
            try !find(.rules(narrow), "PUT", ["Origin: https://app.example", "Content-Length: 0"]).findings
                .isOfListedOrigin)
    }

    @Test(.holds("HTTP-71", "HTTP-72"))
    func `is answered for anyone where the route is for anyone, or by the upstream`() throws {
        let ask = ["Access-Control-Request-Method: PUT", "Origin: https://anybody.example"]
        guard
            case .answerPreflight(origin: nil) = try find(.rules(CORSRules(origins: nil)), "OPTIONS", ask).outcome
                .judgement
        else { return #expect(Bool(false)) }
        let upstream = try find(.upstream, "OPTIONS", ask)
        #expect(upstream.outcome.isForwarded && upstream.findings.isPreflight)
        #expect(upstream.findings.corsLines == .none)
        #expect(try find(.refused, "OPTIONS", ask).outcome.cause == .originNotAllowed)
        let other = ["Access-Control-Request-Method: DELETE", "Origin: https://anybody.example"]
        #expect(try find(.upstream, "OPTIONS", other).outcome.cause == .methodNotAllowed)
        // With content it is another request, which needs what every request needs.
        #expect(try find(.upstream, "OPTIONS", ask + ["Content-Length: 3"]).outcome.reached != .crossOrigin)
    }
}
