import OAuth
import TestTraits
import Testing

private func parsed(_ query: String) -> FrontchannelLogout? { FrontchannelLogout(query: Array(query.utf8)) }

@Suite struct `a front-channel logout` {
    @Test(
        .holds("LO-11"), .refuses("LO-11"),
        arguments: [
            "iss=https%3A%2F%2Fissuer.example%2F&sid=session-1", "sid=session-1&iss=https://issuer.example/",
            "x=%zz&iss=https://issuer.example/&sid=session%2D1&y",
        ])
    func `ends the session of this browser that it names`(query: String) throws {
        let logout = try #require(parsed(query))
        #expect(logout.ends(issuer: "https://issuer.example/", sid: "session-1"))
        #expect(!logout.ends(issuer: "https://issuer.example", sid: "session-1"))
        #expect(!logout.ends(issuer: "https://issuer.example/", sid: "session-2"))
        #expect(!logout.ends(issuer: "https://issuer.example/", sid: nil))
    }

    @Test(.refuses("LO-11")) func `that names no session ends none`() throws {
        for query in ["", "x=1", "&"] {
            let logout = try #require(parsed(query))
            #expect(logout.session == nil && !logout.ends(issuer: "https://issuer.example/", sid: "session-1"))
            #expect(!logout.ends(issuer: "", sid: ""))
        }
    }

    @Test(
        .refuses("LO-11"),
        arguments: [
            "iss=https://issuer.example/", "sid=1", "iss=a&sid=1&sid=1", "iss=a&iss=b&sid=1", "iss=a&sid=%",
            "iss=%f&sid=1",
            "iss=a&sid=%ff", "iss=%c3%28&sid=1", "iss=a&sid=1&s%69d=2",
        ])
    func `that names half a session, or two, is refused`(query: String) {
        #expect(parsed(query) == nil)
    }

    @Test(.holds("LO-11"), .refuses("LO-11")) func `compares byte by byte`() throws {
        let logout = try #require(parsed("iss=caf%C3%A9&sid=1%00"))
        #expect(logout.ends(issuer: "caf\u{e9}", sid: "1\0"))
        #expect(!logout.ends(issuer: "cafe\u{301}", sid: "1\0") && !logout.ends(issuer: "caf\u{e9}", sid: "1"))
    }

    @Test(.holds("LO-11"), .refuses("LO-11")) func `is framed by pages of the server alone`() {
        #expect(FrontchannelLogout.frameAncestors(of: []) == "'none'")
        #expect(FrontchannelLogout.frameAncestors(of: ["x", "javascript://a/", "ftp://a/"]) == "'none'")
        #expect(
            FrontchannelLogout.frameAncestors(of: [
                "https://ID.example/api", "https://id.example/logout?x=1", "https://login.example:8443/",
                "http://[::1]:80/",
            ]) == "https://id.example https://login.example:8443 http://[::1]:80")
    }

    @Test(
        .refuses("LO-11"),
        arguments: [
            "https://a;script-src/", "https://a,b/", "https://a'b/", "https://*.example/", "https://a%20b/",
            // A host to us, and none to a policy.
            "https://a_b.example/",
        ])
    func `lets no host write the policy`(url: String) {
        #expect(FrontchannelLogout.frameAncestors(of: [url]) == "'none'")
    }
}
