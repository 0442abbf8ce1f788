// SPDX-License-Identifier: Apache-2.0
public import Crypto
public import JOSE
import JSON

/// Decides whether an ID token proves who logged in (OpenID Connect Core §3.1.3.7).
public enum IDToken {
    /// Seconds after `iat` during which an ID token is taken: it comes straight from the server (OIDC-07).
    public static let maximumAgeSeconds: Int64 = 600

    /// The ID token of a token response, when it is there and good for this login; `now` in seconds since 1970.
    ///
    /// - Parameters:
    ///   - keys: the keys of the issuer that the rules name; not needed for signatures with the client's secret.
    ///   - decryption: this client's keys for encrypted tokens.
    ///   - nonce: what was sent with the authorization request; nil for a refresh alone.
    ///   - accessToken: the one that came with it, for `at_hash`.
    ///   - code: the one it was redeemed with, for `c_hash`.
    ///   - demand: how the user must have been authenticated.
    public static func verify(
        _ token: Secret?, rules: IDTokenRules, keys: VerificationKeys?, decryption: [DecryptionJWK] = [],
        nonce: String?, accessToken: Secret? = nil, code: Secret? = nil, demand: AuthenticationDemand? = nil,
        now: Int64
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        guard let token else { throw .missing }
        let bytes = token.reveal()
        return try verify(
            bytes.span, rules: rules, keys: keys, decryption: decryption, nonce: nonce, accessToken: accessToken,
            code: code, demand: demand, now: now)
    }

    /// The same for bytes.
    public static func verify(
        _ token: Span<UInt8>, rules: IDTokenRules, keys: VerificationKeys?, decryption: [DecryptionJWK] = [],
        nonce: String?, accessToken: Secret? = nil, code: Secret? = nil, demand: AuthenticationDemand? = nil,
        now: Int64
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        let envelope = SignedEnvelope(idToken: rules)
        let jwt = try told { () throws(EnvelopeRefusal) in try envelope.open(token, decryption: decryption) }
        let claims = IDTokenClaims(jwt.claims)
        try claims.checkIssuer(rules)
        let hash = try told { () throws(EnvelopeRefusal) in try envelope.verify(jwt, keys: keys) }
        let verified = try claims.verify(rules, now: now)
        try claims.checkNonce(nonce)
        try claims.checkHash("at_hash", of: accessToken, by: hash)
        try claims.checkHash("c_hash", of: code, by: hash)
        if let demand { try claims.check(demand, leeway: rules.clampedLeeway, now: now) }
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

    /// What was true at login, for ID tokens of later refreshes.
    public struct Original: Sendable {
        /// `iss`.
        public var issuer: String
        /// `sub`.
        public var subject: String
        /// `auth_time`; nil where nobody remembers.
        public var authTime: Int64?
        /// `nonce`; nil where nobody remembers.
        public var nonce: String?

        /// What a session remembers.
        public init(issuer: String, subject: String, authTime: Int64? = nil, nonce: String? = nil) {
            self.issuer = issuer
            self.subject = subject
            self.authTime = authTime
            self.nonce = nonce
        }

        /// What a session remembers, and what the ID token says that was verified at login and kept in it.
        ///
        /// An encrypted one says nothing here.
        public init(issuer: String, subject: String, authTime: Int64? = nil, kept idToken: Secret?) {
            let bytes = idToken?.reveal() ?? []
            let claims = (try? UncheckedJWT.parse(bytes.span, maximumBytes: bytes.count))?.claims
            self.init(
                issuer: issuer, subject: subject,
                authTime: authTime ?? claims?["auth_time"].flatMap(NumericDate.init)?.floor,
                nonce: claims?["nonce"]?.string)
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
        if let nonce = token.nonce, let known = original.nonce, !nonce.utf8.elementsEqual(known.utf8) {
            throw .changed(claim: "nonce")
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
