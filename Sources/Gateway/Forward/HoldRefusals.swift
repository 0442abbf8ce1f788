import Access

/// Refusals of a client that gets more of them than anybody has a use for are answered a second later.
///
/// Who is answered 429 or 404 at once asks again at once: hundreds of connections that do so keep a worker busy, and
/// everybody else waits for their turn. Of what a route refuses only 429 is held back: a server in front of many users
/// asks for all of them over a few connections, and one user's bad tokens must not hold up the others there.
extension WorkerRef {
    /// Whether the answer waits for a while; its client reads nothing and is read nothing of until then.
    func holdsBack(_ exchange: ExchangeRef, _ refusal: Refusal) -> Bool {
        let client = exchange.pointee.client
        guard refusal.blame == .client, refusal.status == 429 || exchange.pointee.findings.route == nil,
            !refusal.closesConnection, !client.pointee.hasOutput, !pointee.listening.isDraining,
            let network = countedNetwork(exchange)
        else { return false }
        return pointee.connections.networks.take(
            network, .refusals, at: clock.microseconds(), pointee.policy.shares.refusalRate) > 0
    }

    /// Puts an exchange aside whose answer is known.
    func holdBack(_ exchange: ExchangeRef) {
        let client = exchange.pointee.client
        exchange.pointee.phase = .held
        if let loginInFlight = exchange.pointee.loginInFlight, leavePlace(loginInFlight) { giveFreePlace() }
        client.stopReading()
        setTimeout(client.timeout, Connections.refusalPause)
    }

    /// The time is over: the answer is given.
    func answerHeld(_ exchange: ExchangeRef) {
        let client = exchange.pointee.client
        exchange.pointee.phase = .awaitingResponse
        guard let refusal = exchange.pointee.refusal else { return abortClient(client) }
        if let loginInFlight = exchange.pointee.loginInFlight, let held = loginInFlight.pointee.heldAnswer {
            return answerRefusedLogin(exchange, loginInFlight, refusal, fields: held.fields, retry: held.retry)
        }
        answerRefusal(exchange, refusal)
    }
}
