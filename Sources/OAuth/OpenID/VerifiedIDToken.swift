public import Crypto
public import JSON

/// An ID token that passed every check: its issuer says who logged in, to this client, just now.
///
/// Prints as its issuer alone: everything else is somebody's business.
public struct VerifiedIDToken: Sendable {
    /// `iss`: exactly the configured issuer.
    public let issuer: String
    /// `sub`: 1 to 255 printable ASCII characters; with `issuer`, and never alone, it names the user (OIDC-13).
    public let subject: String
    /// `aud`, this client among them.
    public let audiences: [String]
    /// `sid`: the issuer's own session, which logout tokens name.
    public let sid: String?
    /// `acr`, where it is a string.
    public let acr: String?
    /// `auth_time`, in seconds since 1970, where it is a number; 0 from servers that do not know.
    public let authTime: Int64?
    /// `nonce`.
    public let nonce: String?
    /// `exp`, in seconds since 1970, fractions cut off.
    public let expiresAt: Int64
    /// `iat`, in seconds since 1970, fractions rounded up.
    public let issuedAt: Int64
    /// The signed token, out of its encryption where it had one: what `id_token_hint` is (OpenID Connect Core §3.1.2.1).
    public let signed: Secret
    /// Every claim.
    public let claims: JSONValue
}

extension VerifiedIDToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[ID token of https://issuer.example]`.
    public var description: String { "[ID token of \(issuer)]" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
