// SPDX-License-Identifier: Apache-2.0
import JOSE

extension AccessTokenRefusal {
    /// The requirement row of the check that failed.
    public var checkID: String {
        switch self {
        case .tooLarge: "JOSE-26"
        case .malformed(let cause): cause.checkID
        case .encrypted: "JOSE-22"
        case .issuerUnknown: "JOSE-21"
        case .typeNotAccepted: "RS-11"
        case .algorithmNotAllowed: "JOSE-05"
        case .unknownKey: "JOSE-17"
        case .tooManyKeys: "JOSE-15"
        case .signatureInvalid: "RS-14"
        case .issuerMismatch, .issuerNotAllowed: "RS-12"
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
        case .audienceMismatch: "RS-13"
        }
    }

    /// The word in log lines and metric labels.
    public var logWord: String {
        switch self {
        case .tooLarge: "token_too_large"
        case .malformed: "token_malformed"
        case .encrypted: "token_encrypted"
        case .issuerUnknown: "token_issuer_unknown"
        case .typeNotAccepted: "token_type_not_accepted"
        case .algorithmNotAllowed: "token_algorithm_not_allowed"
        case .unknownKey: "token_key_unknown"
        case .tooManyKeys: "token_key_ambiguous"
        case .signatureInvalid: "token_signature_invalid"
        case .issuerMismatch: "token_issuer_mismatch"
        case .issuerNotAllowed: "token_issuer_not_allowed"
        case .expired: "token_expired"
        case .notYetValid: "token_not_yet_valid"
        case .issuedInFuture: "token_issued_in_future"
        case .missingClaim: "token_claim_missing"
        case .claimMalformed: "token_claim_malformed"
        case .looksLikeIDToken: "token_is_id_token"
        case .otherPurpose: "token_of_other_purpose"
        case .boundToKey: "token_bound_to_key"
        case .audienceMismatch: "token_audience_mismatch"
        }
    }

    /// What the client is told: one constant a cause, within RFC 6750 §3's characters, nothing of the token in it.
    ///
    /// Whether a key is known is not told apart from a bad signature: a client cannot mend either.
    public var clientDescription: String {
        switch self {
        case .tooLarge: "The access token is too large"
        case .malformed: "The access token is malformed"
        case .encrypted: "The access token is encrypted"
        case .typeNotAccepted, .looksLikeIDToken, .otherPurpose: "The token is not an access token"
        case .algorithmNotAllowed: "The access token is signed with an algorithm that is not accepted"
        case .unknownKey, .tooManyKeys, .signatureInvalid: "The access token signature is invalid"
        case .issuerUnknown, .issuerMismatch, .issuerNotAllowed: "The access token issuer is not accepted"
        case .expired: "The access token expired"
        case .notYetValid: "The access token is not valid yet"
        case .issuedInFuture: "The access token was issued in the future"
        case .missingClaim: "The access token lacks a required claim"
        case .claimMalformed: "The access token has a malformed claim"
        case .boundToKey: "The access token is bound to a key and is not a bearer token"
        case .audienceMismatch: "The access token is not meant for this resource"
        }
    }

    /// What the operator's log says was wanted; `rules` are those of the issuer in question, when one was found.
    public func expected(by rules: AccessTokenRules?) -> String {
        switch self {
        case .tooLarge: rules.map { "at most \($0.maximumTokenBytes) bytes" } ?? "a token within the size limit"
        case .malformed(let cause): cause.expectation
        case .encrypted: "a signed token (three segments); decryption is not configured"
        case .issuerUnknown: "the exact name of a configured issuer"
        case .typeNotAccepted: "typ \(rules.map(Self.list(types:)) ?? "at+jwt")"
        case .algorithmNotAllowed:
            "alg one of \(rules.map { $0.algorithms.map(\.name).joined(separator: " ") } ?? "the issuer's list")"
        case .unknownKey: "a key of the issuer with the token's kid that fits its alg"
        case .tooManyKeys: "a kid, or at most \(VerificationKeys.maximumAttempts) keys that fit the token's alg"
        case .signatureInvalid: "a signature made by one of the issuer's keys"
        case .issuerMismatch: "iss \(rules.map { Unverified.quote($0.issuer) } ?? "of the issuer")"
        case .issuerNotAllowed: "an issuer that the route accepts"
        case .expired: "exp not more than \(rules?.leewaySeconds ?? 0) s ago"
        case .notYetValid: "nbf not more than \(rules?.leewaySeconds ?? 0) s ahead"
        case .issuedInFuture: "iat not more than \(rules?.leewaySeconds ?? 0) s ahead"
        case .missingClaim(let name): "claim \(name)"
        case .claimMalformed(let name): "claim \(name) of the type that its specification gives it"
        case .looksLikeIDToken: "an access token, without nonce, at_hash, c_hash or a client as audience"
        case .otherPurpose: "an access token"
        case .boundToKey: "a token without cnf, or a proof of its key"
        case .audienceMismatch: "aud with one of the route's audiences"
        }
    }

    private static func list(types rules: AccessTokenRules) -> String {
        var names = ["at+jwt"]
        if rules.acceptedTypes.contains(.plainJWT) { names.append("JWT") }
        if rules.acceptedTypes.contains(.absent) { names.append("(absent)") }
        return names.joined(separator: " or ")
    }
}
