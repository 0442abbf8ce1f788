package import Crypto

/// What is known of one browser's login at one client: who the user is, and the tokens that only the gateway has.
///
/// A copy counts one reference: what has memory of its own is in one place, which is shared and not written to. Prints as its
/// identifier's first digits: everything else is a secret or somebody's business.
package struct Session: Sendable {
    /// What has memory of its own.
    @usableFromInline
    struct Fields: Sendable {
        @usableFromInline var id: [UInt8]
        @usableFromInline var client: String
        @usableFromInline var issuer: String
        @usableFromInline var subject: String
        @usableFromInline var serverSession: String?
        @usableFromInline var claims: [UInt8]
        @usableFromInline var scopes: [String]
        @usableFromInline var accessToken: Secret?
        @usableFromInline var proofKey: Secret?
        @usableFromInline var refreshToken: Secret?
        @usableFromInline var idToken: Secret?
        @usableFromInline var nonceDigest: [UInt8]?
    }

    @usableFromInline
    final class SharedFields: Sendable {
        @usableFromInline let value: Fields
        /// By which stores know it: asked for several times in a request that brings it.
        @usableFromInline let idDigest: SHA256Digest

        init(_ value: Fields, idDigest: SHA256Digest) {
            self.value = value
            self.idDigest = idDigest
        }
    }

    @usableFromInline private(set) var fields: SharedFields
    /// When the user logged in, in seconds since 1970: `iat` of what revocations are compared with (LO-10).
    package var createdAt: Int64
    /// When a request was last seen, to the minute or so, in seconds since 1970 (SC-08).
    package var seenAt: Int64
    /// The end that nothing moves, in seconds since 1970.
    package var endsAt: Int64
    /// Seconds since 1970.
    package var accessTokenIssuedAt = Int64(0)
    /// Seconds since 1970; nothing is refreshed where that is `Int64.max`.
    package var accessTokenExpiresAt = Int64.max
    /// Counts the refreshes, so that the newer of two states of one session is known.
    package var generation = UInt32(0)
    /// Whether it is known whose the tokens are; nobody is served by a session of which it is not (OIDC-20).
    package var isConfirmed = true

    /// A session that was seen when it began, and that holds no token yet.
    package init(
        id: [UInt8], client: String, issuer: String, subject: String, claims: [UInt8], scopes: [String],
        createdAt: Int64, endsAt: Int64
    ) {
        self.init(
            Fields(
                id: id, client: client, issuer: issuer, subject: subject, claims: claims, scopes: scopes),
            createdAt: createdAt, endsAt: endsAt)
    }

    /// The same, whatever it holds.
    init(_ fields: Fields, createdAt: Int64, endsAt: Int64, idDigest: SHA256Digest? = nil) {
        self.fields = SharedFields(fields, idDigest: idDigest ?? SessionDigests.id(fields.id))
        self.createdAt = createdAt
        seenAt = createdAt
        self.endsAt = endsAt
    }

    private mutating func change(_ change: (inout Fields) -> Void) {
        var changed = fields.value
        change(&changed)
        fields = SharedFields(changed, idDigest: fields.idDigest)
    }
}

extension Session {
    /// Sixteen random bytes, new at every login and step-up, the same through refreshes (SC-05).
    package var id: [UInt8] {
        @inlinable get { fields.value.id }
        set {
            var changed = fields.value
            changed.id = newValue
            fields = SharedFields(changed, idDigest: SessionDigests.id(newValue))
        }
    }

    /// The digest of its identifier, by which stores know it.
    @inlinable package var idDigest: SHA256Digest { fields.idDigest }

    /// The name of the client whose login it is.
    package var client: String {
        @inlinable get { fields.value.client }
        set { change { $0.client = newValue } }
    }

    /// `iss` of the ID token.
    package var issuer: String {
        @inlinable get { fields.value.issuer }
        set { change { $0.issuer = newValue } }
    }

    /// `sub` of the ID token; with `issuer` it names the user (OIDC-13).
    package var subject: String {
        @inlinable get { fields.value.subject }
        set { change { $0.subject = newValue } }
    }

    /// `sid` of the ID token: the authorization server's own session, which logout tokens name.
    package var serverSession: String? {
        @inlinable get { fields.value.serverSession }
        set { change { $0.serverSession = newValue } }
    }

    /// A JSON object with the claims that the configuration has a use for; always `iss` and `sub`.
    package var claims: [UInt8] {
        @inlinable get { fields.value.claims }
        set { change { $0.claims = newValue } }
    }

    /// The scopes that were granted.
    package var scopes: [String] {
        @inlinable get { fields.value.scopes }
        set { change { $0.scopes = newValue } }
    }

    /// The access token, where a route or a revocation has a use for it.
    package var accessToken: Secret? {
        @inlinable get { fields.value.accessToken }
        set { change { $0.accessToken = newValue } }
    }

    /// The private number of the P-256 key that the tokens are bound to, 32 bytes; nil for Bearer tokens (RFC 9449).
    package var proofKey: Secret? {
        @inlinable get { fields.value.proofKey }
        set { change { $0.proofKey = newValue } }
    }

    package var refreshToken: Secret? {
        @inlinable get { fields.value.refreshToken }
        set { change { $0.refreshToken = newValue } }
    }

    /// Kept for `id_token_hint`, where there is room for it: signed, and never encrypted.
    package var idToken: Secret? {
        @inlinable get { fields.value.idToken }
        set { change { $0.idToken = newValue } }
    }

    /// The digest of the login's nonce, with which ID tokens of refreshes are compared (RF-07); nil where none come.
    package var nonceDigest: [UInt8]? {
        @inlinable get { fields.value.nonceDigest }
        set { change { $0.nonceDigest = newValue } }
    }
}

extension Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[session]`.
    package var description: String { "[session]" }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
