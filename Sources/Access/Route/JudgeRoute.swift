import Bytes
import HTTPMessage

/// Where a request is meant to go, before anybody asks who makes it.
extension AccessPolicy {
    /// What becomes of a request in the clear: whether it is sent to https; false for the one kind that is served, an
    /// ACME server's question to a public route.
    borrowing func isRedirected(_ head: HeadView, _ arrival: borrowing Arrival) throws(Refused) -> Bool {
        let expected: Refused.Words = "https, as in \(publicURLs[arrival.listener])"
        switch arrival.clearText {
        case .served: return false
        case .atTLS: throw Refused(.plainHTTP, expected: expected, found: "plain HTTP to a port of TLS")
        case .redirected:
            if head.isACMEChallenge, let route = routes.match(head.path), route.pointee.isPublic,
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
        _ head: HeadView, _ arrival: borrowing Arrival, _ memory: inout [UInt8]
    ) throws(Refused) -> FixedValue<Route> {
        try checkAuthority(head, arrival)
        return routes.list.value(at: try routes.paths.pointee.route(head.path, memory: &memory))
    }

    /// Host must be one of the listener's, and agree with SNI (HTTP-21, HTTP-75).
    borrowing func checkAuthority(_ head: HeadView, _ arrival: borrowing Arrival) throws(Refused) {
        try head.checkAuthority(authorities[arrival.listener])
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
