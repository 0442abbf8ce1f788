import Bytes
import Crypto
import JOSE
import JSON

/// The claims of an ID token whose signature holds, one check a function.
struct IDTokenClaims {
    private let claims: JSONValue
    private let shared: ProviderClaims

    init(_ claims: JSONValue) {
        self.claims = claims
        shared = ProviderClaims(claims)
    }

    /// Refuses another issuer than the one whose keys are asked (OIDC-02).
    func checkIssuer(_ rules: IDTokenRules) throws(IDTokenRefusal) {
        try told { () throws(ClaimRefusal) in try shared.checkIssuer(rules.issuer) }
    }

    /// The token, when audience, times and subject are right (OIDC-03, OIDC-04, OIDC-06, OIDC-07); `signed` is its text.
    func verify(_ rules: IDTokenRules, signed: [UInt8], now: Int64) throws(IDTokenRefusal) -> VerifiedIDToken {
        let audiences = try checkParties(rules)
        // A logout token is signed by the same keys for the same client (Back-Channel Logout §2.4).
        guard !shared.speaksOfLogout else { throw .claim(.otherPurpose(claim: "events")) }
        let (issuedAt, expiresAt) = try checkTimes(rules.clampedLeeway, now: now)
        guard let subject = try told({ () throws(ClaimRefusal) in try shared.subject() })
        else { throw .claim(.missing("sub")) }
        return VerifiedIDToken(
            issuer: rules.issuer, subject: subject, audiences: audiences,
            sid: try told { () throws(ClaimRefusal) in try shared.name("sid") },
            acr: claims["acr"]?.string, authTime: claims["auth_time"].flatMap(NumericDate.init)?.floor,
            nonce: claims["nonce"]?.string, expiresAt: expiresAt, issuedAt: issuedAt, signed: Secret(signed),
            claims: claims)
    }

    /// `aud` and `azp`.
    private func checkParties(_ rules: IDTokenRules) throws(IDTokenRefusal) -> [String] {
        let audiences = try told { () throws(ClaimRefusal) in try shared.audiences(rules) }
        if let value = claims["azp"] {
            guard let party = value.string else { throw .claim(.malformed("azp")) }
            guard value.equals(rules.clientID) else { throw .authorizedPartyMismatch(party) }
        } else if audiences.count > 1 {
            throw .authorizedPartyMissing
        }
        return audiences
    }

    /// `exp`, `nbf` and `iat`; fractions are rounded to the strict side.
    private func checkTimes(_ leeway: Int64, now: Int64) throws(IDTokenRefusal) -> (issuedAt: Int64, expiresAt: Int64) {
        guard let expiry = try date("exp")?.floor else { throw .claim(.missing("exp")) }
        guard let issued = try date("iat") else { throw .claim(.missing("iat")) }
        // Dates are within 2^53, so nothing overflows.
        guard now < expiry + leeway else { throw .claim(.expired(secondsAgo: now - expiry)) }
        if let notBefore = try date("nbf")?.ceiling, now < notBefore - leeway {
            throw .claim(.notYetValid(secondsLeft: notBefore - now))
        }
        guard issued.ceiling <= now + leeway else { throw .claim(.issuedInFuture(secondsLeft: issued.ceiling - now)) }
        guard now - issued.floor <= IDToken.maximumAgeSeconds
        else { throw .claim(.issuedTooEarly(secondsAgo: now - issued.floor)) }
        return (issued.ceiling, expiry)
    }

    private func date(_ name: String) throws(IDTokenRefusal) -> NumericDate? {
        try told { () throws(ClaimRefusal) in try shared.date(name) }
    }

    /// Refuses unless `nonce` is the one that was sent: a stolen code brings another login's token (OIDC-08).
    func checkNonce(_ nonce: String?) throws(IDTokenRefusal) {
        guard let nonce else { return }
        guard let value = claims["nonce"] else { throw .claim(.missing("nonce")) }
        guard let found = value.utf8 else { throw .claim(.malformed("nonce")) }
        let expected = Array(nonce.utf8)
        guard ConstantTime.equal(found.span, expected.span) else { throw .nonceMismatch }
    }

    /// Refuses a claim that is there and is not the left half of what came with the token (OIDC-10).
    func checkHash(_ name: String, of secret: Secret?, by hash: HashFunction) throws(IDTokenRefusal) {
        guard let value = claims[name] else { return }
        guard let found = value.utf8 else { throw .claim(.malformed(name)) }
        guard let secret else { return }
        let bytes = secret.reveal()
        let half = Array(hash.hash(bytes.span).prefix(hash.length / 2))
        let expected = Array(Base64URL.encode(half.span).utf8)
        guard ConstantTime.equal(found.span, expected.span) else { throw .hashMismatch(claim: name) }
    }

    /// Refuses a token of a user who was not authenticated as demanded (OIDC-09).
    func check(_ demand: AuthenticationDemand, leeway: Int64, now: Int64) throws(IDTokenRefusal) {
        if !demand.acrValues.isEmpty {
            guard let value = claims["acr"] else { throw .claim(.missing("acr")) }
            guard demand.acrValues.contains(where: { value.equals($0) })
            else { throw .authenticationContext(value.string) }
        }
        guard let maximumAge = demand.maximumAge else { return }
        guard let value = claims["auth_time"] else { throw .claim(.missing("auth_time")) }
        guard let date = NumericDate(value) else { throw .claim(.malformed("auth_time")) }
        // Otherwise a time to come would be fresh for as long as it likes.
        guard date.ceiling <= now + leeway else { throw .authenticatedInFuture(secondsLeft: date.ceiling - now) }
        let age = min(demand.askedAt ?? now, now) - date.floor
        // 0 is said by servers that do not know: however much is allowed, that is not it.
        guard date.floor > 0, age <= Int64(min(max(maximumAge, 0), 1 << 53)) + leeway
        else { throw .authenticatedTooEarly(secondsAgo: age) }
    }

    /// What `check` finds in the claims that every token of a provider has.
    private func told<Value>(
        _ check: () throws(ClaimRefusal) -> Value
    ) throws(IDTokenRefusal) -> Value {
        do throws(ClaimRefusal) {
            return try check()
        } catch {
            throw .claim(error)
        }
    }
}
