import Access
import HTTPMessage
import Login
import OAuth
import Refusals
import Sessions
import Telemetry

/// What the audit log says of requests: nothing of those that pass, and nothing of those that nobody valid made.
extension WorkerRef {
    /// A request is refused: worth a line where its token or session was valid, and the refusal is the identity's own.
    ///
    /// What upstreams, issuers and this gateway's capacity refuse is nothing that the identity did; a nonce that is asked
    /// for is a step of the protocol.
    func auditRefusal(_ exchange: ExchangeRef, _ refused: Refused, _ audit: Auditor) {
        let refusal = refused.cause
        guard let token = exchange.pointee.findings.token, refusal.blame == .client, refusal.template != .nonce,
            [400, 401, 403].contains(refusal.status)
        else { return }
        let check = refused.detail.check.isEmpty ? "\(refusal.check)" : refused.detail.check
        audit.write(
            refusal.template == .stepUp ? .stepUpAsked : .refused, of: identity(exchange, token), .requests,
            auditFields(of: exchange)
                + [
                    AuditField(.cause, "\(refusal.word)"), AuditField(.check, check),
                    AuditField(.status, isSentToLogin(exchange, refused) ? 303 : Int(refusal.status)),
                ])
    }

    /// A request without a session is refused: that it brought the cookie of one which only its limits ended is said once.
    ///
    /// `bytes` is its head.
    func auditExpiry(
        _ exchange: ExchangeRef, _ refused: Refused, _ bytes: UnsafeMutablePointer<UInt8>, _ audit: Auditor
    ) {
        guard refused.cause == .loginRequired, exchange.pointee.findings.token == nil,
            let login = loginOfRoute(exchange), let value = sessionValue(exchange, bytes),
            let expired = pointee.identities.stores[login].expired(value, now: clock.wallSeconds())
        else { return }
        let settings = pointee.policy.logins[login]
        audit.writeEnd(
            of: AuditIdentity(
                issuer: expired.issuer, subject: expired.subject, clientID: settings.idToken.clientID,
                session: expired.reference),
            auditFields(of: exchange) + [
                AuditField(.gatewayClient, settings.name), AuditField(.cause, SessionSignal(expired.limit).rawValue),
            ])
    }

    /// An authorization server gave a token for the upstream of a request.
    func auditExchange(_ exchange: ExchangeRef, rule: Int) {
        guard let audit = pointee.journal.audit, let token = exchange.pointee.findings.token else { return }
        audit.write(
            .tokenExchanged, of: identity(exchange, token), .requests,
            auditFields(of: exchange) + [AuditField(.gatewayClient, pointee.policy.exchangers[rule].client)])
    }

    private func identity(_ exchange: ExchangeRef, _ token: TokenRecord) -> AuditIdentity {
        AuditIdentity(token, issuer: issuerIdentifier(exchange, token.issuer))
    }

    /// Which request it was, from where and of which route.
    private func auditFields(of exchange: ExchangeRef) -> [AuditField] {
        var fields = [
            AuditField(.requestID, exchange.pointee.id.text), AuditField(.decisionID, exchange.decisionID.text),
            AuditField(.sourceAddress, exchange.pointee.address.text),
        ]
        if let id = proxyIDText(exchange) { fields.append(AuditField(.proxyRequestID, id)) }
        if let id = traceIDText(exchange) { fields.append(AuditField(.traceID, id)) }
        if let route = exchange.pointee.findings.route {
            fields.append(AuditField(.route, route.pointee.settings.name))
        }
        return fields
    }
}
