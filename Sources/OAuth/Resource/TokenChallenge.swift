public import JOSE

/// The challenge of a protected resource, by the scheme `Bearer` (RFC 6750 §3) or `DPoP` (RFC 9449 §7.1), with RFC 9728's
/// pointer to the resource's metadata.
///
/// `realm` is always there: a bare `Bearer` is not a challenge by RFC 6750 (decision D-2). So is `algs` in every one of
/// `DPoP`: a client that learns it from the first refusal needs no second (DPOP-23).
public struct TokenChallenge: Sendable, Equatable {
    /// How the client is to present its token.
    public enum Scheme: Sendable, Equatable {
        /// As it is.
        case bearer
        /// With a proof, signed by one of the algorithms of the route's `DPoPRules`.
        case dpop(algorithms: [SignatureAlgorithm])
    }

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

    private let scheme: Scheme
    private let realm: String
    private let scopes: [String]
    private let resourceMetadata: String?

    /// The challenge of one route; `scopes` are those to ask for from the start.
    public init(_ scheme: Scheme, realm: String, scopes: [String] = [], resourceMetadata: String? = nil) {
        self.scheme = scheme
        self.realm = realm
        self.scopes = scopes
        self.resourceMetadata = resourceMetadata
    }

    /// The field value: the scheme and `realm=…`, then of `error`, `error_description`, `acr_values`, `max_age`, `algs`,
    /// `scope` and `resource_metadata` those that the problem and the scheme have.
    ///
    /// `Bearer` knows no proofs: what is wrong with one is not said there.
    public func value(_ problem: Problem = .none) -> String {
        var text = ChallengeText(scheme: name, realm: realm)
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
        case .invalidProof(let description):
            if scheme != .bearer { text.error("invalid_dpop_proof", description) }
        case .useNonce:
            if scheme != .bearer {
                text.error("use_dpop_nonce", "Resource server requires nonce in DPoP proof")
            }
        }
        if case .dpop(let algorithms) = scheme { text.algorithms(algorithms.map(\.name)) }
        text.scope(scopes)
        text.resourceMetadata(resourceMetadata)
        return text.value
    }

    private var name: String {
        switch scheme {
        case .bearer: "Bearer"
        case .dpop: "DPoP"
        }
    }
}
