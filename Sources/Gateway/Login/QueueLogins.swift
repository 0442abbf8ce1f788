import Access
import Login

/// Requests to the paths of logins that wait until one of those under way is answered.
///
/// An office whose browsers all come back at once is more than its share for a moment: it waits for that moment, and
/// nobody is told to try again. Bounded in number, in bytes and in time, each for one client and for all. A client that has
/// none here is let in by whoever has most: without that a few clients, each with half of what the others left, would have
/// every place.
extension WorkerRef {
    /// Whether another one may wait.
    func mayQueue(_ kind: LoginKind, _ network: (UInt64, UInt64)?) -> Bool {
        let limit = Questions.loginQueueLimit - (kind == .beginning ? Questions.loginReserve : 0)
        let free = limit - pointee.questions.underWay.queued
        guard let network else { return free > 0 }
        return pointee.policy.shares.queued.hasRoom(
            held: pointee.connections.networks.count(of: network, .queued), free: free)
    }

    /// Whether a client is known and has nothing that waits: who has more than one gives way to it.
    func isNew(_ network: (UInt64, UInt64)?) -> Bool {
        network.map { pointee.connections.networks.count(of: $0, .queued) == 0 } ?? false
    }

    /// Lets a request that has come whole wait for a place, or refuses it.
    func queue(
        _ client: ClientRef, _ exchange: ExchangeRef, _ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>
    ) {
        let (kind, network) = (loginInFlight.pointee.kind, loginInFlight.pointee.network)
        guard mayQueue(kind, network) || takeQueued(kind, network) else {
            return answer(exchange, refused: refusalOfRoom(exchange, kind, network))
        }
        if let refusal = keepHead(exchange, loginInFlight) { return answer(exchange, refused: refusal) }
        countQueued(loginInFlight, isQueued: true)
        park(exchange, .loginPlace, pointee.scratch.read)
        setTimeout(client.timeout, Questions.loginQueueTimeout)
    }

    /// Takes a place from the client that has most of them, the one that came last; false where nobody has two.
    ///
    /// Logouts and the like give way to no login that begins.
    func takeQueued(_ kind: LoginKind, _ network: (UInt64, UInt64)?) -> Bool {
        guard isNew(network) else { return false }
        var most = 2
        var leaving: ExchangeRef?
        var next = pointee.waiting.first
        while let exchange = next {
            next = exchange.pointee.nextParked
            guard exchange.pointee.wait == .loginPlace, let loginInFlight = exchange.pointee.loginInFlight,
                loginInFlight.pointee.isQueued,
                kind == .upkeep || loginInFlight.pointee.kind == .beginning, let other = loginInFlight.pointee.network
            else { continue }
            let held = pointee.connections.networks.count(of: other, .queued)
            if held >= most { (most, leaving) = (held, exchange) }
        }
        guard let leaving, let loginInFlight = leaving.pointee.loginInFlight else { return false }
        countQueued(loginInFlight, isQueued: false)
        // Answered in a turn of its own: another connection is being served now.
        setTimeout(leaving.pointee.client.timeout, 0)
        return true
    }

    /// Counts what is kept of a request's head while it waits for its body or for a place; refuses what there is no memory
    /// for, and keeps nothing of it.
    func keepHead(_ exchange: ExchangeRef, _ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>) -> Refused? {
        if !loginInFlight.pointee.isHeadCounted {
            loginInFlight.pointee.isHeadCounted = true
            countBytes(loginInFlight, headBytes(of: loginInFlight.pointee.request))
        }
        guard let refusal = judgeBytes(exchange, loginInFlight) else { return nil }
        dropContent(loginInFlight)
        return refusal
    }

    /// Forgets what a request said, that is refused or asked: its answer may wait for a while.
    func dropContent(_ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>) {
        countBytes(loginInFlight, -loginInFlight.pointee.heldBytes)
        loginInFlight.pointee.request = LoginRequest(
            endpoint: loginInFlight.pointee.request.endpoint, publicURL: loginInFlight.pointee.request.publicURL)
    }

    /// What is kept of its head, any field of which may be as long as a head can be.
    private func headBytes(of request: LoginRequest) -> Int {
        let texts = [
            request.contentType, request.origin, request.fetchSite, request.fetchMode, request.fetchDestination,
        ]
        return texts.reduce(request.query.count + request.cookies.count) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// A place is free: the first of those who wait whose client has one left has it.
    func giveFreePlace() {
        guard pointee.questions.underWay.queued > 0 else { return }
        var next = pointee.waiting.first
        while let exchange = next {
            next = exchange.pointee.nextParked
            guard exchange.pointee.wait == .loginPlace, let loginInFlight = exchange.pointee.loginInFlight,
                hasRoom(loginInFlight.pointee.kind, loginInFlight.pointee.network)
            else { continue }
            unpark(exchange)
            countQueued(loginInFlight, isQueued: false)
            return ask(exchange.pointee.client, exchange, loginInFlight)
        }
    }

    /// No place was free in time, or somebody who had none has its own.
    func placeTimedOut(_ exchange: ExchangeRef) {
        unpark(exchange)
        exchange.pointee.phase = .awaitingResponse
        guard let loginInFlight = exchange.pointee.loginInFlight else {
            return abortClient(exchange.pointee.client)
        }
        guard loginInFlight.pointee.isQueued else {
            return answer(
                exchange,
                refused: Refused(
                    .clientLoginsTooMany, expected: "a place for each client that waits",
                    found: "more of \(exchange.pointee.address.text) than of anybody"))
        }
        answer(exchange, refused: refusalOfRoom(exchange, loginInFlight.pointee.kind, loginInFlight.pointee.network))
    }

    /// One more that waits, or one less.
    func countQueued(_ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>, isQueued: Bool) {
        guard loginInFlight.pointee.isQueued != isQueued else { return }
        loginInFlight.pointee.isQueued = isQueued
        pointee.questions.underWay.queued += isQueued ? 1 : -1
        count(loginInFlight.pointee.network, .queued, isQueued ? 1 : -1)
    }
}
