import Access
import Telemetry
import Transport

/// What requests tell of the servers that they went to, and whose server is whose.
extension WorkerRef {
    /// Whose requests of this upstream stay at one server: a session, or the subject of tokens.
    func user(of exchange: ExchangeRef?, at pool: UnsafeMutablePointer<UpstreamPool>) -> UInt64 {
        user(of: exchange?.pointee.findings.token, at: pool)
    }

    /// The same of a request whose token this is.
    func user(of token: TokenRecord?, at pool: UnsafeMutablePointer<UpstreamPool>) -> UInt64 {
        guard pool.pointee.settings.pool.sticky == .session, let token else { return UpstreamAddresses.nobody }
        if let session = token.session { return session.reference }
        // Tokens without a subject are not all one user's.
        return token.subjectDigest == Self.ofNoSubject ? UpstreamAddresses.nobody : token.subjectDigest
    }

    /// The beginning of SHA-256 of nothing.
    private static var ofNoSubject: UInt64 { 0xe3b0_c442_98fc_1c14 }

    /// The request counts at its server from now on.
    func occupy(_ upstream: UpstreamRef) {
        guard upstream.pointee.pool.pointee.addresses.countsRequests, !upstream.pointee.isAtServer else { return }
        upstream.pointee.isAtServer = upstream.pointee.pool.pointee.addresses.began(upstream.pointee.address)
        if upstream.pointee.isAtServer, upstream.pointee.isPending {
            upstream.pointee.pool.pointee.pendingAtServer += 1
        }
    }

    /// It does not count there any more.
    func vacate(_ upstream: UpstreamRef) {
        guard upstream.pointee.isAtServer else { return }
        upstream.pointee.isAtServer = false
        if upstream.pointee.isPending { upstream.pointee.pool.pointee.pendingAtServer -= 1 }
        upstream.pointee.pool.pointee.addresses.ended(upstream.pointee.address)
    }

    /// A server has failed a request.
    func serverFailed(_ upstream: UpstreamRef, _ found: StaticString) {
        let pool = upstream.pointee.pool
        guard pool.pointee.addresses.isSeveral else { return }
        let identity = upstream.pointee.address
        guard let time = pool.pointee.addresses.judge(identity, isWell: false, now: clock.microseconds()) else {
            return
        }
        say(
            .serverEjected, at: pool,
            serverFields(identity, pool) + [
                LogField(
                    .found, "\(pool.pointee.settings.pool.ejection.failures) failures in a row, the last: \(found)"),
                LogField(.seconds, Int(time / 1_000_000)),
            ])
    }

    /// A server has answered a request.
    func serverAnswered(_ upstream: UpstreamRef, status: UInt16, at now: UInt64) {
        let pool = upstream.pointee.pool
        guard pool.pointee.addresses.isSeveral else { return }
        switch status {
        case 502: serverFailed(upstream, "502")
        case 503: serverFailed(upstream, "503")
        case 504: serverFailed(upstream, "504")
        case _: _ = pool.pointee.addresses.judge(upstream.pointee.address, isWell: true, now: now)
        }
    }

    /// Tells the operator once that no server of an upstream is well, so that all are used.
    func tellPanic(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        guard pool.pointee.addresses.takePanic() else { return }
        say(
            .allServersOut, at: pool,
            [LogField(.upstream, name(of: pool)), LogField(.found, "no server that is well: all are used")])
    }

    /// Which server of which upstream.
    func serverFields(_ identity: UInt64, _ pool: UnsafeMutablePointer<UpstreamPool>) -> [LogField] {
        let address = pool.pointee.addresses.server(of: identity)?.address.address.description
        return [LogField(.upstream, name(of: pool)), LogField(.address, address ?? "one that has gone")]
    }
}
