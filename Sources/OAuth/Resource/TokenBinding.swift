public import Crypto
public import JSON

/// What a token's `cnf` claim binds it to (RFC 7800 §3.1): whoever sends it must show that the key is theirs.
///
/// Where both are there, both must be shown (RS-23).
public struct TokenBinding: Sendable, Equatable {
    /// `jkt`: the RFC 7638 thumbprint of the key that signs DPoP proofs (RFC 9449 §6.1).
    public let keyThumbprint: SHA256Digest?
    /// `x5t#S256`: the SHA-256 digest of the client's certificate in DER (RFC 8705 §3.1).
    public let certificateThumbprint: SHA256Digest?

    /// Bound to a key, to a certificate, to both or to neither.
    public init(keyThumbprint: SHA256Digest? = nil, certificateThumbprint: SHA256Digest? = nil) {
        self.keyThumbprint = keyThumbprint
        self.certificateThumbprint = certificateThumbprint
    }

    /// A bearer token: whoever has it may use it.
    public static let none = TokenBinding()

    /// Whether there is anything to prove.
    public var isBound: Bool { self != .none }

    /// Reads `cnf`, of a JWT or of an introspection response; its absence binds to nothing.
    ///
    /// - Throws: `.boundToKey` for anything else than `jkt` and `x5t#S256`, each 43 characters of base64url, even for
    ///   null and `{}`: whoever set it did not mean a bearer token, and we could not check what they meant (RS-22).
    public init(confirmation: JSONValue?) throws(AccessTokenRefusal) {
        guard let confirmation else {
            self = .none
            return
        }
        let key = try Self.thumbprint(confirmation["jkt"])
        let certificate = try Self.thumbprint(confirmation["x5t#S256"])
        let understood = (key == nil ? 0 : 1) + (certificate == nil ? 0 : 1)
        // `count` is 0 for whatever is no object or array; an array has no members.
        guard understood > 0, confirmation.count == understood else { throw .boundToKey }
        self.init(keyThumbprint: key, certificateThumbprint: certificate)
    }

    private static func thumbprint(_ value: JSONValue?) throws(AccessTokenRefusal) -> SHA256Digest? {
        guard let value else { return nil }
        guard let text = value.utf8, let digest = SHA256Digest(base64URL: text.span) else { throw .boundToKey }
        return digest
    }
}
