import Access
import HTTPMessage
import Login

/// What is to be done after the stages have looked at a head.
enum Step {
    /// Send it on by its route, with this head, which is in the worker's scratch until then.
    case forward(HeadWriter, by: UnsafePointer<Route>)
    /// Wait for an authorization server, then look again.
    case wait(Wait)
    /// Answer it here: `OPTIONS` for the server, or for a hop that `Max-Forwards` forbids (HTTP-16, HTTP-20).
    case answerOptions
    /// Answer a browser's preflight here, for the origin at this place of the route's list (HTTP-71).
    case answerPreflight(origin: Int?)
    /// Answer it here: the same address is to be asked for over https.
    case redirectToHTTPS
    /// Answer it here with a document of the gateway's own (RFC 9728).
    case publish(Publication)
    /// Have it answered where logins are.
    case login(LoginRequest.Endpoint)
    /// Refuse it.
    case refuse(Refused)
}

extension WorkerRef {
    /// The way of one request after `Accept` and `Parse`: a line per stage, a folder per line.
    ///
    /// Runs to its end without waiting when keys are at hand, which is nearly always. `bytes` is the head, and what came
    /// behind it: `count` in all.
    func run(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Step {
        let heads = UnsafeBufferPointer(start: UnsafePointer(pointee.scratch.head), count: 1)
        let message = UnsafeBufferPointer(start: UnsafePointer(bytes), count: count)
        let head = HeadView(heads.span, message.span)
        let client = exchange.pointee.client
        do throws(Refused) {
            if client.pointee.clearText != .served, let step = try judgeClearText(head, client) { return step }
            try head.checkConnectionOptions(pointee.policy.routes.reservedNames.pointee)
            try checkLoop(head)
            if try head.isForServer() { return .answerOptions }
            switch try publication(head, client) {
            case .none: break
            case .login(let endpoint): return .login(endpoint)
            case .some(let document): return .publish(document)
            }
            let route = try route(head, client)
            exchange.pointee.route = route
            switch try judgeCrossOrigin(head, exchange, route) {
            case .none: break
            case .answered(let origin): return .answerPreflight(origin: origin)
            case .forwarded: return try forwardPreflight(head, exchange, route, bytes)
            }
            exchange.pointee.methodRow = route.pointee.token.row(of: head.methodID, named: head.method)
            try permitMethod(head, route)
            try head.checkOrigin(route.pointee.origins)
            try checkWebSocket(head, route)
            var unspent: UnspentProof?
            if !route.pointee.isPublic {
                switch try authenticate(head, exchange, route, bytes) {
                case .wait(let wait): return .wait(wait)
                case .anonymous: break
                case .known(let token, let proof):
                    try authorize(head, exchange, token, route, bytes)
                    let wait = try exchangeToken(exchange, route, token)
                    if wait != .nothing {
                        exchange.pointee.proved = proof
                        return .wait(wait)
                    }
                    unspent = proof
                }
            }
            let plan = head.isLastHop ? nil : try planRequest(exchange, route, bytes)
            // Last, so that a proof is spent by the one request that everything else lets through (DPOP-17): nothing
            // behind this line refuses for what was known here.
            if let unspent {
                try checkBodyAtHand(exchange, bytes, count)
                try spend(unspent)
            }
            return plan.map { .forward($0, by: route) } ?? .answerOptions
        } catch {
            return .refuse(error)
        }
    }

    /// A browser's own question goes to the upstream without anybody's identity and credentials.
    private func forwardPreflight(
        _ head: HeadView, _ exchange: ExchangeRef, _ route: UnsafePointer<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> Step {
        exchange.pointee.isPreflight = true
        return head.isLastHop ? .answerOptions : .forward(try planRequest(exchange, route, bytes), by: route)
    }

    /// Refuses a request that went through this gateway before.
    private func checkLoop(_ head: HeadView) throws(Refused) {
        let pseudonym = pointee.policy.via.pseudonym.buffer
        try head.checkLoop(pseudonym.span)
    }
}
