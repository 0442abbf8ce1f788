import Login
import OAuth
import Refusals
import Telemetry

extension LoginAudit {
    /// Writes it, as of this login.
    func write(to audit: Auditor, _ login: LoginSettings) {
        let identity = AuditIdentity(
            issuer: issuer, subject: subject, clientID: login.idToken.clientID, session: session)
        var fields = [AuditField(.gatewayClient, login.name)]
        let ofRequest = [
            (AuditFieldName.requestID, names.requestID), (.decisionID, names.decisionID),
            (.proxyRequestID, names.proxyRequestID), (.traceID, names.traceID), (.sourceAddress, peer),
        ]
        for (name, value) in ofRequest where !value.isEmpty { fields.append(AuditField(name, value)) }
        switch event {
        case .login: audit.write(.login, of: identity, .sessions, fields)
        case .stepUpMet: audit.write(.stepUpMet, of: identity, .sessions, fields)
        case .refused(let refusal):
            audit.write(
                .refused, of: identity, .sessions,
                fields + [
                    AuditField(.cause, "\(refusal.word)"), AuditField(.check, "\(refusal.check)"),
                    AuditField(.status, Int(refusal.status)),
                ])
        case .logout(let party):
            audit.write(.logout, of: identity, .sessions, fields + [AuditField(.by, party.rawValue)])
        case .ended(let signal, let check):
            fields.append(AuditField(.cause, signal.rawValue))
            if let check { fields.append(AuditField(.check, check)) }
            audit.writeEnd(of: identity, fields)
        }
    }
}
