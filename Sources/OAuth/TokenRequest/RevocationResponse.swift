public import HTTPMessage

/// What came of revoking a token (RFC 7009 §2.2; RV-01).
public enum RevocationResponse: Sendable, Equatable {
    /// The token is worth nothing any more, or never was.
    case done
    /// The server cannot revoke this kind of token: it ends by itself.
    case unsupported
    /// The token still counts: to be asked again, after this many seconds where the server says so.
    case again(afterSeconds: Int?)
    /// The same with a proof that has this nonce.
    case nonceDemanded(String)
    /// Asking again would get the same answer; where it is the client that is refused, an alarm.
    case refused(TokenError)

    /// What `response` says; a body is read only where the server says no.
    public static func read(_ response: FetchResponse) -> RevocationResponse {
        // RFC 7009 §2.2 has 200; a server that answers 204 has done it too.
        if (200...299).contains(response.status) { return .done }
        let error = TokenError(response)
        if error.response.status == 400, error.response.code == "unsupported_token_type" { return .unsupported }
        switch error.meaning {
        case .unavailable: return .again(afterSeconds: error.retryAfterSeconds)
        case .nonceDemanded(let nonce): return .nonceDemanded(nonce)
        // A token that the server calls invalid is one that it takes from nobody; without a word it is anything.
        case .grantRefused where error.response.code != nil: return .done
        case .grantRefused, .clientRefused, .requestRefused: return .refused(error)
        }
    }
}
