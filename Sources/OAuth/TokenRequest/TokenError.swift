public import HTTPMessage

/// An authorization server's "no" to a code, a refresh token or a revocation (RFC 6749 §5.2; CA-15).
///
/// Servers differ in status and code, and some say nothing: what is decided here holds for all of them.
public struct TokenError: Error, Sendable, Equatable {
    /// What to do about it.
    public enum Meaning: Sendable, Equatable {
        /// The code or the refresh token is not accepted, or no more: the user signs in again.
        case grantRefused
        /// The server does not take us for the client: an alarm, and nothing that the user could do.
        case clientRefused
        /// Something else in the request, such as a resource: the configuration is wrong on either side.
        case requestRefused
        /// The server cannot answer now; the same may be asked again, a code excepted.
        case unavailable
        /// The same with a proof that has this nonce, once (RFC 9449 §8; DPOP-41).
        case nonceDemanded(String)
    }

    /// What to do about it.
    public let meaning: Meaning
    /// The answer, for the operator's log.
    public let response: ErrorResponse
    /// Seconds until the server wants to be asked again, where it says so.
    public let retryAfterSeconds: Int?

    /// Reads an answer that is no success.
    public init(_ response: FetchResponse) {
        let answer = ErrorResponse(response)
        self.response = answer
        retryAfterSeconds = response.retryAfterSeconds
        meaning = Self.meaning(of: answer, isEmpty: response.body.isEmpty, nonce: response.dpopNonce)
    }

    /// Words for a server that cannot answer now.
    private static let busy: [String?] = ["temporarily_unavailable", "server_error"]

    private static func meaning(of answer: ErrorResponse, isEmpty: Bool, nonce: String?) -> Meaning {
        let isClientError = (400...499).contains(answer.status)
        // RFC 9449 §8 has 400, other servers 401 or 403.
        if isClientError, answer.code == "use_dpop_nonce" {
            // Without the nonce there is nothing to do better.
            return nonce.map { .nonceDemanded($0) } ?? .unavailable
        }
        switch answer.meaning {
        case .grantRefused: return .grantRefused
        case .clientRefused: return .clientRefused
        // An error that came as a success, which is read from servers of that custom alone: only its word counts (CF-35).
        case .serverUnavailable where answer.status == 200 && !busy.contains(answer.code): return .requestRefused
        case .serverUnavailable: return .unavailable
        case .targetRefused: return .requestRefused
        case .requestRefused:
            // A server that refuses a grant without a word does it with an empty 400. A page comes from something in
            // between, and ends nobody's session (RF-06).
            return answer.status == 400 && isEmpty ? .grantRefused : .requestRefused
        }
    }
}
