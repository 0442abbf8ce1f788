public import HTTPMessage
public import JOSE
public import JSON

/// What the userinfo endpoint says about a user, beside the ID token (OpenID Connect Core §5.3).
public enum UserInfo {
    /// Largest answer read, in bytes: a user with thousands of groups, as introspection has it.
    public static let maximumBytes = 256 * 1024

    /// The claims of an answer about `subject`, the ID token's; `now` in seconds since 1970.
    ///
    /// A plain answer is believed because of whom it came from; one that is `application/jwt` is verified as an ID
    /// token is, by `rules` and the keys of the issuer they name.
    public static func read(
        _ response: FetchResponse, subject: String, rules: IDTokenRules, keys: VerificationKeys?,
        decryption: [DecryptionJWK] = [], now: Int64
    ) throws(UserInfoRefusal) -> JSONValue {
        guard response.status == 200 else { throw .status(response.status) }
        guard response.body.count <= maximumBytes else { throw .tooLarge }
        let contentType = response.contentType ?? ""
        let claims: JSONValue
        if MediaType.named(contentType, "application/jwt") {
            claims = try verify(response.body, rules: rules, keys: keys, decryption: decryption, now: now)
        } else {
            guard MediaType.isJSON(contentType) else { throw .contentType(contentType) }
            claims = try parse(response.body)
        }
        // A server that mixes two users up, or a token put in another's place (OpenID Connect Core §16.11).
        guard let value = claims["sub"] else { throw .claim(.missing("sub")) }
        guard value.kind == .string else { throw .claim(.malformed("sub")) }
        guard value.equals(subject) else { throw .subjectMismatch }
        return claims
    }

    private static func parse(_ body: [UInt8]) throws(UserInfoRefusal) -> JSONValue {
        let claims: JSONValue
        do throws(JSONRefusal) {
            claims = try JSONValue.parse(body.span, limits: .filled(to: maximumBytes))
        } catch {
            throw .notJSON(error)
        }
        guard claims.kind == .object else { throw .notAnObject }
        return claims
    }

    private static func verify(
        _ body: [UInt8], rules: IDTokenRules, keys: VerificationKeys?, decryption: [DecryptionJWK], now: Int64
    ) throws(UserInfoRefusal) -> JSONValue {
        let envelope = SignedEnvelope(userInfo: rules)
        let claims: JSONValue
        do throws(EnvelopeRefusal) {
            let jwt = try envelope.open(body.span, decryption: decryption)
            _ = try envelope.verify(jwt, keys: keys)
            claims = jwt.claims
        } catch {
            throw .envelope(error)
        }
        let expiry: Int64?
        do throws(ClaimRefusal) {
            let shared = ProviderClaims(claims)
            try shared.checkIssuer(rules.issuer)
            _ = try shared.audiences(rules)
            // Not a member that userinfo must have; one that has ended is not about today's user.
            expiry = try shared.date("exp")?.floor
        } catch {
            throw .claim(error)
        }
        if let expiry, now >= expiry + rules.clampedLeeway { throw .claim(.expired(secondsAgo: now - expiry)) }
        return claims
    }
}

extension SignedEnvelope {
    /// Encryption of userinfo is agreed on apart from that of ID tokens, and the connection is the server's own.
    init(userInfo rules: IDTokenRules) {
        self.init(
            signature: rules.signature, mustBeEncrypted: false, maximumBytes: UserInfo.maximumBytes, types: ["JWT"],
            mayLackType: true, limits: .filled(to: UserInfo.maximumBytes))
    }
}
