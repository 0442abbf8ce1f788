public import Crypto
public import JOSE

/// What an ID token must be for one client (OpenID Connect Core §3.1.3.7).
public struct IDTokenRules: Sendable {
    /// What it is signed by: by a key of the server, or with the client's secret (OIDC-05, OIDC-06).
    public enum Signature: Sendable {
        /// Exactly these algorithms.
        case algorithms([SignatureAlgorithm])
        case secret(MACAlgorithm, Secret)
    }

    /// Exactly the issuer that was discovered (OIDC-02).
    public var issuer: String
    /// Our `client_id`, which must be in `aud`.
    public var clientID: String
    /// Audiences beside ours that may be in `aud` (OIDC-03).
    public var trustedAudiences: [String]
    /// How it must be signed.
    public var signature: Signature
    /// Only encrypted ones are taken (OIDC-11).
    public var mustBeEncrypted: Bool
    /// Seconds of clock difference tolerated on `exp`, `nbf`, `iat` (0…300).
    public var leewaySeconds: Int
    /// Largest ID token read, in bytes.
    public var maximumBytes: Int

    /// The rules of one client; RS256 unless another algorithm was registered.
    public init(
        issuer: String, clientID: String, trustedAudiences: [String] = [],
        signature: Signature = .algorithms([.rs256]), mustBeEncrypted: Bool = false, leewaySeconds: Int = 30,
        maximumBytes: Int = 64 * 1024
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.trustedAudiences = trustedAudiences
        self.signature = signature
        self.mustBeEncrypted = mustBeEncrypted
        self.leewaySeconds = leewaySeconds
        self.maximumBytes = maximumBytes
    }
}
