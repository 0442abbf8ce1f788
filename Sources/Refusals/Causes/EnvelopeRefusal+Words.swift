import JOSE
package import OAuth

extension EnvelopeRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .tooLarge: "JOSE-26"
        case .malformed(let cause): cause.check
        case .notEncrypted: "OIDC-11"
        case .noDecryptionKey: "JOSE-22"
        case .encryption(let cause): cause.check
        case .typeNotAccepted: "JOSE-19"
        case .algorithmNotAllowed, .signatureInvalid: "OIDC-05"
        case .keysMissing, .unknownKey: "OIDC-17"
        case .tooManyKeys: "JOSE-15"
        case .secretTooShort: "JOSE-11"
        }
    }

    /// What the operator's log says was wanted.
    package func expected(by rules: IDTokenRules) -> String {
        expected(by: rules.signature, maximumBytes: rules.maximumBytes)
    }

    /// The same of a token that is no longer than `maximumBytes`.
    func expected(by signature: IDTokenRules.Signature, maximumBytes: Int) -> String {
        switch self {
        case .tooLarge: "at most \(maximumBytes) bytes"
        case .malformed(let cause): cause.expectation
        case .notEncrypted: "an encrypted token (five segments)"
        case .noDecryptionKey: "a signed token (three segments), or a decryption key of this client"
        case .encryption(let cause): cause.expectation
        case .typeNotAccepted: "no typ, or the one of this kind of token"
        case .algorithmNotAllowed: "alg \(signature.names)"
        case .keysMissing: "the issuer's keys"
        case .unknownKey: "a key of the issuer with the token's kid that fits its alg"
        case .tooManyKeys: "a kid, or at most \(VerificationKeys.maximumAttempts) keys that fit the token's alg"
        case .signatureInvalid: "a signature \(signature.isSecret ? "with the client's secret" : "by the issuer")"
        case .secretTooShort: "a client secret as long as the hash of \(signature.names)"
        }
    }

    /// What the operator's log says was there instead; words of the token are quoted as unverified (JOSE-33).
    package var found: String {
        switch self {
        case .tooLarge: "more"
        case .malformed(let cause): cause.found
        case .notEncrypted: "a token in plain"
        case .noDecryptionKey: "an encrypted token, and no key"
        case .encryption(let cause): cause.found
        case .typeNotAccepted(let type): "typ \(Unverified.quote(type))"
        case .algorithmNotAllowed(let name): "alg \(Unverified.quote(name))"
        case .keysMissing: "none that could be read"
        case .unknownKey(let keyID): "kid \(Unverified.quote(keyID))"
        case .tooManyKeys: "no kid, and more keys"
        case .signatureInvalid: "a signature by another key, or over something else"
        case .secretTooShort: "a shorter one"
        }
    }
}
