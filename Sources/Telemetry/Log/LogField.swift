/// Every member that an operator log line can have beside `time`, `level` and `event`.
package enum LogFieldName: String, Sendable, CaseIterable {
    case address
    case blame
    case cause
    case check
    case client
    case command
    case count
    case decisionID = "decision_id"
    case detail
    case errorNumber = "error_number"
    case expected
    case found
    case issuer
    case listener
    case loginClient = "login_client"
    case milliseconds
    case outcome
    case proxyRequestID = "proxy_request_id"
    case reason
    case requestID = "request_id"
    case route
    case seconds
    case session
    case setting
    case status
    case stream
    case subjectDigest = "sub_digest"
    case suppressed
    case traceID = "trace_id"
    case upstream
    case url
    case user
    case version
    case workers
}

/// One member of an operator log line.
package struct LogField: Sendable {
    /// What a member can hold.
    package enum Value: Sendable {
        case text(String)
        case number(Int64)
    }

    package var name: LogFieldName
    package var value: Value

    package init(_ name: LogFieldName, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// A text, escaped and cut when written.
    package init(_ name: LogFieldName, _ text: String) {
        self.init(name, .text(text))
    }

    /// A whole number.
    package init(_ name: LogFieldName, _ number: Int) {
        self.init(name, .number(Int64(number)))
    }
}
