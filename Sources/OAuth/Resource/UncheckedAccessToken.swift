public import JOSE
import JSON

/// An access token as it arrived: well-formed, and otherwise whatever its sender wrote.
public struct UncheckedAccessToken: Sendable {
    let jwt: UncheckedJWT

    /// Takes `token` apart, or says why it is no JWT that could be one (JOSE-01…JOSE-04, JOSE-26).
    public init(_ token: Span<UInt8>, maximumBytes: Int) throws(AccessTokenRefusal) {
        do throws(JOSERefusal) {
            jwt = try UncheckedJWT.parse(token, maximumBytes: maximumBytes)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge
            case .encrypted: throw .encrypted
            default: throw .malformed(error)
            }
        }
    }

    /// `iss`, for finding the configured issuer of exactly that name; not yet a fact.
    public var issuer: String? { jwt.unverifiedIssuer }

    /// `kid`, not yet a fact.
    public var keyID: String? { jwt.header.keyID }

    /// `alg`, not yet a fact.
    public var algorithmName: String { jwt.header.algorithmName }

    /// `typ`, not yet a fact.
    public var type: String? { jwt.header.type }

    /// Whether it says that it is bound to something (RFC 7800 §3.1), which nobody says of a bearer token.
    public var claimsConfirmation: Bool { jwt.claims["cnf"] != nil }

    /// Bytes of the token.
    public var byteCount: Int { jwt.jws.bytes.count }

    /// Everything that does not depend on a route, in the order of Requirements.md: type, algorithm, key,
    /// signature, issuer, times, required claims, `cnf`.
    ///
    /// A token that is bound to a key or a certificate comes back with its `binding`, which the caller must have
    /// proved before anything is done for whoever sent it.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `.unknownKey` when `keys` has none that fits; fetching the issuer's keys again may help.
    public func verify(
        with keys: VerificationKeys, rules: AccessTokenRules, now: Int64
    ) throws(AccessTokenRefusal) -> VerifiedAccessToken {
        guard byteCount <= rules.maximumTokenBytes else { throw .tooLarge }
        let acceptedAs = try rules.acceptedType(of: jwt.header)
        let key = try verifySignature(with: keys, rules: rules)
        // From here on the claims are the issuer's words.
        let claims = AccessTokenClaims(jwt.claims)
        guard let issuer = try claims.string("iss") else { throw .claim(.missing("iss")) }
        // Byte by byte: `==` on strings would let a canonically equivalent name through (JOSE-29).
        guard issuer.utf8.elementsEqual(rules.issuer.utf8) else { throw .issuerMismatch }
        let times = try claims.times()
        if let refusal = times.refusal(at: now, leewaySeconds: rules.leewaySeconds) { throw refusal }
        var token = try claims.token(issuer: issuer, times: times, rules: rules, key: key)
        if rules.profile == .legacy || acceptedAs != .accessTokenJWT { try claims.refuseOtherPurposes(token) }
        token.binding = try TokenBinding(confirmation: jwt.claims["cnf"])
        return token
    }

    private func verifySignature(
        with keys: VerificationKeys, rules: AccessTokenRules
    ) throws(AccessTokenRefusal) -> JWK {
        do throws(JOSERefusal) {
            return try keys.verify(jwt.jws, algorithms: rules.algorithms)
        } catch {
            switch error {
            case .algorithmNotAllowed: throw .algorithmNotAllowed
            case .unknownKey: throw .unknownKey
            case .tooManyKeys: throw .tooManyKeys
            case .signatureInvalid: throw .signatureInvalid
            default: throw .malformed(error)
            }
        }
    }
}

extension AccessTokenRules {
    /// Which of the accepted types the header has; refused when none (RS-11).
    func acceptedType(of header: JWSHeader) throws(AccessTokenRefusal) -> AcceptedType {
        if header.type == nil, acceptedTypes.contains(.absent) { return .absent }
        if header.hasType("at+jwt") { return .accessTokenJWT }
        if header.hasType("JWT"), acceptedTypes.contains(.plainJWT) { return .plainJWT }
        throw .typeNotAccepted
    }
}
