// SPDX-License-Identifier: Apache-2.0
import HTTPMessage
import Login

/// The stages of a request's way, in order; each is a folder beside this file.
package enum Stage: String, CaseIterable, Sendable {
    /// A socket becomes a client connection.
    case accept
    /// Bytes become a checked head and a framed body.
    case parse
    /// The head finds its route, or is refused.
    case route
    /// The credentials become a verified token of its sender's, or the request waits for the authorization server.
    case authenticate
    /// The token's rights are held against the route and the method.
    case authorize
    /// The upstream's head is made: credentials gone, identity injected.
    case rewrite
    /// Head and body go to the upstream, its response comes back.
    case forward
    /// One line and the numbers.
    case log
}

/// What is to be done after the stages have looked at a head.
enum Step {
    /// Send it on.
    case forward
    /// Wait for an authorization server, then look again.
    case wait(Wait)
    /// Answer it here: `OPTIONS` for the server, or for a hop that `Max-Forwards` forbids (HTTP-16, HTTP-20).
    case answerOptions
    /// Answer a browser's preflight here, for the origin at this place of the route's list (HTTP-71).
    case answerPreflight(origin: Int?)
    /// Answer it here with a document of the gateway's own (RFC 9728).
    case publish(Publication)
    /// Have it answered where logins are.
    case login(LoginRequest.Endpoint)
    /// Refuse it.
    case refuse(Refusal)
}

extension WorkerRef {
    /// The way of one request after `Accept` and `Parse`: a line per stage, a folder per line.
    ///
    /// Runs to its end without waiting when keys are at hand, which is nearly always. `bytes` is the head.
    func run(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> Step {
        pointee.proof = nil
        do throws(Refusal) {
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
            if !route.pointee.isPublic {
                switch try authenticate(exchange, route, bytes) {
                case .wait(let wait): return .wait(wait)
                case .anonymous: break
                case .known(let token):
                    try authorize(exchange, token, route, bytes)
                    let wait = try exchangeToken(exchange, route, token)
                    if wait != .nothing { return .wait(wait) }
                }
                // Last, so that a proof is spent by the one request that everything else lets through (DPOP-17).
                try spendProof()
            }
            if isLastHop(exchange, bytes) { return .answerOptions }
            return .forward
        } catch {
            return .refuse(error)
        }
    }
}
