import Bytes
import HTTPMessage

/// Where a request is meant to go, before anybody asks who makes it.
extension AccessPolicy {
    /// What becomes of a request in the clear: whether it is sent to https; false for the one kind that is served, an
    /// ACME server's question to a public route.
    borrowing func isRedirected(
        _ head: HeadView, _ arrival: borrowing Arrival, _ findings: inout Findings
    ) throws(Refused) -> Bool {
        if hasHosts {
            // A client that called the port of plain HTTP says so in Host, and means the same site.
            var site = hosts[arrival.listener].site(of: head.authority)
            if site == nil, arrival.clearText == .redirected { site = hosts[arrival.listener].site(ofName: head.host) }
            if let site { findings.site = UInt16(clamping: site) }
        }
        let expected: Refused.Words = "https, as in \(publicURLs[Int(findings.site)])"
        switch arrival.clearText {
        case .served: return false
        case .atTLS: throw Refused(.plainHTTP, expected: expected, found: "plain HTTP to a port of TLS")
        case .redirected:
            if head.isACMEChallenge, let route = routes.match(head.path, inTable: table(of: findings.site)),
                route.pointee.isPublic,
                route.pointee.settings.path.hasPrefix(HeadView.acmeChallenges)
            {
                return false
            }
            try head.checkRedirect(expected: expected)
            return true
        }
    }

    /// Checks the authority and the path, and finds the one route they lead to.
    borrowing func route(
        _ head: HeadView, _ arrival: borrowing Arrival, _ memory: inout [UInt8], _ findings: inout Findings
    ) throws(Refused) -> FixedValue<Route> {
        try findSite(head, arrival, &findings)
        let number = try routes.tables[table(of: findings.site)].route(head.path, memory: &memory)
        let route = routes.list.value(at: number)
        guard route.pointee.isChosen else { return route }
        return try routes.choose(head, from: route)
    }

    /// The place of the site that a request is for; nil where it was judged before a reload, among other sites.
    package borrowing func site(of findings: borrowing Findings) -> Int? {
        findings.siteSet == siteSet ? Int(findings.site) : nil
    }

    /// Where the paths of a site are: of a listener those of routes without a host.
    borrowing func table(of site: UInt16) -> Int { max(0, Int(site) &- listenerCount &+ 1) }

    /// Which site Host means: it must be one that the listener serves, and agree with SNI (HTTP-21, HTTP-75, ECO-67).
    borrowing func findSite(
        _ head: HeadView, _ arrival: borrowing Arrival, _ findings: inout Findings
    ) throws(Refused) {
        if hasHosts, !head.authority.isEmpty {
            guard let site = hosts[arrival.listener].site(of: head.authority) else {
                throw Refused(
                    .authorityUnknown, expected: "an authority of this listener, or a host that routes name",
                    found: .text(String(copying: head.authority.extracting(first: 128))))
            }
            findings.site = UInt16(clamping: site)
        } else {
            try head.checkAuthority(authorities[arrival.listener])
        }
        guard arrival.connection.serverNameAgrees(with: head.host) else {
            throw Refused(
                .serverNameDisagrees, expected: "the name of the TLS handshake",
                found: .text(String(copying: head.host)))
        }
    }

    /// What a page elsewhere may do, and what its browser's own question gets (HTTP-71, HTTP-72).
    borrowing func crossOrigin(
        _ head: HeadView, _ route: FixedValue<Route>, _ findings: inout Findings
    ) throws(Refused) -> CrossOrigin.Preflight {
        findings.corsLines = route.pointee.cors.refusedLines
        // Nearly every request: what is lent below would be counted.
        guard head.count(of: .origin) > 0 else { return .none }
        let found = try head.crossOrigin(route.pointee.cors, route.pointee.origins, route.pointee.methodNames)
        findings.corsLines = found.lines
        findings.isOfListedOrigin = found.isOfListedOrigin
        findings.isPreflight = found.preflight == .forwarded
        return found.preflight
    }
}

extension HeadView {
    /// Refuses a method that the route does not let through.
    func permitMethod(_ route: FixedValue<Route>) throws(Refused) {
        // Nearly every method has a bit; the whole list, lent to somebody, would be counted.
        let isKnown = route.pointee.methodNames.known >> UInt16(methodID.rawValue) & 1 == 1
        if isKnown, methodID != .other { return }
        try checkMethod(route.pointee.methodNames)
    }

    /// Where the needs of this call are, on a route that names methods of gRPC; refuses a call of any other (H2-90).
    func permitCall(_ route: FixedValue<Route>) throws(Refused) -> UInt16 {
        guard let row = route.pointee.token.rights.row(ofCall: path) else {
            throw Refused(
                .grpcMethodNotAllowed, expected: "a method that token.scopes names",
                found: .text(String(copying: path.extracting(first: 64))))
        }
        return row
    }

    /// Refuses an offer of a WebSocket that is none, where WebSockets are let through; false where one is offered and the
    /// route lets none through.
    func checkWebSocket(for route: FixedValue<Route>) throws(Refused) -> Bool {
        guard offersWebSocket else { return true }
        guard route.pointee.webSocket else { return false }
        try checkWebSocket()
        return true
    }
}
