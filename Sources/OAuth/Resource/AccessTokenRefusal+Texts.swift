import JOSE

extension AccessTokenRefusal {
    /// The requirement row of the check that failed.
    public var checkID: String {
        switch self {
        case .tooLarge: "JOSE-26"
        case .malformed(let cause): cause.checkID
        case .encrypted: "JOSE-22"
        case .typeNotAccepted: "RS-11"
        case .algorithmNotAllowed: "JOSE-05"
        case .unknownKey: "JOSE-17"
        case .tooManyKeys: "JOSE-15"
        case .signatureInvalid: "RS-14"
        case .issuerMismatch: "RS-12"
        case .expired: "RS-15"
        case .notYetValid, .issuedInFuture: "JOSE-28"
        case .missingClaim("exp"): "RS-15"
        case .missingClaim("aud"): "RS-13"
        case .missingClaim: "RS-16"
        case .claimMalformed("exp"), .claimMalformed("nbf"), .claimMalformed("iat"): "JOSE-27"
        case .claimMalformed("iss"), .claimMalformed("aud"): "JOSE-29"
        case .claimMalformed: "RS-16"
        case .looksLikeIDToken: "RS-18"
        case .otherPurpose: "JOSE-20"
        case .boundToKey: "RS-22"
        }
    }

    /// What the operator's log says was wanted; `rules` are those of the issuer in question, when one was found.
    public func expected(by rules: AccessTokenRules?) -> String {
        switch self {
        case .tooLarge: rules.map { "at most \($0.maximumTokenBytes) bytes" } ?? "a token within the size limit"
        case .malformed(let cause): cause.expectation
        case .encrypted: "a signed token (three segments); decryption is not configured"
        case .typeNotAccepted: "typ \(rules.map(Self.list(types:)) ?? "at+jwt")"
        case .algorithmNotAllowed:
            "alg one of \(rules.map { $0.algorithms.map(\.name).joined(separator: " ") } ?? "the issuer's list")"
        case .unknownKey: "a key of the issuer with the token's kid that fits its alg"
        case .tooManyKeys: "a kid, or at most \(VerificationKeys.maximumAttempts) keys that fit the token's alg"
        case .signatureInvalid: "a signature made by one of the issuer's keys"
        case .issuerMismatch: "iss \(rules.map { Unverified.quote($0.issuer) } ?? "of the issuer")"
        case .expired: "exp not more than \(rules?.leewaySeconds ?? 0) s ago"
        case .notYetValid: "nbf not more than \(rules?.leewaySeconds ?? 0) s ahead"
        case .issuedInFuture: "iat not more than \(rules?.leewaySeconds ?? 0) s ahead"
        case .missingClaim(let name): "claim \(name)"
        case .claimMalformed(let name): "claim \(name) of the type that its specification gives it"
        case .looksLikeIDToken: "an access token, without nonce, at_hash, c_hash or a client as audience"
        case .otherPurpose: "an access token"
        case .boundToKey: "a token without cnf, or a proof of its key"
        }
    }

    private static func list(types rules: AccessTokenRules) -> String {
        var names = ["at+jwt"]
        if rules.acceptedTypes.contains(.plainJWT) { names.append("JWT") }
        if rules.acceptedTypes.contains(.absent) { names.append("(absent)") }
        return names.joined(separator: " or ")
    }
}
