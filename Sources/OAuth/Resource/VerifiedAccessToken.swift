public import Crypto
import JOSE
public import JSON

/// An access token that its issuer signed or vouched for, that is in force and that is nobody's ID token.
///
/// Whoever accepts it must see to its `binding` first: unless that is `.none`, the token alone proves nothing. Whether it
/// is meant for a route, and allows enough there, is asked for each request. Names are compared byte by byte: `==` on
/// `String` would take canonically equivalent spellings for the same name (JOSE-29).
public struct VerifiedAccessToken: Sendable {
    /// `iss`.
    public let issuer: String
    /// `sub`.
    public let subject: String?
    /// `client_id`; in the legacy profile `azp` where that is missing.
    public let clientID: String?
    /// `jti`.
    public let tokenID: String?
    /// `aud`, at least one.
    public let audiences: [String]
    /// The words of the scope claim.
    public let scopes: [String]
    /// When it may be used.
    public let times: TokenTimes
    /// Every claim.
    public let claims: JSONValue
    /// What must be proved besides having the token (RFC 7800): refuse it, or check every part of this.
    public package(set) var binding = TokenBinding.none
    /// The `kid` of the key that signed it, as the issuer publishes it; nil when the issuer was asked instead.
    public internal(set) var keyID: String?
    /// The key that signed it, by RFC 7638; nil when the issuer was asked instead.
    public internal(set) var keyThumbprint: SHA256Digest?

    /// A token that its issuer vouched for: it signed it, or said so when asked (RFC 7662); bound to nothing.
    init(
        issuer: String, subject: String?, clientID: String?, tokenID: String?, audiences: [String], scopes: [String],
        times: TokenTimes, claims: JSONValue
    ) {
        self.issuer = issuer
        self.subject = subject
        self.clientID = clientID
        self.tokenID = tokenID
        self.audiences = audiences
        self.scopes = scopes
        self.times = times
        self.claims = claims
    }

    /// What a session says of its user, in a token's form, for whoever asks the same of both: no issuer's key has verified
    /// it, and no issuer has vouched for it.
    public static func ofSession(
        issuer: String, subject: String?, clientID: String, scopes: [String], endsAt: Int64, claims: JSONValue
    ) -> VerifiedAccessToken {
        VerifiedAccessToken(
            issuer: issuer, subject: subject, clientID: clientID, tokenID: nil, audiences: [], scopes: scopes,
            times: TokenTimes(expiresAt: endsAt, notBefore: nil, issuedAt: nil), claims: claims)
    }

    /// `exp` in whole seconds since 1970, rounded down.
    public var expiresAt: Int64 { times.expiresAt }

    /// `auth_time` in whole seconds since 1970, rounded down; nil when it is missing or no date (STEP-02).
    public var authTime: Int64? { claims["auth_time"].flatMap { NumericDate($0) }?.floor }

    /// `acr`: how well the user was authenticated; nil when it is missing or no string (STEP-01).
    public var acr: String? { claims["acr"]?.string }

    /// Whether `aud` names exactly this resource indicator (RS-13).
    public func hasAudience(_ audience: String) -> Bool {
        audiences.contains { $0.utf8.elementsEqual(audience.utf8) }
    }

    /// Whether `aud` names one of these resource indicators (RS-13).
    public func hasAudience(oneOf audiences: [String]) -> Bool {
        audiences.contains { hasAudience($0) }
    }

    /// Whether every one of these scopes was granted; case matters, nothing implies another (RS-19).
    public func grants(_ needed: [String]) -> Bool {
        needed.allSatisfy { scope in scopes.contains { $0.utf8.elementsEqual(scope.utf8) } }
    }

    /// Whether it was issued for a user, not for a client acting for itself (RS-21).
    public var isForUser: Bool {
        guard let subject else { return false }
        guard let clientID else { return true }
        return !subject.utf8.elementsEqual(clientID.utf8)
    }
}
