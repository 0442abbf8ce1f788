import HTTPMessage
import Issuers
import OAuth
import Refusals

extension ServerRefusal {
    /// For the operator's log.
    package var words: String {
        switch self {
        case .notMade(let refusal): refusal.word
        case .notProven: "no_proof"
        case .unreachable(let refusal), .unanswered(let refusal): LookupRefusal.request(.fetch(refusal)).word
        case .nonceDemanded: "nonce_demanded"
        }
    }

    /// What a request that could not even be made comes to; `check` is the row of the endpoint that lacks.
    func failure(check: String) -> LoginFailure {
        switch self {
        case .notMade(.metadataMissing):
            LoginFailure(
                .loginServerUnavailable, check: "D-17", expected: "metadata of the server", found: "none",
                retryAfterSeconds: 5)
        case .notMade(.endpointMissing):
            LoginFailure(
                .loginServerUnsuitable, check: check, expected: "an endpoint for this request", found: "none",
                isAlarm: true)
        case .notMade(.methodNotOffered(let refusal)):
            LoginFailure(
                .loginServerUnsuitable, check: "CA-01", expected: "the configured client authentication",
                found: refusal.words, isAlarm: true)
        case .notMade, .notProven, .unreachable, .unanswered, .nonceDemanded:
            LoginFailure(
                .loginRequestNotMade, check: check, expected: "a request to the server", found: words, isAlarm: true)
        }
    }
}

extension ClientMethodRefusal {
    fileprivate var words: String {
        switch self {
        case .methodNotOffered(let name): "\(name) is not among the server's methods"
        case .algorithmNotOffered(let name): "\(name) is not among the server's algorithms for assertions"
        }
    }
}

extension ErrorResponse {
    /// The server's own words, which were made harmless when they were read.
    var words: String {
        var words = "status \(status)"
        if let code { words += ", error \(code)" }
        if let description { words += ", \"\(description)\"" }
        return words
    }
}
