public import JSON

/// Why an authorization server's answer has no token for the upstream, and nothing against the subject token either.
public enum ExchangeRefusal: Error, Sendable, Equatable {
    /// 401, 403 or `invalid_client`: the server does not take this gateway for its client; an alarm.
    case credentialsRefused(status: Int)
    /// An error that neither the subject token nor the target explains, such as `unauthorized_client`.
    case error(String)
    /// Another status than 200, with nothing in it to read.
    case status(Int)
    /// More than 64 KiB.
    case tooLarge(bytes: Int)
    case contentType(String)
    /// Not strict JSON.
    case notJSON(JSONRefusal)
    /// JSON, but no object.
    case notAnObject
    /// A member that RFC 8693 §2.2.1 requires is absent.
    case missingMember(String)
    /// A member has another type than its specification gives it, or the token is none.
    case memberMalformed(String)
    /// Neither an access token nor a JWT was issued.
    case issuedTypeNotAccepted
    /// `token_type` is not Bearer: `N_A`, or a kind that this gateway could not present (TX-02).
    case tokenTypeNotUsable

    /// The word for logs and metrics.
    public var word: String {
        switch self {
        case .credentialsRefused: "client_authentication_refused"
        case .error: "exchange_refused"
        case .status: "status"
        case .tooLarge: "answer_too_large"
        case .contentType: "content_type"
        case .notJSON, .notAnObject: "answer_not_json"
        case .missingMember, .memberMalformed: "answer_member_invalid"
        case .issuedTypeNotAccepted, .tokenTypeNotUsable: "issued_token_not_usable"
        }
    }
}
