/// Every `event` that a line of the audit log can be of; `Audit.md` explains each to whoever reads them.
package enum AuditEvent: String, Sendable, CaseIterable {
    /// A user signed in and has a session.
    case login
    /// Somebody ended sessions: their user, or the authorization server.
    case logout
    /// A session is over; the line says by which signal.
    case sessionEnded = "session_ended"
    /// A request with a valid token or session was refused.
    case refused
    /// A valid token or session was asked for a stronger or fresher authentication.
    case stepUpAsked = "step_up_asked"
    /// A user came back with the authentication that was asked for.
    case stepUpMet = "step_up_met"
    /// An authorization server gave a token for an upstream in exchange for the caller's.
    case tokenExchanged = "token_exchanged"
    /// A configuration is served by.
    case configurationApplied = "configuration_applied"
    /// A configuration that was read again is not served by.
    case configurationRefused = "configuration_refused"
    /// A key or certificate is another one than before.
    case keyRotated = "key_rotated"
    /// Somebody looked at the explanation of a request.
    case adminAsked = "admin_asked"
    /// Lines were left out; the line says whose and how many.
    case leftOut = "left_out"
}

/// Every member that a line of the audit log can have beside `time`, `event` and `event_id`, in the order of a line.
package enum AuditFieldName: String, Sendable, CaseIterable {
    case requestID = "request_id"
    case proxyRequestID = "proxy_request_id"
    case decisionID = "decision_id"
    case traceID = "trace_id"
    case sourceAddress = "source_address"
    case issuer
    case subject
    case clientID = "client_id"
    case tokenIDHash = "jti_hash"
    case session
    case gatewayClient = "gateway_client"
    case route
    case by
    case cause
    case check
    case status
    case generation
    case digest
    case key
    case name
    case count
}

/// One member of a line of the audit log.
package struct AuditField: Sendable {
    package let name: AuditFieldName
    package let value: LogField.Value

    /// A text, escaped and cut when written.
    package init(_ name: AuditFieldName, _ text: String) {
        self.name = name
        value = .text(text)
    }

    /// A whole number.
    package init(_ name: AuditFieldName, _ number: Int) {
        self.name = name
        value = .number(Int64(number))
    }
}
