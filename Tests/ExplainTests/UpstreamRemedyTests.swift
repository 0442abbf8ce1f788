import Access
import Explain
import Gateway
import HTTPMessage
import Issuers
import JSON
import OAuth
import TestTraits
import Testing

@testable import GatewayTests

@Suite struct `an explanation beside the checks of tokens` {
    private func remedy(
        _ refusal: Refusal, found: String = "what was found"
    ) throws -> (diagnosis: String, steps: [String]) {
        var evidence = RequestEvidence()
        evidence.route = 0
        let explanation = Explanation(
            evidence, .refused(refusal, expected: "one", found: found, row: "\(refusal.check)"),
            settings: ExplainRig().settings, now: ExplainRig.now)
        let remedy = try #require(explanation.remedy)
        return (remedy.diagnosis, remedy.steps.map(\.text))
    }

    @Test func `tells an upstream that is slow from one that speaks no HTTP and one that is not there`() throws {
        let slow = try remedy(.upstreamTimedOut)
        #expect(slow.diagnosis.contains("too slow: what was found"))
        #expect(slow.steps.contains { $0.contains("timeouts.upstream_first_byte") })
        let broken = try remedy(.upstreamMalformed)
        #expect(broken.diagnosis.contains("not HTTP/1.1"))
        #expect(broken.steps.contains { $0.contains("limits.header_section") })
        let away = try remedy(.upstreamUnreachable)
        #expect(away.diagnosis.hasPrefix("The upstream did not answer"))
        #expect(Set([slow.diagnosis, broken.diagnosis, away.diagnosis]).count == 3)
        #expect(Set([slow.steps, broken.steps, away.steps]).count == 3)
    }

    @Test func `names a limit of a client that waits only where it is the one that was met`() throws {
        let waiting = try remedy(.clientWaitersTooMany, found: "more of 192.0.2.1")
        #expect(waiting.steps.contains { $0.contains("limits.parked_requests_per_client") })
        let asking = try remedy(.clientWaitersTooMany, found: "more questions")
        #expect(asking.steps.contains("answer sooner") && !asking.steps.contains { $0.contains("limits.") })
    }

    @Test(
        arguments: [
            ("Content-Length: 11", "seen    11 bytes"), ("Content-Length: 0", nil), (nil, nil),
        ] as [(String?, String?)])
    func `says how long the body is that is too long`(field: String?, seen: String?) throws {
        var rig = ExplainRig()
        rig.method = "POST"
        rig.settings.limits.requestBody = 10
        if let field { rig.fields.append(field) }
        let explanation = try rig.explain()
        #expect(explanation.exitStatus == (seen == nil ? 0 : 3))
        let text = explanation.text
        #expect(text.contains(seen ?? "body size               no body"), "\(text)")
        #expect(seen == nil || text.contains("wanted  at most 10 bytes"))
    }

    @Test func `says that a body in chunks has no length yet`() throws {
        var rig = ExplainRig()
        rig.method = "POST"
        rig.settings.limits.requestBody = 10
        rig.fields.append("Transfer-Encoding: chunked")
        #expect(try rig.explain().text.contains("chunked, of a length that is not announced"))
    }

    /// A preflight of a browser for the shop's route.
    private func preflight(_ origin: String, logins: Bool) throws -> Explanation {
        var rig = logins ? try ExplainRig.browser() : ExplainRig()
        rig.settings.routes[0].cors = .rules(CORSRules(origins: ["https://app.example.com"]))
        rig.method = "OPTIONS"
        rig.scheme = nil
        rig.fields = ["Origin: \(origin)", "Access-Control-Request-Method: GET"]
        return try rig.explain()
    }

    @Test(.holds("HTTP-71"), arguments: [false, true]) func `tells a preflight by CORS, not as a login`(logins: Bool)
        throws
    {
        let answered = try preflight("https://app.example.com", logins: logins)
        #expect(answered.exitStatus == 0)
        #expect(answered.text.hasPrefix("ANSWERED BY THE GATEWAY  204  to a browser's preflight\n"))
        let origin = try #require(answered.lines.first { $0.check == .origin })
        #expect(origin.state == .passed)
        #expect(origin.section == "Fetch, CORS protocol")
        #expect(answered.text.contains("[Fetch, CORS protocol]"))
        #expect(!answered.text.contains("RFC 6749"))
        #expect(answered.lines.first { $0.check == .route }?.state == .passed)
        for line in answered.lines.drop(while: { $0.check != .origin }).dropFirst() {
            #expect(line.state == .notNeeded, "\(line.check)")
        }
        #expect(!answered.text.contains("the path is the gateway's own"))

        let refused = try preflight("https://evil.example", logins: logins)
        #expect(refused.exitStatus == 3)
        #expect(refused.text.contains("see     Fetch, CORS protocol"))
        let json = try JSONValue.parse(refused.json.span)
        #expect(json["checks"]?.elements.contains { $0["section"]?.string == "Fetch, CORS protocol" } == true)
    }

    @Test func `lists what to register once, however many listeners have the public URL`() throws {
        var settings = try ExplainRig.browser().settings
        settings.listeners.append(settings.listeners[0])
        settings.listeners.append(settings.listeners[0])
        settings.listeners[1].address = SocketAddressSettings(unixPath: "/run/shop.sock")
        settings.listeners[2].publicURL = "https://other.example.com"
        settings.issuers[0].url = "http://127.0.0.1:9"
        settings.issuers[0].insecureAllowHTTP = true
        let wanted = ["https://shop.example.com", "https://other.example.com"].map {
            $0 + "/.portcullis/callback/shop"
        }
        // Nothing listens at port 9 of this machine, or it says nothing: what to register is there all the same.
        let text = try AskAboutLogin.review(of: "shop", settings, asJSON: false, timeoutMilliseconds: 500)
        #expect(text.hasPrefix("NOT KNOWN  http://127.0.0.1:9 did not say what it offers: "))
        #expect(AskGateway.exitStatus(of: text) == 1)
        #expect(text.contains("To register at the server for client_id shop-web:"))
        for url in wanted { #expect(text.split(separator: "\n").count { $0.hasSuffix(url) } == 1, "\(text)") }
        let json = try JSONValue.parse(
            Array(try AskAboutLogin.review(of: "shop", settings, asJSON: true, timeoutMilliseconds: 500).utf8).span)
        let redirects = json["register"]?.elements.filter { $0["name"]?.string == "redirect_uri" }
        #expect(redirects?.compactMap { $0["value"]?.string } == wanted)
    }
}
