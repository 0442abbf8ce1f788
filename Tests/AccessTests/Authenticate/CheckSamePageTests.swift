import Bytes
import TestTraits
import Testing

@testable import Access

/// What a browser's request may say of the page that it comes from.
private struct Signs: Sendable {
    var method: String
    var isWebSocket: Bool
    var origins: [String]
    var fetchSites: [String]
    var hasHeader: Bool
    var isListed: Bool
    var requiresHeader: Bool

    static let own = "https://api.example"
    static let allowed = "https://app.example"
    static let foreign = "https://evil.example"

    var lines: [String] {
        ["\(method) /a HTTP/1.1", "Host: api.example"]
            + (isWebSocket
                ? [
                    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ] : [])
            + origins.map { "Origin: \($0)" } + fetchSites.map { "Sec-Fetch-Site: \($0)" }
            + (hasHeader ? ["X-Requested-By: app"] : [])
    }

    /// SC-09 and HTTP-58 in their own words, by sets of what was said.
    ///
    /// Scheme and host of an origin have no case (RFC 6454 §4).
    var isOfOurPage: Bool {
        let isOffer = isWebSocket && method == "GET"
        if requiresHeader && !isOffer { return hasHeader }
        let isSafe = ["GET", "HEAD", "OPTIONS"].contains(method)
        if isSafe && !isOffer { return true }
        let saysSame = fetchSites.count == 1 && ["same-origin", "none"].contains(fetchSites[0])
        let ours = Set([Signs.own, Signs.allowed])
        let isOurs = { (origin: String) in
            ours.contains(origin.lowercased()) || isListed && !isOffer && origin != "null"
        }
        let foreign = origins.filter { $0 == "null" ? !saysSame : !isOurs($0) }
        guard foreign.isEmpty else { return false }
        let isNamed = origins.contains { isOurs($0) }
        return isOffer ? isNamed : isNamed || saysSame || hasHeader
    }

    static let all: [Signs] = {
        var all: [Signs] = []
        let origins: [[String]] = [
            [], [own], [allowed], [foreign], ["null"], [own, foreign], [foreign, own], ["null", own], [own, own],
            ["https://api.example:443"], ["HTTPS://api.example"], [own + "/"],
        ]
        let sites: [[String]] = [
            [], ["same-origin"], ["none"], ["same-site"], ["cross-site"], ["same-origin", "cross-site"],
            ["cross-site", "same-origin"], ["same-origin", "same-origin"],
        ]
        for method in ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "PURGE"] {
            for isWebSocket in method == "GET" ? [false, true] : [false] {
                for origin in origins {
                    for site in sites {
                        for bits in 0..<8 {
                            all.append(
                                Signs(
                                    method: method, isWebSocket: isWebSocket, origins: origin, fetchSites: site,
                                    hasHeader: bits & 1 != 0, isListed: bits & 2 != 0, requiresHeader: bits & 4 != 0))
                        }
                    }
                }
            }
        }
        return all
    }()
}

@Suite struct `a request with a session's cookie` {
    @Test(.holds("SC-09", "HTTP-58"), .refuses("SC-09", "HTTP-58"))
    func `is of a page of ours, for everything that a browser may say of it`() throws {
        let rigs = try [false, true].map { requiresHeader in
            try JudgeRig(
                [
                    JudgeRig.session {
                        $0.allowedOrigins = [Signs.allowed]
                        $0.requiresHeader = requiresHeader
                    }
                ], logins: [JudgeRig.login()])
        }
        var passed = 0
        for signs in Signs.all {
            let found = rigs[signs.requiresHeader ? 1 : 0].table.index.list[0].login
            let login = try #require(found)
            let outcome = permitted(signs.lines) { head throws(Refused) in
                try head.checkSamePage(login, site: 0, isListed: signs.isListed)
            }
            switch outcome {
            case .passed:
                passed += 1
                #expect(signs.isOfOurPage, "\(signs)")
            case .refused(let cause, _):
                #expect(cause == .crossSiteRequest && !signs.isOfOurPage, "\(signs)")
            case .unreadable: #expect(Bool(false), "\(signs)")
            }
        }
        #expect(passed > 1000 && Signs.all.count - passed > 1000, "of either kind there are many")
    }

    @Test(
        .refuses("SC-09"), arguments: ["X-Requested-By: ", "x-REQUESTED-by: y", "X-Requested-Bye: y", "X-Requested: y"])
    func `has the field by its name in any case, whatever its value`(line: String) {
        let outcome = judged(["GET / HTTP/1.1", "Host: a", line]) { head throws(Refused) in
            head.hasField("x-requested-by")
        }
        #expect(outcome == .passed(line.lowercased().hasPrefix("x-requested-by:")))
    }
}
