public import JOSE

/// The `DPoP` challenge of RFC 9449 §7.1, with RFC 9728's pointer to the resource's metadata.
///
/// `algs` is in every one: a client that learns it from the first refusal needs no second (DPOP-23).
public struct DPoPChallenge: Sendable, Equatable {
    /// What went wrong, as far as the client is told.
    public enum Problem: Sendable, Equatable {
        /// No credentials, or some of another scheme: no error is named (E-NOAUTH).
        case none
        /// A token that does not count, or a proof of another key than its own, with a constant text (E-TOKEN).
        case invalidToken(String)
        /// A token that counts but not for this: all scopes the operation needs (E-SCOPE).
        case insufficientScope([String])
        /// A request that carries credentials in no way a reader could agree on (E-REQ).
        case invalidRequest(String)
        /// The user must sign in better, more recently or both (E-STEPUP, RFC 9470 §3).
        ///
        /// `acrValues` are in order of preference, `maxAge` is in seconds; `scopes` are those that are missing too.
        case insufficientUserAuthentication(String, acrValues: [String], maxAge: Int?, scopes: [String])
        /// A proof that is missing or proves nothing, with a constant text (E-PROOF).
        case invalidProof(String)
        /// A proof without a nonce of ours that is still good; the answer's `DPoP-Nonce` has one (E-NONCE).
        case useNonce
    }

    private let realm: String
    private let algorithms: [String]
    private let scopes: [String]
    private let resourceMetadata: String?

    /// The challenge of one route; `algorithms` are those of its `DPoPRules`, `scopes` those to ask for from the start.
    public init(
        realm: String, algorithms: [SignatureAlgorithm], scopes: [String] = [], resourceMetadata: String? = nil
    ) {
        self.realm = realm
        self.algorithms = algorithms.map(\.name)
        self.scopes = scopes
        self.resourceMetadata = resourceMetadata
    }

    /// The field value: `DPoP realm=…`, then of `error`, `error_description`, `acr_values`, `max_age`, `algs`, `scope`
    /// and `resource_metadata` those that the problem has.
    public func value(_ problem: Problem = .none) -> String {
        var text = ChallengeText(scheme: "DPoP", realm: realm)
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
        case .invalidProof(let description): text.error("invalid_dpop_proof", description)
        case .useNonce: text.error("use_dpop_nonce", "Resource server requires nonce in DPoP proof")
        }
        text.algorithms(algorithms)
        text.scope(scopes)
        text.resourceMetadata(resourceMetadata)
        return text.value
    }
}
