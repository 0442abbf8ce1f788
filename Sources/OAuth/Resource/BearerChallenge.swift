/// The `Bearer` challenge of RFC 6750 §3, with RFC 9728's pointer to the resource's metadata.
///
/// `realm` is always there: a bare `Bearer` is not a challenge by RFC 6750 (decision D-2).
public struct BearerChallenge: Sendable, Equatable {
    /// What went wrong, as far as the client is told.
    public enum Problem: Sendable, Equatable {
        /// No credentials: no error is named (E-NOAUTH).
        case none
        /// A token that does not count, with a constant text (E-TOKEN).
        case invalidToken(String)
        /// A token that counts but not for this: all scopes the operation needs (E-SCOPE).
        case insufficientScope([String])
        /// A request that carries credentials in no way a reader could agree on (E-REQ).
        case invalidRequest(String)
        /// The user must sign in better, more recently or both (E-STEPUP, RFC 9470 §3).
        ///
        /// `acrValues` are in order of preference, `maxAge` is in seconds; `scopes` are those that are missing too.
        case insufficientUserAuthentication(String, acrValues: [String], maxAge: Int?, scopes: [String])
    }

    private let realm: String
    private let scopes: [String]
    private let resourceMetadata: String?

    /// The challenge of one route; `scopes` are those to ask for from the start.
    public init(realm: String, scopes: [String] = [], resourceMetadata: String? = nil) {
        self.realm = realm
        self.scopes = scopes
        self.resourceMetadata = resourceMetadata
    }

    /// The field value: `Bearer realm=…`, then of `error`, `error_description`, `acr_values`, `max_age`, `scope` and
    /// `resource_metadata` those that the problem has.
    public func value(_ problem: Problem = .none) -> String {
        var text = ChallengeText(scheme: "Bearer", realm: realm)
        var scopes = scopes
        switch problem {
        case .none: break
        case .invalidToken(let description): text.error("invalid_token", description)
        case .invalidRequest(let description): text.error("invalid_request", description)
        case .insufficientScope(let needed):
            text.error("insufficient_scope")
            scopes = needed
        case .insufficientUserAuthentication(let description, let acrValues, let maxAge, let missing):
            text.error("insufficient_user_authentication", description)
            text.authentication(acrValues: acrValues, maxAge: maxAge)
            scopes = missing
        }
        text.scope(scopes)
        text.resourceMetadata(resourceMetadata)
        return text.value
    }
}
