import JOSE
package import OAuth

extension AuthorizationResponseRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .missing("iss"), .issuerMismatch: "CF-22"
        case .malformed("code"): "CF-27"
        case .missing("aud"), .missing("exp"), .malformed("aud"), .malformed("exp"): "CF-28"
        case .missing("state"): "CF-03"
        case .tooLarge, .repeated, .missing, .malformed, .codeAndError: "CF-20"
        case .tokensInResponse: "CF-01"
        case .notSigned, .notEncrypted, .typeNotAccepted, .audienceMismatch, .expired, .algorithmNotAllowed,
            .keysMissing, .unknownKey, .tooManyKeys, .signatureInvalid:
            "CF-28"
        case .encrypted, .notDecrypted: "JOSE-22"
        case .notJWT(let cause): cause.check
        }
    }

    /// What the operator's log says was wanted.
    package func expected(by rules: AuthorizationResponseRules) -> String {
        switch self {
        case .tooLarge: "at most \(AuthorizationResponseRules.maximumBytes) bytes"
        case .repeated(let name): "parameter \(name) once"
        case .missing("code"): "parameter code or error"
        case .missing("iss"), .issuerMismatch: "iss \(Unverified.quote(rules.issuer))"
        case .missing(let name): "\(name) in the response"
        case .malformed(let name): "\(name) of the length, type and characters that its specification gives it"
        case .codeAndError: "one of code and error"
        case .tokensInResponse: "a code, and no token, on the browser's way"
        case .notSigned: "parameter response with a signed response (JARM)"
        case .encrypted: "a signed response; no decryption key is configured"
        case .notDecrypted: "a response encrypted to one of the client's keys"
        case .notJWT(let cause): cause.expectation
        case .typeNotAccepted: "no typ, or typ JWT"
        case .audienceMismatch: "aud \(Unverified.quote(rules.clientID)) alone"
        case .expired: "exp not more than \(rules.clampedLeeway) s ago"
        case .algorithmNotAllowed: "alg \(rules.signature.names) (response.algorithm)"
        case .notEncrypted: "an encrypted response (response.encrypted)"
        case .keysMissing: "the issuer's keys"
        case .unknownKey: "a key of the issuer with the response's kid that fits its alg"
        case .tooManyKeys: "a kid, or at most \(VerificationKeys.maximumAttempts) keys that fit the response's alg"
        case .signatureInvalid: "a signature of the issuer"
        }
    }

    /// What the operator's log says was there instead; of the response the name of its algorithm alone, as unverified.
    package var found: String {
        switch self {
        case .tooLarge(let bytes): "\(bytes) bytes"
        case .repeated: "more than one"
        case .missing: "absent"
        case .malformed: "something else"
        case .codeAndError: "both"
        case .tokensInResponse: "access_token or id_token"
        case .issuerMismatch: "another iss"
        case .notSigned: "a response without it"
        case .encrypted: "five segments"
        case .notDecrypted(let cause): cause.found
        case .notJWT(let cause): cause.found
        case .typeNotAccepted: "another typ"
        case .audienceMismatch: "other audiences"
        case .expired(let seconds): "expired \(seconds) s ago"
        case .algorithmNotAllowed(let name): "alg \(Unverified.quote(name))"
        case .notEncrypted: "a response in plain"
        case .keysMissing: "none that could be read"
        case .unknownKey: "no such key"
        case .tooManyKeys: "no kid"
        case .signatureInvalid: "a signature that does not hold"
        }
    }
}
