import Crypto
import Issuers
import Login
import TestSupport
import TestTraits
import Testing

@testable import Access

private let host = "Host: api.example"

private func authorization(_ token: String, _ scheme: String = "Bearer") -> String {
    "Authorization: \(scheme) \(token)"
}

@Suite struct `the judgement of a request` {
    private let mint = TokenMint(now: JudgeRig.now)

    /// A token that is bound to the key of `proof`'s.
    private func boundToken(_ claims: [String: String?] = [:]) -> String {
        let bound: [String: String?] = ["cnf": "{\"jkt\":\"\(ProofMint().thumbprint)\"}"]
        return mint.accessToken(claims: bound.merging(claims) { $1 })
    }

    private func proof(of token: String, id: String = "proof-1", target: String = "https://api.example/a") -> String {
        "DPoP: " + ProofMint(target: target, token: token).proof(id: id)
    }

    private func dpopRig(_ change: (inout TokenSettings) -> Void = { _ in }) throws -> JudgeRig {
        try JudgeRig([
            JudgeRig.route { _, token in
                token.schemes = [.dpop]
                change(&token)
            }
        ])
    }

    // MARK: the order

    @Test func `goes through every stage, and says so`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        let outcome = try rig.judge("GET /a HTTP/1.1", host, authorization(mint.accessToken()))
        #expect(outcome.isForwarded && outcome.reached == .end && outcome.plans == 1)
        guard case .forward(let route, let count) = outcome.judgement else { return }
        #expect(route.pointee.index == 0 && count == 7)
    }

    @Test(arguments: [
        (Stage.target, Refusal.reservedConnectionOption), (.route, .authorityUnknown), (.method, .methodNotAllowed),
        (.origin, .originNotAllowed), (.webSocket, .webSocketVersionUnknown), (.authenticate, .tokenMalformed),
        (.authorize, .scopeInsufficient), (.plan, .upstreamConnectionsExhausted),
    ])
    func `ends where its first mistake is, with all that come behind it in the request too`(
        stage: Stage, cause: Refusal
    )
        throws
    {
        let rig = try JudgeRig([
            JudgeRig.route { route, token in
                route.methods = ["GET"]
                route.allowedOrigins = ["https://api.example"]
                route.webSocket = true
                token.rights.scopes = ["admin"]
            }
        ])
        rig.planRefusal = .upstreamConnectionsExhausted
        func has(_ mistake: Stage) -> Bool { mistake.rawValue >= stage.rawValue }
        var lines = [has(.method) ? "DELETE /a HTTP/1.1" : "GET /a HTTP/1.1"]
        lines.append(has(.route) ? "Host: other.example" : host)
        if has(.target) { lines.append("Connection: X-Request-Id") }
        if has(.origin) { lines.append("Origin: https://evil.example") }
        if has(.webSocket) {
            lines += [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 8",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
        }
        let scope = has(.authorize) ? "\"orders:read\"" : "\"admin\""
        lines.append(
            has(.authenticate)
                ? authorization("abc") : authorization(mint.accessToken(claims: ["scope": scope])))
        var findings = Findings()
        defer { findings.forget() }
        let outcome = try rig.judge(lines, &findings)
        #expect(outcome.cause == cause && outcome.reached == stage)
        #expect(outcome.plans == (stage == .plan ? 1 : 0))
    }

    // MARK: who answers

    @Test(.holds("HTTP-16")) func `answers OPTIONS for the server itself`() throws {
        let outcome = try JudgeRig([JudgeRig.route()]).judge("OPTIONS * HTTP/1.1", host)
        guard case .answerOptions = outcome.judgement else { return #expect(Bool(false)) }
        #expect(outcome.reached == .target)
    }

    @Test(.holds("HTTP-20")) func `answers OPTIONS whose last hop is this one, after all that could refuse it`() throws
    {
        let rig = try JudgeRig([JudgeRig.route()])
        let refused = try rig.judge("OPTIONS /a HTTP/1.1", host, "Max-Forwards: 0")
        #expect(refused.cause == .credentialsMissing)
        let outcome = try rig.judge(
            "OPTIONS /a HTTP/1.1", host, "Max-Forwards: 0", authorization(mint.accessToken()))
        guard case .answerOptions = outcome.judgement else { return #expect(Bool(false)) }
        #expect(outcome.plans == 0)
    }

    @Test(.refuses("MD-25")) func `is 404 below the gateway's own paths, whatever route there is`() throws {
        let rig = try JudgeRig([JudgeRig.open("/")])
        for path in ["/.portcullis/x", "/.well-known/oauth-protected-resource", "/%2Eportcullis/x", "//.portcullis/x"] {
            let outcome = try rig.judge("GET \(path) HTTP/1.1", host)
            #expect(!outcome.isForwarded && outcome.plans == 0, "\(path)")
            #expect([.routeUnknown, .pathAmbiguous, .pathMatchesTwoRoutes].contains(outcome.cause), "\(path)")
        }
    }

    @Test(.holds("CF-02"), .holds("MD-20")) func `hands on the paths of logins, and publishes what is published`()
        throws
    {
        let document = PublishedDocuments.Document(
            site: 0, authorities: ["api.example"], path: Array("/.well-known/oauth-protected-resource".utf8),
            query: nil, body: [])
        let rig = try JudgeRig([JudgeRig.session()], logins: [JudgeRig.login()]) {
            $0.published = PublishedDocuments([document])
            $0.publishesClientKeys = true
        }
        guard case .login(.start(client: 0)) = try rig.judge("GET /.portcullis/login/shop HTTP/1.1", host).judgement
        else { return #expect(Bool(false)) }
        let path = "/.well-known/oauth-protected-resource"
        guard case .publish(.resource(0)) = try rig.judge("GET \(path) HTTP/1.1", host).judgement else {
            return #expect(Bool(false))
        }
        guard
            case .publish(.assertionKeys) = try rig.judge("GET \(ReservedPath.assertionKeys) HTTP/1.1", host).judgement
        else { return #expect(Bool(false)) }
        #expect(try rig.judge("GET \(path) HTTP/1.1", "Host: other.example").cause == .authorityUnknown)
    }

    @Test(.holds("HTTP-71")) func `forwards a preflight without asking who sends it, and answers one by rules`() throws
    {
        var route = JudgeRig.route()
        route.cors = .upstream
        let question = [
            "OPTIONS /a HTTP/1.1", host, "Origin: https://app.example", "Access-Control-Request-Method: GET",
        ]
        var findings = Findings()
        let outcome = try JudgeRig([route]).judge(question, &findings)
        #expect(outcome.isForwarded && outcome.reached == .crossOrigin && findings.isPreflight)
        var refused = Findings()
        #expect(try JudgeRig([JudgeRig.route()]).judge(question, &refused).cause == .originNotAllowed)
    }

    // MARK: plain HTTP

    @Test(.refuses("HTTP-70")) func `serves no request in the clear where https is spoken`() throws {
        let rig = try JudgeRig([JudgeRig.open("/"), JudgeRig.open("/.well-known/acme-challenge/")])
        rig.clearText = .atTLS
        #expect(try rig.judge("GET /a HTTP/1.1", host).cause == .plainHTTP)
        rig.clearText = .redirected
        guard case .redirectToHTTPS = try rig.judge("GET /a HTTP/1.1", host).judgement else {
            return #expect(Bool(false))
        }
        #expect(try rig.judge("POST /a HTTP/1.1", host, "Content-Length: 0").cause == .plainHTTP)
        #expect(try rig.judge("GET /a HTTP/1.1", host, authorization("abc")).cause == .plainHTTP)
        #expect(try rig.judge("GET /.well-known/acme-challenge/abc HTTP/1.1", host).isForwarded)
    }

    @Test(.refuses("HTTP-75")) func `refuses a host that the TLS handshake did not name`() throws {
        let rig = try JudgeRig([JudgeRig.open("/")])
        rig.connection.serverName = "api.example"
        #expect(try rig.judge("GET /a HTTP/1.1", host).isForwarded)
        rig.connection.serverName = "other.example"
        #expect(try rig.judge("GET /a HTTP/1.1", host).cause == .serverNameDisagrees)
    }

    @Test(.refuses("HTTP-21"), .refuses("DPOP-09")) func `goes by the listener that a request came in at`() throws {
        let rig = try JudgeRig([JudgeRig.route { _, token in token.schemes = [.dpop] }]) {
            $0.publicURLs.append("https://intern.example")
            $0.authorities.append(["intern.example"])
        }
        let token = boundToken()
        func cause(at listener: Int, _ host: String, proofFor target: String) throws -> Refusal? {
            rig.listener = listener
            return try rig.judge(
                "GET /a HTTP/1.1", "Host: \(host)", authorization(token, "DPoP"),
                proof(of: token, id: "\(listener) \(target)", target: target)
            ).cause
        }
        let (outer, inner) = ("https://api.example/a", "https://intern.example/a")
        #expect(try cause(at: 0, "api.example", proofFor: outer) == nil)
        #expect(try cause(at: 1, "intern.example", proofFor: inner) == nil)
        #expect(try cause(at: 1, "api.example", proofFor: outer) == .authorityUnknown)
        #expect(try cause(at: 0, "intern.example", proofFor: inner) == .authorityUnknown)
        #expect(try cause(at: 1, "intern.example", proofFor: outer) == .proofTargetMismatch)
        #expect(try cause(at: 0, "api.example", proofFor: inner) == .proofTargetMismatch)
    }

    @Test(.holds("HTTP-58")) func `notes a WebSocket that goes on as a plain GET`() throws {
        let rig = try JudgeRig([JudgeRig.open("/")])
        var findings = Findings()
        let offer = ["GET /a HTTP/1.1", host, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        #expect(try rig.judge(offer, &findings).isForwarded)
        #expect(findings.isWebSocketOffPath)
        #expect(try rig.judge(["GET /a HTTP/1.1", host], &findings).isForwarded)
        #expect(!findings.isWebSocketOffPath)
    }

    // MARK: the proof is spent last

    @Test(.holds("DPOP-17")) func `spends a proof with the one request that all else lets through`() throws {
        let rig = try dpopRig { $0.rights.scopesByMethod = ["GET": ["orders:read"], "POST": ["admin"]] }
        let token = boundToken()
        let request = ["GET /a HTTP/1.1", host, authorization(token, "DPoP"), proof(of: token)]
        var findings = Findings()
        defer { findings.forget() }
        rig.planRefusal = .upstreamConnectionsExhausted
        let refused = try rig.judge(request, &findings)
        #expect(refused.cause == .upstreamConnectionsExhausted && refused.reached == .plan)
        rig.planRefusal = nil
        let passed = try rig.judge(request, &findings)
        #expect(passed.isForwarded && passed.reached == .end)
        let again = try rig.judge(request, &findings)
        #expect(again.cause == .proofReplayed && again.reached == .spend)
    }

    // MARK: a wait goes on where it waited

    @Test(.holds("RS-24")) func `waits for keys once, and goes on with them`() throws {
        let rig = try JudgeRig([JudgeRig.route()], keys: false)
        let request = ["GET /a HTTP/1.1", host, authorization(mint.accessToken())]
        var findings = Findings()
        defer { findings.forget() }
        #expect(try rig.judge(request, &findings).wait == .keys(issuer: 0))
        findings.hasWaited = true
        #expect(try rig.judge(request, &findings).cause == .issuerKeysUnavailable)
        try rig.giveKeys()
        #expect(try rig.judge(request, &findings).isForwarded)
    }

    @Test(.holds("TX-01"), .holds("DPOP-17"))
    func `verifies nothing twice, however it waited for its upstream's token`()
        throws
    {
        var route = JudgeRig.route { _, token in token.schemes = [.dpop] }
        route.credential = .exchange(ExchangeSettings(client: 0, audience: ["tools"]))
        let rig = try JudgeRig([route])
        let token = boundToken()
        let request = ["GET /a HTTP/1.1", host, authorization(token, "DPoP"), proof(of: token)]
        var findings = Findings()
        defer { findings.forget() }
        guard case .exchange(rule: 0, let digest) = try rig.judge(request, &findings).wait else {
            return #expect(Bool(false))
        }
        #expect(digest == SHA256.hash(Array(token.utf8).span))
        let record = try #require(findings.token)
        // The record gives way to others meanwhile: the request has it still.
        rig.identities.tokens.remove(record)
        let block = rig.identities.keep(upstreamToken: [0x61], of: record, rule: 0, until: .max)
        block.retain()
        findings.upstreamToken = block
        #expect(try rig.judge(request, &findings).isForwarded)
        #expect(rig.verifications == (1, 1))
    }

    @Test(.refuses("DPOP-10")) func `looks at a proof anew that ended while its request waited`() throws {
        var route = JudgeRig.route { _, token in token.schemes = [.dpop] }
        route.credential = .exchange(ExchangeSettings(client: 0, audience: ["tools"]))
        let rig = try JudgeRig([route])
        let token = boundToken(["exp": "\(JudgeRig.now + 3600)"])
        let request = ["GET /a HTTP/1.1", host, authorization(token, "DPoP"), proof(of: token)]
        var findings = Findings()
        defer { findings.forget() }
        #expect(try rig.judge(request, &findings).wait != nil)
        rig.now += 600
        #expect(try rig.judge(request, &findings).cause == .proofOutOfTime)
    }

    @Test(.refuses("TX-03")) func `ends with what the authorization server said of the exchange`() throws {
        var route = JudgeRig.route()
        route.credential = .exchange(ExchangeSettings(client: 0, audience: ["tools"]))
        let rig = try JudgeRig([route])
        var findings = Findings()
        defer { findings.forget() }
        findings.exchanged = .refused(Refused(.exchangeSubjectRefused))
        let outcome = try rig.judge(["GET /a HTTP/1.1", host, authorization(mint.accessToken())], &findings)
        #expect(outcome.cause == .exchangeSubjectRefused && outcome.reached == .exchange && outcome.plans == 0)
    }

    @Test func `forgets all of another configuration's, and gives up every use`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        var findings = Findings()
        #expect(try rig.judge(["GET /a HTTP/1.1", host, authorization(mint.accessToken())], &findings).isForwarded)
        let record = try #require(findings.token)
        #expect(record.uses == 2)
        findings.forget()
        #expect(record.uses == 1 && findings.token == nil && findings.route == nil && findings.scheme == .none)
    }
}
