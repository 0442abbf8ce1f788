package import OAuth

extension AuthorizationResponseRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .missing("iss"), .issuerMismatch, .claim(.missing("iss")), .claim(.malformed("iss")),
            .claim(.issuerMismatch):
            "CF-22"
        case .malformed("code"): "CF-27"
        case .missing("state"): "CF-03"
        case .tooLarge, .repeated, .missing, .malformed, .codeAndError: "CF-20"
        case .tokensInResponse: "CF-01"
        case .notSigned, .claim: "CF-28"
        case .envelope(let cause):
            switch cause {
            case .tooLarge, .malformed, .noDecryptionKey, .encryption: cause.check
            case .notEncrypted, .typeNotAccepted, .algorithmNotAllowed, .keysMissing, .unknownKey, .tooManyKeys,
                .signatureInvalid, .secretTooShort:
                "CF-28"
            }
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
        case .envelope(.notEncrypted): "an encrypted response (response.encrypted)"
        case .envelope(.algorithmNotAllowed): "alg \(rules.signature.names) (response.algorithm)"
        case .envelope(.typeNotAccepted): "no typ, or typ JWT"
        case .envelope(let cause):
            cause.expected(by: rules.signature, maximumBytes: AuthorizationResponseRules.maximumBytes)
        case .claim(.audienceMismatch): "aud \(Unverified.quote(rules.clientID)) alone"
        case .claim(let cause): cause.expected(by: ClaimRefusal.Rules(rules))
        }
    }

    /// What the operator's log says was there instead; words of the response are quoted as unverified (JOSE-33).
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
        case .envelope(let cause): cause.found
        case .claim(let cause): cause.found
        }
    }
}

extension ClaimRefusal.Rules {
    /// Those of signed authorization responses.
    init(_ rules: AuthorizationResponseRules) {
        self.init(
            issuer: rules.issuer, clientID: rules.clientID, leewaySeconds: rules.clampedLeeway,
            kind: "an authorization response")
    }
}
