import JOSE
package import OAuth

extension AccessTokenRefusal {
    /// The refusal that answers it.
    package var refusal: Refusal { row.refusal }

    /// The requirement row of the check that failed.
    package var check: String { row.check }

    private var row: (refusal: Refusal, check: String) {
        switch self {
        case .tooLarge: (.tokenTooLarge, "JOSE-26")
        case .malformed(let cause): (.tokenMalformed, cause.check)
        case .encrypted: (.tokenEncrypted, "JOSE-22")
        case .typeNotAccepted: (.tokenTypeNotAccepted, "RS-11")
        case .algorithmNotAllowed: (.tokenAlgorithmNotAllowed, "JOSE-05")
        case .unknownKey: (.tokenKeyUnknown, "JOSE-17")
        case .tooManyKeys: (.tokenKeyAmbiguous, "JOSE-15")
        case .signatureInvalid: (.tokenSignatureInvalid, "RS-14")
        case .issuerMismatch: (.tokenIssuerNotAccepted, "RS-12")
        case .claim(.expired): (.tokenExpired, "RS-15")
        case .claim(.notYetValid): (.tokenNotYetValid, "JOSE-28")
        case .claim(.issuedInFuture): (.tokenIssuedInFuture, "JOSE-28")
        case .claim(.missing("exp")): (.tokenClaimMissing, "RS-15")
        case .claim(.missing("aud")): (.tokenClaimMissing, "RS-13")
        case .claim(.missing): (.tokenClaimMissing, "RS-16")
        case .claim(.malformed("exp")), .claim(.malformed("nbf")), .claim(.malformed("iat")):
            (.tokenClaimMalformed, "JOSE-27")
        case .claim(.malformed("iss")), .claim(.malformed("aud")): (.tokenClaimMalformed, "JOSE-29")
        case .claim(.otherPurpose): (.tokenOfOtherPurpose, "JOSE-20")
        case .claim: (.tokenClaimMalformed, "RS-16")
        case .looksLikeIDToken: (.tokenLooksLikeIDToken, "RS-18")
        case .boundToKey: (.tokenBoundToKey, "RS-22")
        }
    }

    /// What the operator's log says was wanted; `rules` are those of the issuer in question, when one was found.
    package func expected(by rules: AccessTokenRules?) -> String {
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
        case .claim(let cause):
            cause.expected(
                by: ClaimRefusal.Rules(leewaySeconds: Int64(rules?.leewaySeconds ?? 0), kind: "an access token"))
        case .looksLikeIDToken: "an access token, without nonce, at_hash, c_hash or a client as audience"
        case .boundToKey: "a token without cnf, or a proof of its key"
        }
    }

    private static func list(types rules: AccessTokenRules) -> String {
        var names = ["at+jwt"]
        if rules.acceptedTypes.contains(.plainJWT) { names.append("JWT") }
        if rules.acceptedTypes.contains(.absent) { names.append("(absent)") }
        return names.joined(separator: " or ")
    }

    /// What the operator's log says was there instead; never a claim about the user, never the token.
    ///
    /// Before the signature holds, words of the token are quoted as unverified (JOSE-33).
    package func found(in token: UncheckedAccessToken?) -> String {
        switch self {
        case .tooLarge: token.map { "\($0.byteCount) bytes" } ?? "more"
        case .malformed(let cause): cause.found
        case .encrypted: "five segments"
        case .issuerMismatch: "iss \(Unverified.quote(token?.issuer))"
        case .typeNotAccepted: "typ \(Unverified.quote(token?.type))"
        case .algorithmNotAllowed: "alg \(Unverified.quote(token?.algorithmName))"
        case .unknownKey, .tooManyKeys, .signatureInvalid:
            "alg \(Unverified.quote(token?.algorithmName)) kid \(Unverified.quote(token?.keyID))"
        case .claim(let cause): cause.found
        case .looksLikeIDToken: "claims of an ID token"
        case .boundToKey: "cnf, and no proof"
        }
    }
}
