import Bytes
public import JSON

/// What a resource server says about an access token that it has checked, to a service behind it that verifies it.
///
/// A JWT of its own kind: short-lived, for one audience, and never good for more than the token it tells of.
public struct IdentityAssertion: Sendable, Hashable {
    /// Whose identity is asserted, as an accepted access token has it.
    public struct Identity: Sendable {
        /// Who issued the token.
        public var tokenIssuer: String
        /// `sub` of the token.
        public var subject: String?
        /// The client that the token was issued to.
        public var clientID: String?
        /// The scopes that were granted.
        public var scopes: [String]
        /// Every claim of the token.
        public var claims: JSONValue
        /// Unix seconds: from then on the token is refused, allowances for clocks included.
        public var usableUntil: Int64

        /// An identity of these parts.
        public init(
            tokenIssuer: String, subject: String?, clientID: String?, scopes: [String], claims: JSONValue,
            usableUntil: Int64
        ) {
            self.tokenIssuer = tokenIssuer
            self.subject = subject
            self.clientID = clientID
            self.scopes = scopes
            self.claims = claims
            self.usableUntil = usableUntil
        }
    }

    /// Claims to be signed, and their end.
    public struct Claims: Sendable, Equatable {
        /// The JSON text.
        public let bytes: [UInt8]
        /// `exp`, in seconds since 1970.
        public let expiresAt: Int64
    }

    /// `iss`: who asserts.
    public var issuer: String
    /// `aud`: the one that is to believe it.
    public var audience: String
    /// Seconds from `iat` to `exp`, unless the token ends sooner.
    public var lifetimeSeconds: Int
    /// Names of the token's claims that are repeated as they are; those of `ownClaims` never are.
    public var repeatedClaims: [String]

    /// Assertions by `issuer` for `audience`.
    public init(issuer: String, audience: String, lifetimeSeconds: Int = 60, repeatedClaims: [String] = []) {
        self.issuer = issuer
        self.audience = audience
        self.lifetimeSeconds = lifetimeSeconds
        self.repeatedClaims = repeatedClaims
    }

    /// Claims that the assertion makes itself, or that would be untrue of it.
    ///
    /// A repeated `aud` or `exp` would make it good for others and for longer; `cnf` binds the token, not this.
    public static let ownClaims = [
        "iss", "aud", "exp", "nbf", "iat", "jti", "sub", "sub_id", "client_id", "scope", "cnf",
    ]

    /// The claims for `identity` at `now`; nil when the token has ended, or for less than 16 bytes of `randomness`.
    ///
    /// Two issuers may call two people by one `sub`: `sub_id` says whose it is (RFC 9493 §3.2.3).
    public func claims(for identity: Identity, now: Int64, randomness: [UInt8]) -> Claims? {
        let expiresAt = min(now + Int64(lifetimeSeconds), identity.usableUntil)
        guard expiresAt > now, randomness.count >= 16 else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", issuer)
        writer.member("aud", audience)
        writer.member("iat", now)
        writer.member("exp", expiresAt)
        writer.member("jti", Base64URL.encode(randomness.span))
        if let subject = identity.subject {
            writer.member("sub", subject)
            writer.name("sub_id")
            writer.beginObject()
            writer.member("format", "iss_sub")
            writer.member("iss", identity.tokenIssuer)
            writer.member("sub", subject)
            writer.endObject()
        }
        if let clientID = identity.clientID { writer.member("client_id", clientID) }
        if !identity.scopes.isEmpty { writer.member("scope", identity.scopes.joined(separator: " ")) }
        repeatClaims(of: identity, in: &writer)
        writer.endObject()
        return Claims(bytes: writer.bytes, expiresAt: expiresAt)
    }

    private func repeatClaims(of identity: Identity, in writer: inout JSONWriter) {
        // No name is written twice: readers differ in which of two members they take.
        var written = Set(Self.ownClaims.map { Array($0.utf8) })
        for name in repeatedClaims where written.insert(Array(name.utf8)).inserted {
            guard let value = identity.claims[name] else { continue }
            writer.name(name)
            writer.value(value)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    fileprivate mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }
}
