import Bytes
import HTTPMessage
import TestSupport
import TestTraits
import Testing

@testable import Access

private let host = "Host: api.example"

/// Row ECO-69 for one judgement at a time.
@Suite struct `a route that answers itself` {
    private func route(_ answer: RouteAnswerSettings) -> RouteSettings {
        JudgeRig.route { route, _ in
            route.answer = answer
            route.upstream = UpstreamSettings(servers: [])
        }
    }

    @Test(.holds("ECO-69"), .refuses("ECO-69")) func `does so behind all that is asked of others, and plans nothing`()
        throws
    {
        let rig = try JudgeRig([route(.content(status: 200, type: "text/plain", Array("ok".utf8)))])
        let refused = try rig.judge("GET /a HTTP/1.1", host)
        #expect(refused.cause == .credentialsMissing && refused.plans == 0)
        let token = TokenMint(now: JudgeRig.now).accessToken()
        let answered = try rig.judge("GET /a HTTP/1.1", host, "Authorization: Bearer \(token)")
        guard case .answerRoute(let route) = answered.judgement else { return #expect(Bool(false)) }
        #expect(route.pointee.index == 0 && answered.plans == 0)
    }

    @Test(.holds("ECO-69")) func `has its lines written out, and tells caches nothing of what is guarded`() {
        let content = RouteAnswerSettings.content(status: 200, type: "text/plain", Array("ok".utf8))
        let open = RouteAnswer(content, isPublic: true, keepsPath: false)
        #expect(
            String(copying: open.head.span) == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n")
        #expect(String(copying: open.content.span) == "ok")
        open.destroy()
        let guarded = RouteAnswer(content, isPublic: false, keepsPath: false)
        #expect(String(copying: guarded.head.span).contains("\r\nCache-Control: no-store\r\n"))
        guarded.destroy()
        let empty = RouteAnswer(.content(status: 204, type: "text/plain", []), isPublic: true, keepsPath: false)
        #expect(String(copying: empty.head.span) == "HTTP/1.1 204 No Content\r\n")
        empty.destroy()
    }

    @Test(.refuses("ECO-69"), arguments: ["/old//evil.example", "/old/%2Fevil.example", "/old/\\evil.example"])
    func `redirects no path whose rest could name a server`(path: String) throws {
        var route = JudgeRig.open("/old/")
        route.answer = .redirect(status: 308, origin: "", path: "/")
        route.rewrite = RouteSettings.rewrite(ofRedirectFrom: "/old/", to: "/")
        route.pathAllowances = [.encodedSlash, .backslash]
        let rig = try JudgeRig([route])
        #expect(try rig.judge("GET \(path) HTTP/1.1", host).cause != nil)
        guard case .answerRoute = try rig.judge("GET /old/a HTTP/1.1", host).judgement else {
            return #expect(Bool(false))
        }
    }
}
