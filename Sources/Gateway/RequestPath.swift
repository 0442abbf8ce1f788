import Access
import HTTPMessage
import Login

/// What is to be done after the stages have looked at a head.
enum Step {
    /// Send it on, with this head, which is in the worker's scratch until then.
    case forward(HeadWriter)
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
        do throws(Refused) {
            if exchange.pointee.client.unsafelyUnwrapped.pointee.clearText != .served,
                let step = try judgeClearText(exchange, bytes)
            {
                return step
            }
            try checkConnectionOptions(bytes)
            try refuseLoop(bytes)
            if try isForServer(exchange, bytes) { return .answerOptions }
            switch try publication(exchange, bytes) {
            case .none: break
            case .login(let endpoint): return .login(endpoint)
            case .some(let document): return .publish(document)
            }
            try route(exchange, bytes)
            if let step = try judgeCrossOrigin(exchange, bytes) { return step }
            try permitMethod(exchange, bytes)
            let route = exchange.pointee.route.unsafelyUnwrapped
            try checkOrigin(route, bytes)
            try checkWebSocket(route, bytes)
            var unspent: UnspentProof?
            if !route.pointee.isPublic {
                switch try authenticate(exchange, route, bytes) {
                case .wait(let wait): return .wait(wait)
                case .anonymous: break
                case .known(let token, let proof):
                    try authorize(exchange, token, route, bytes)
                    let wait = try exchangeToken(exchange, route, token)
                    if wait != .nothing { return .wait(wait) }
                    unspent = proof
                }
            }
            let isLastHop = isLastHop(exchange, bytes)
            let head = isLastHop ? nil : try planRequest(exchange, route, bytes)
            // Last, so that a proof is spent by the one request that everything else lets through (DPOP-17): nothing
            // behind this line refuses for what was known here.
            if let unspent {
                try checkBodyAtHand(exchange, bytes, count)
                try spend(unspent)
            }
            return head.map { .forward($0) } ?? .answerOptions
        } catch {
            return .refuse(error)
        }
    }
}
