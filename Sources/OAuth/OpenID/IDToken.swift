public import Crypto
public import JOSE
import JSON

/// Decides whether an ID token proves who logged in (OpenID Connect Core §3.1.3.7).
public enum IDToken {
    /// Seconds after `iat` during which an ID token is taken: it comes straight from the server (OIDC-07).
    public static let maximumAgeSeconds: Int64 = 600

    /// The login that an ID token has to be of.
    public struct Login: Sendable {
        /// What was sent with the authorization request; nil for a refresh alone.
        public var nonce: String?
        /// The access token that came with it, for `at_hash`.
        public var accessToken: Secret?
        /// The code it was redeemed with, for `c_hash`.
        public var code: Secret?
        /// How the user must have been authenticated.
        public var demand: AuthenticationDemand?

        /// A login with this nonce, and as much more as is known of it.
        public init(
            nonce: String?, accessToken: Secret? = nil, code: Secret? = nil, demand: AuthenticationDemand? = nil
        ) {
            self.nonce = nonce
            self.accessToken = accessToken
            self.code = code
            self.demand = demand
        }
    }

    /// The ID token of a token response, when it is there and good for this login; `now` in seconds since 1970.
    ///
    /// - Parameters:
    ///   - keys: the keys of the issuer that the rules name; not needed for signatures with the client's secret.
    ///   - decryption: this client's keys for encrypted tokens.
    public static func verify(
        _ token: Secret?, of login: Login, rules: IDTokenRules, keys: VerificationKeys?,
        decryption: [DecryptionJWK] = [], now: Int64
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        guard let token else { throw .missing }
        let bytes = token.reveal()
        return try verify(bytes.span, of: login, rules: rules, keys: keys, decryption: decryption, now: now)
    }

    /// The same for bytes.
    public static func verify(
        _ token: Span<UInt8>, of login: Login, rules: IDTokenRules, keys: VerificationKeys?,
        decryption: [DecryptionJWK] = [], now: Int64
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        let envelope = SignedEnvelope(idToken: rules)
        let jwt = try told { () throws(EnvelopeRefusal) in try envelope.open(token, decryption: decryption) }
        let claims = IDTokenClaims(jwt.claims)
        try claims.checkIssuer(rules)
        let hash = try told { () throws(EnvelopeRefusal) in try envelope.verify(jwt, keys: keys) }
        let verified = try claims.verify(rules, signed: jwt.jws.bytes, now: now)
        try claims.checkNonce(login.nonce)
        try claims.checkHash("at_hash", of: login.accessToken, by: hash)
        try claims.checkHash("c_hash", of: login.code, by: hash)
        if let demand = login.demand { try claims.check(demand, leeway: rules.clampedLeeway, now: now) }
        return verified
    }

    private static func told<Value>(
        _ check: () throws(EnvelopeRefusal) -> Value
    ) throws(IDTokenRefusal) -> Value {
        do throws(EnvelopeRefusal) {
            return try check()
        } catch {
            throw .envelope(error)
        }
    }

    /// `token` as a server takes it for `id_token_hint`: signed, and not encrypted (RP-Initiated Logout §2).
    ///
    /// It was verified at login. Nil for an encrypted one that none of the keys opens any more.
    public static func hint(_ token: Secret, decryption: [DecryptionJWK]) -> Secret? {
        let bytes = token.reveal()
        guard CompactJWE.isJWE(bytes.span) else { return token }
        let opened = try? CompactJWE.decrypt(bytes.span, with: decryption, maximumBytes: bytes.count).signedToken()
        return opened.map { Secret($0) }
    }

    /// What was true at login, for ID tokens of later refreshes.
    public struct Original: Sendable {
        /// `iss`.
        public var issuer: String
        /// `sub`.
        public var subject: String
        /// `auth_time`; nil where nobody remembers.
        public var authTime: Int64?
        /// The digest of `nonce`; nil where nobody remembers.
        public var nonce: [UInt8]?

        /// What a session remembers.
        public init(issuer: String, subject: String, authTime: Int64? = nil, nonce: [UInt8]? = nil) {
            self.issuer = issuer
            self.subject = subject
            self.authTime = authTime
            self.nonce = nonce
        }

        /// What a session keeps of a nonce: half of its SHA-256, which nobody finds another nonce for.
        public static func nonceDigest(_ nonce: String) -> [UInt8] {
            Array(HashFunction.sha256.hash(nonce.utf8Span.span).prefix(16))
        }
    }

    /// Refuses an ID token of a refresh that speaks of another login than the session's (RF-07).
    ///
    /// It was verified before, without a nonce; its `aud` was checked then.
    public static func checkRefreshed(
        _ token: VerifiedIDToken, against original: Original
    ) throws(IDTokenRefusal) {
        guard token.issuer.utf8.elementsEqual(original.issuer.utf8) else { throw .changed(claim: "iss") }
        guard token.subject.utf8.elementsEqual(original.subject.utf8) else { throw .changed(claim: "sub") }
        if let authTime = token.authTime, let known = original.authTime, authTime != known {
            throw .changed(claim: "auth_time")
        }
        // OpenID Connect Core §12.2: the same as at login, or none.
        if let nonce = token.nonce, let known = original.nonce {
            let found = Original.nonceDigest(nonce)
            guard ConstantTime.equal(found.span, known.span) else { throw .changed(claim: "nonce") }
        }
    }
}

extension SignedEnvelope {
    /// ID tokens have no `typ` of their own; many servers write `JWT`.
    init(idToken rules: IDTokenRules) {
        self.init(
            signature: rules.signature, mustBeEncrypted: rules.mustBeEncrypted, maximumBytes: rules.maximumBytes,
            types: ["JWT"], mayLackType: true)
    }
}
