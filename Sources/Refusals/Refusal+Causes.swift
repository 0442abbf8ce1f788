package import OAuth

extension Refusal {
    /// The refusal of an access token.
    package init(_ cause: AccessTokenRefusal) {
        switch cause {
        case .tooLarge: self = .tokenTooLarge
        case .malformed: self = .tokenMalformed
        case .encrypted: self = .tokenEncrypted
        case .typeNotAccepted: self = .tokenTypeNotAccepted
        case .algorithmNotAllowed: self = .tokenAlgorithmNotAllowed
        case .unknownKey: self = .tokenKeyUnknown
        case .tooManyKeys: self = .tokenKeyAmbiguous
        case .signatureInvalid: self = .tokenSignatureInvalid
        case .issuerMismatch: self = .tokenIssuerNotAccepted
        case .expired: self = .tokenExpired
        case .notYetValid: self = .tokenNotYetValid
        case .issuedInFuture: self = .tokenIssuedInFuture
        case .missingClaim: self = .tokenClaimMissing
        case .claimMalformed: self = .tokenClaimMalformed
        case .looksLikeIDToken: self = .tokenLooksLikeIDToken
        case .otherPurpose: self = .tokenOfOtherPurpose
        case .boundToKey: self = .tokenBoundToKey
        }
    }

    /// The refusal of a DPoP proof.
    package init(_ cause: DPoPRefusal) {
        switch cause {
        case .tooLarge, .idTooLong: self = .proofTooLarge
        case .malformed: self = .proofMalformed
        case .typeNotAccepted: self = .proofTypeNotAccepted
        case .algorithmNotAllowed: self = .proofAlgorithmNotAllowed
        case .keyMissing, .keyNotPublic, .keyInvalid: self = .proofKeyInvalid
        case .missingClaim: self = .proofClaimMissing
        case .claimMalformed: self = .proofClaimMalformed
        case .methodMismatch: self = .proofMethodMismatch
        case .targetMismatch: self = .proofTargetMismatch
        case .issuedTooEarly, .issuedInFuture: self = .proofOutOfTime
        case .tokenHashMismatch: self = .proofTokenMismatch
        case .signatureInvalid: self = .proofSignatureInvalid
        case .keyMismatch: self = .proofKeyMismatch
        }
    }
}
