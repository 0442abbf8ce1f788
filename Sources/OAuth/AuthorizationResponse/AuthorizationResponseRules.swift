/// What a response to one authorization request must be.
public struct AuthorizationResponseRules: Sendable {
    /// Exactly the issuer that the browser was sent to.
    public var issuer: String
    /// The client that asked: the audience of a signed response.
    public var clientID: String
    /// `iss` may not be missing: the server says that it sends it, or several servers could be confused (CF-22, CF-23).
    public var requiresIssuer: Bool
    /// How a signed response must be signed.
    public var signature: IDTokenRules.Signature
    /// Only encrypted signed responses are taken: what the browser carries nobody reads (CF-28).
    public var mustBeEncrypted: Bool
    /// Seconds of clock difference tolerated on `exp` (0…300).
    public var leewaySeconds: Int

    /// Rules for responses of `issuer` to `clientID`.
    public init(
        issuer: String, clientID: String, requiresIssuer: Bool, signature: IDTokenRules.Signature,
        mustBeEncrypted: Bool = false, leewaySeconds: Int = 30
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.requiresIssuer = requiresIssuer
        self.signature = signature
        self.mustBeEncrypted = mustBeEncrypted
        self.leewaySeconds = leewaySeconds
    }

    /// Largest query or form read, and largest encrypted or signed response in it, in bytes.
    public static let maximumBytes = 32 * 1024
}

extension AuthorizationResponseRules {
    /// The tolerated clock difference, within its bounds.
    package var clampedLeeway: Int64 { Int64(min(max(leewaySeconds, 0), 300)) }
}
