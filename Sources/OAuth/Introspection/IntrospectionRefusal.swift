public import JOSE
public import JSON

/// Why an authorization server's answer about a token says nothing about the token (INT-05).
///
/// None of these makes a token bad: it may be good, and its bearer is told to come again.
public enum IntrospectionRefusal: Error, Sendable, Equatable {
    // The answer.

    /// 401 or 403: the server does not take this gateway for its client (RFC 7662 §2.3); an alarm.
    case credentialsRefused(status: Int)
    /// Another status than 200.
    case status(Int)
    /// More than the rules allow.
    case tooLarge(bytes: Int)
    /// Another type than the one asked for; plain JSON where a signature is required among them (INT-08).
    case contentType(String)
    /// Not strict JSON.
    case notJSON(JSONRefusal)
    /// JSON, but no object.
    case notAnObject

    // The signature around it (RFC 9701 §5).

    /// Not a signed JWT.
    case malformed(JOSERefusal)
    /// `typ` is not `token-introspection+jwt`.
    case typeNotAccepted
    /// `alg` is not on the issuer's list, as no MAC is.
    case algorithmNotAllowed
    /// None of the issuer's keys at hand has the `kid` and fits the `alg`; reading them again may help.
    case unknownKey
    /// No `kid`, and too many keys that could have signed it.
    case tooManyKeys
    /// No key of the issuer signed it.
    case signatureInvalid
    /// The issuer's keys are not at hand.
    case keysMissing
    /// `iss`, `aud`, `iat` or `token_introspection` is absent.
    case missingClaim(String)
    /// One of them has a type that its specification does not give it.
    case claimMalformed(String)
    /// `iss` is another server.
    case issuerMismatch
    /// `aud` is another resource server.
    case audienceMismatch
    /// `iat` is to come.
    case issuedInFuture(secondsLeft: Int64)
    /// `iat` is more than five minutes ago: an answer to a question of long ago.
    case issuedTooEarly(secondsAgo: Int64)

    /// The bound of JSON that an answer went beyond, where that is what is wrong with it: it will be the next time.
    public var exceededBound: String? {
        switch self {
        case .notJSON(let cause), .malformed(.claimsNotJSON(let cause)):
            switch cause {
            case .tooDeep, .tooManyMembers, .tooManyElements: cause.expectation
            default: nil
            }
        default: nil
        }
    }

    /// The word for logs and metrics.
    public var word: String {
        switch self {
        case .credentialsRefused: "client_authentication_refused"
        case .status: "status"
        case .tooLarge: "answer_too_large"
        case .contentType: "content_type"
        case .notJSON, .notAnObject: "answer_not_json"
        case .malformed: "answer_not_jwt"
        case .typeNotAccepted: "answer_type"
        case .algorithmNotAllowed: "answer_algorithm"
        case .unknownKey: "answer_key_unknown"
        case .tooManyKeys: "answer_without_kid"
        case .signatureInvalid: "answer_signature_invalid"
        case .keysMissing: "issuer_keys_missing"
        case .missingClaim, .claimMalformed: "answer_claim_invalid"
        case .issuerMismatch: "answer_issuer_mismatch"
        case .audienceMismatch: "answer_audience_mismatch"
        case .issuedInFuture, .issuedTooEarly: "answer_time"
        }
    }
}
