import HTTPMessage
import OAuth
import Refusals

/// What a token request that brought no tokens comes to (CA-15, CA-16).
enum TokenFailure {
    static func failure(_ refusal: ServerRefusal) -> LoginFailure {
        switch refusal {
        case .notMade, .notProven: refusal.failure(check: "CF-30")
        case .nonceDemanded:
            LoginFailure(
                .loginNonceDemanded, check: "DPOP-41", expected: "a nonce once", found: "a demand for another one",
                retryAfterSeconds: 5)
        case .unreachable(.tooManyOfClient): .tooManyOfClient
        case .unreachable, .unanswered:
            LoginFailure(
                .loginTokenUnavailable, check: "CA-16", expected: "an answer of the token endpoint",
                found: refusal.words,
                retryAfterSeconds: 5)
        }
    }

    static func failure(_ refusal: TokenResponseRefusal, isProven: Bool) -> LoginFailure {
        switch refusal {
        case .refused(let error): failure(error)
        case .tokenTypeWrong:
            LoginFailure(
                .loginTokenTypeWrong, check: "DPOP-42", expected: wanted(isProven), found: refusal.found, isAlarm: true)
        case .status, .tooLarge, .contentType, .notJSON, .notAnObject, .missingMember, .memberMalformed:
            LoginFailure(
                .loginTokenAnswerInvalid, check: "CF-31", expected: "a token response (RFC 6749 section 5.1)",
                found: refusal.found, isAlarm: true)
        }
    }

    /// The kind of token that was asked for, with a proof or without one.
    static func wanted(_ isProven: Bool) -> String { "token_type " + (isProven ? "DPoP" : "Bearer") }

    private static func failure(_ error: TokenError) -> LoginFailure {
        let found = error.response.words
        switch error.meaning {
        case .clientRefused:
            return LoginFailure(.loginClientRefused, check: "CA-15", expected: "tokens", found: found, isAlarm: true)
        case .grantRefused:
            return LoginFailure(.loginCodeRefused, check: "CA-15", expected: "tokens", found: found)
        case .requestRefused:
            // invalid_target and its like are about what is configured, and no person who tries again can mend that.
            return LoginFailure(
                .loginServerUnsuitable, check: "CA-15", expected: "tokens for the configured scopes and resource",
                found: found, isAlarm: true)
        case .unavailable:
            return LoginFailure(
                .loginTokenUnavailable, check: "CA-15", expected: "tokens", found: found,
                retryAfterSeconds: error.retryAfterSeconds ?? 5)
        case .nonceDemanded:
            return LoginFailure(
                .loginNonceDemanded, check: "DPOP-41", expected: "tokens", found: found, retryAfterSeconds: 5)
        }
    }
}
