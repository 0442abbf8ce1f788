public import JOSE
import JSON

/// What an issuer says about the end of its own session, sent by itself and not by a browser (LO-06).
public struct LogoutToken: Sendable, Equatable {
    /// `iss`: exactly the configured issuer.
    public let issuer: String
    /// `sub`; at least one of `subject` and `sid` is there.
    public let subject: String?
    /// `sid`: only this session of the issuer's ended; nil: every one of the user's.
    public let sid: String?
    /// `jti`, for remembering that it was used (LO-08).
    public let tokenID: String
    /// `iat`, in seconds since 1970.
    public let issuedAt: Int64
    /// The first second since 1970 at which the token is refused for its age, allowances for clocks included: until
    /// then `tokenID` is to be remembered.
    public let usableUntil: Int64

    /// The member of `events` that makes a JWT a logout token.
    package static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Seconds after `iat` for which a logout token is good, whatever its `exp` (LO-07).
    public static let longestLifetimeSeconds: Int64 = 300

    /// Largest request body read, in bytes.
    static let maximumBodyBytes = 128 * 1024

    /// The bytes of `logout_token` in the body of a POST; other parameters are ignored (LO-05).
    public static func find(in body: [UInt8], contentType: String?) throws(LogoutTokenRefusal) -> [UInt8] {
        guard let contentType, MediaType.named(contentType, "application/x-www-form-urlencoded")
        else { throw .contentType(contentType) }
        guard body.count <= maximumBodyBytes else { throw .formMalformed }
        let token: [UInt8]?
        do throws(LogoutForm.Problem) {
            token = try LogoutForm.value(of: "logout_token", in: body.span)
        } catch {
            throw .formMalformed
        }
        guard let token, !token.isEmpty else { throw .missing }
        return token
    }

    /// What the token says, when every check holds; `now` in seconds since 1970.
    ///
    /// Whether `tokenID` was seen before is the caller's to know (LO-08).
    public static func verify(
        _ token: Span<UInt8>, rules: LogoutTokenRules, keys: VerificationKeys?, decryption: [DecryptionJWK] = [],
        now: Int64
    ) throws(LogoutTokenRefusal) -> LogoutToken {
        let claims = try signedClaims(token, rules, keys: keys, decryption: decryption)
        let shared = ProviderClaims(claims)
        try told { () throws(ClaimRefusal) in _ = try shared.audiences(rules.idToken) }
        // Present at all, whatever its value: no ID token passes for a logout token (§2.4).
        guard claims["nonce"] == nil else { throw .hasNonce }
        guard claims["events"]?[Self.event]?.kind == .object else { throw .noLogoutEvent }
        let times = try checkTimes(shared, rules, now: now)
        return try told { () throws(ClaimRefusal) in
            guard let tokenID = try shared.name("jti") else { throw .missing("jti") }
            let subject = try shared.subject()
            let sid = try shared.name("sid")
            guard subject != nil || sid != nil else { throw .missing("sub") }
            return LogoutToken(
                issuer: rules.idToken.issuer, subject: subject, sid: sid, tokenID: tokenID, issuedAt: times.issuedAt,
                usableUntil: times.usableUntil)
        }
    }

    /// The claims, when they are this issuer's: that is asked first, so that others cost nobody a fetch (LO-12).
    private static func signedClaims(
        _ token: Span<UInt8>, _ rules: LogoutTokenRules, keys: VerificationKeys?, decryption: [DecryptionJWK]
    ) throws(LogoutTokenRefusal) -> JSONValue {
        let envelope = SignedEnvelope(logoutToken: rules)
        let jwt: UncheckedJWT
        do throws(EnvelopeRefusal) {
            jwt = try envelope.open(token, decryption: decryption)
        } catch {
            throw .envelope(error)
        }
        try told { () throws(ClaimRefusal) in
            try ProviderClaims(jwt.claims).checkIssuer(rules.idToken.issuer)
        }
        do throws(EnvelopeRefusal) {
            _ = try envelope.verify(jwt, keys: keys)
        } catch {
            throw .envelope(error)
        }
        return jwt.claims
    }

    /// `exp` and `iat`: a token kept from long ago must not end today's sessions, whatever it says of its own life.
    private static func checkTimes(
        _ claims: ProviderClaims, _ rules: LogoutTokenRules, now: Int64
    ) throws(LogoutTokenRefusal) -> (issuedAt: Int64, usableUntil: Int64) {
        let (expiry, issued) = try told { () throws(ClaimRefusal) in
            let expiry = try claims.date("exp")
            guard expiry != nil || rules.acceptsWithoutExpiry else { throw .missing("exp") }
            guard let issued = try claims.date("iat") else { throw .missing("iat") }
            return (expiry?.floor, issued)
        }
        let leeway = rules.idToken.clampedLeeway
        guard issued.ceiling <= now + leeway else { throw .claim(.issuedInFuture(secondsLeft: issued.ceiling - now)) }
        let end = min(
            expiry ?? issued.floor + Self.lifetimeWithoutExpirySeconds, issued.floor + Self.longestLifetimeSeconds)
        guard now < end + leeway else { throw .claim(.expired(secondsAgo: now - end)) }
        return (issued.ceiling, end + leeway)
    }

    /// What `check` finds in the claims that every token of a provider has.
    private static func told<Value>(
        _ check: () throws(ClaimRefusal) -> Value
    ) throws(LogoutTokenRefusal) -> Value {
        do throws(ClaimRefusal) {
            return try check()
        } catch {
            throw .claim(error)
        }
    }

    /// Seconds after `iat` for which a token without `exp` is good, as §4 of the specification has it.
    private static let lifetimeWithoutExpirySeconds: Int64 = 120
}

extension SignedEnvelope {
    /// `typ` says what the token is, or nothing (decision D-16).
    init(logoutToken rules: LogoutTokenRules) {
        self.init(
            signature: rules.idToken.signature, mustBeEncrypted: false, maximumBytes: rules.idToken.maximumBytes,
            types: rules.requiresType ? ["logout+jwt"] : ["logout+jwt", "JWT"], mayLackType: !rules.requiresType)
    }
}
