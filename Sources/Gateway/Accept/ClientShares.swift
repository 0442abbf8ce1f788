package import Issuers
import Rates

/// What one client, an IPv4 address or an IPv6 /64, may take of what all clients share (OPS-05).
package struct ClientShareSettings: Sendable, Equatable {
    /// Starts of logins a second, and as many callbacks, of all workers together.
    package var loginRate = 200
    /// So many starts at once, and so many callbacks.
    package var loginBurst = 2000
    /// Refusals a second that are answered at once, of all workers together; the others a second later.
    package var refusalRate = 500
    /// Starts and callbacks that are being answered, of all workers together.
    package var logins = 64
    /// Bytes of requests whose forms have not come whole yet, of one worker.
    package var loginBodies = 4 << 20
    /// TLS handshakes under way, of one worker.
    package var handshakes = 1000
    /// New TLS connections a second, of all workers together.
    package var handshakeRate = 200
    /// So many of them at once.
    package var handshakeBurst = 2000
    /// Connections in use to one upstream, of one worker; nil is half of `LimitSettings.upstreamConnections`.
    package var upstreamConnections: Int?
    /// Requests of one worker that wait for an authorization server; nil is half of `LimitSettings.parkedRequests`.
    package var parkedRequests: Int?
    /// Requests under way at a server about its tokens, of all workers together.
    package var lookups = 32
    /// Tokens that prove bad, of all workers together.
    package var badTokens = FailureBudget.Rate()

    /// Tokens and proofs a second that are verified in vain, of all workers together; 0 counts none.
    package var failedVerificationRate = 500

    /// Starts and callbacks that one client ever gets of one worker: as many as it leaves to others.
    package static let mostLogins = (Questions.loginLimit - Questions.loginReserve) / 2
    /// Bytes of their requests that one client ever holds of one worker, for the same reason.
    package static let mostLoginBodies = (Questions.loginBodyLimit - Questions.loginBodyReserve) / 2

    package init() {}
}

/// The same as one worker obeys it.
struct ClientShares {
    /// Of starts, and of callbacks.
    let loginRate: TokenRate
    let refusalRate: TokenRate
    let logins: ClientShare
    let loginBodies: ClientShare
    /// Of logouts and the like, which nobody has a reason to begin by hundreds; one server may tell of many at once.
    let upkeep = ClientShare(most: Questions.loginLimit / 4)
    /// Of those who wait for a place: a hundred browsers with all the connections that one opens.
    let queued = ClientShare(most: 640)
    let handshakes: Int
    let handshakeRate: TokenRate
    let failedVerificationRate: TokenRate
    let waiting: ClientShare
    /// Of the connections to one upstream.
    let upstream: ClientShare

    init(_ limits: LimitSettings, workers: Int) {
        let settings = limits.shares
        loginRate = TokenRate(perSecond: settings.loginRate, burst: settings.loginBurst, parts: workers)
        refusalRate = TokenRate(perSecond: settings.refusalRate, burst: settings.refusalRate, parts: workers)
        // A browser's few connections may all be one worker's.
        logins = ClientShare(most: max(min(8, settings.logins), settings.logins / max(workers, 1)))
        loginBodies = ClientShare(most: settings.loginBodies)
        handshakes = settings.handshakes
        handshakeRate = TokenRate(
            perSecond: settings.handshakeRate, burst: settings.handshakeBurst, parts: workers)
        failedVerificationRate =
            settings.failedVerificationRate > 0
            ? TokenRate(
                perSecond: settings.failedVerificationRate, burst: settings.failedVerificationRate, parts: workers)
            : .unbounded
        waiting = ClientShare(most: settings.parkedRequests ?? max(1, limits.parkedRequests / 2))
        upstream = ClientShare(most: settings.upstreamConnections ?? max(1, limits.upstreamConnections / 2))
    }
}

/// How much of something that all share one client may hold.
struct ClientShare {
    /// Whatever others do.
    let most: Int

    /// Whether a client that holds so much may have more, while so much is left for all.
    ///
    /// No client gets more than what it would leave to the next one, and what is given back goes to whoever holds least:
    /// the last one free to somebody who has none. Halves of halves come to an end, though: a dozen clients that take all
    /// they can hold every one of 384. Where somebody who has nothing must get in all the same, whoever has most gives way
    /// (`takeQueued`).
    func hasRoom(held: Int, free: Int) -> Bool { held < min(most, free) }

    /// Whether it is what the client holds itself that leaves it no room: neither others nor a server are blamed for that.
    func isOwnDoing(held: Int, free: Int) -> Bool { held > 0 && (free > 0 || held >= most) }
}
