public import JOSE

/// How one authorization server's answers about tokens are judged (RFC 7662, RFC 9701).
///
/// An answer is either signed or it is not; which of the two is fixed, so that nobody on the way can choose the one
/// that is easier to forge.
public struct IntrospectionRules: Sendable {
    /// What form an answer must have.
    public enum Form: Sendable, Equatable {
        /// A JSON object; TLS alone says whose it is.
        case plain
        /// A JWT signed with the issuer's keys and addressed to this audience (RFC 9701 §5).
        case signed(audience: String)
    }

    /// The issuer identifier, compared byte for byte where the answer has one.
    public var issuer: String
    /// The form of the answer.
    public var form: Form
    /// Algorithms a signed answer may be signed by.
    public var algorithms: [SignatureAlgorithm]
    /// Seconds of clock difference tolerated on `exp`, `nbf`, `iat` (0…300).
    public var leewaySeconds: Int
    /// The member that holds the granted scopes.
    public var scopeClaim: String
    /// Largest answer read, in bytes.
    public var maximumBytes: Int
    /// Longest time an answer that a token is active is believed, in seconds (INT-06).
    public var positiveSeconds: Int

    /// The rules of an issuer's own access tokens, applied to what it says about others.
    public init(
        _ rules: AccessTokenRules, form: Form = .plain, positiveSeconds: Int = 30,
        maximumBytes: Int = IntrospectionRequest.maximumBytes
    ) {
        issuer = rules.issuer
        algorithms = rules.algorithms
        leewaySeconds = rules.leewaySeconds
        scopeClaim = rules.scopeClaim
        self.form = form
        self.positiveSeconds = positiveSeconds
        self.maximumBytes = maximumBytes
    }

    /// `positiveSeconds` within 0…300: longer, and a revoked token would be honoured for longer (RFC 7662 §4).
    var believedSeconds: Int64 { Int64(min(max(positiveSeconds, 0), 300)) }
}
