public import JOSE

/// What one issuer's self-contained access tokens must look like before anything in them is believed.
///
/// RFC 9068 §4 is the default; each relaxation is per issuer and named for what it lets through.
public struct AccessTokenRules: Sendable {
    /// Which claims must be present (RS-16).
    public enum Profile: Sendable, Equatable {
        /// RFC 9068 §2.2: `iss exp aud sub client_id iat jti`.
        case rfc9068
        /// Servers older than RFC 9068: `iss exp aud`; tokens that look like ID tokens are refused (RS-18).
        case legacy
    }

    /// The `typ` header values accepted (RS-11).
    ///
    /// `at+jwt` is always accepted; the others are opt-in and never widen to another explicit type.
    public enum AcceptedType: Sendable, Equatable, CaseIterable {
        /// `at+jwt` or `application/at+jwt`.
        case accessTokenJWT
        /// `JWT`, for servers that do not set RFC 9068's type.
        case plainJWT
        /// No `typ` at all.
        case absent
    }

    /// The issuer identifier, compared byte for byte (RFC 8414 §4, JOSE-29).
    public var issuer: String
    /// Algorithms this issuer may sign access tokens with (JOSE-05).
    public var algorithms: [SignatureAlgorithm]
    /// Accepted `typ` values.
    public var acceptedTypes: [AcceptedType]
    /// Required claims.
    public var profile: Profile
    /// Seconds of clock difference tolerated on `exp`, `nbf`, `iat` (0…300).
    public var leewaySeconds: Int
    /// The claim that holds the granted scopes: `scope` (a space-delimited string) or for example `scp` (an array or string).
    public var scopeClaim: String
    /// Largest token accepted, in bytes, before any decoding (JOSE-26).
    public var maximumTokenBytes: Int

    /// Rules with RFC 9068's defaults for `issuer`.
    public init(
        issuer: String,
        algorithms: [SignatureAlgorithm] = SignatureAlgorithm.allCases,
        acceptedTypes: [AcceptedType] = [.accessTokenJWT],
        profile: Profile = .rfc9068,
        leewaySeconds: Int = 30,
        scopeClaim: String = "scope",
        maximumTokenBytes: Int = 16 * 1024
    ) {
        self.issuer = issuer
        self.algorithms = algorithms
        self.acceptedTypes = acceptedTypes
        self.profile = profile
        self.leewaySeconds = leewaySeconds
        self.scopeClaim = scopeClaim
        self.maximumTokenBytes = maximumTokenBytes
    }
}
