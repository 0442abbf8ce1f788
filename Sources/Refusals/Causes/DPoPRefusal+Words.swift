import JOSE
package import OAuth

extension DPoPRefusal {
    /// The refusal that answers it.
    package var refusal: Refusal { row.refusal }

    /// The requirement row of the check that failed.
    package var check: String { row.check }

    private var row: (refusal: Refusal, check: String) {
        switch self {
        case .tooLarge: (.proofTooLarge, "JOSE-26")
        case .malformed(let cause): (.proofMalformed, cause.check)
        case .typeNotAccepted: (.proofTypeNotAccepted, "DPOP-02")
        case .algorithmNotAllowed: (.proofAlgorithmNotAllowed, "DPOP-03")
        case .keyMissing, .keyNotPublic, .keyInvalid: (.proofKeyInvalid, "DPOP-04")
        case .claim(.missing): (.proofClaimMissing, "DPOP-06")
        case .idTooLong: (.proofTooLarge, "DPOP-16")
        case .methodMismatch: (.proofMethodMismatch, "DPOP-07")
        case .targetMismatch: (.proofTargetMismatch, "DPOP-08")
        case .claim(.issuedTooEarly), .claim(.issuedInFuture): (.proofOutOfTime, "DPOP-10")
        case .claim: (.proofClaimMalformed, "DPOP-06")
        case .tokenHashMismatch: (.proofTokenMismatch, "DPOP-18")
        case .signatureInvalid: (.proofSignatureInvalid, "DPOP-05")
        case .keyMismatch: (.proofKeyMismatch, "DPOP-19")
        }
    }

    /// What the operator's log says was wanted.
    package func expected(by rules: DPoPRules) -> String {
        switch self {
        case .tooLarge: "a proof of at most \(rules.maximumBytes) bytes"
        case .malformed(let cause): cause.expectation
        case .typeNotAccepted: "typ dpop+jwt"
        case .algorithmNotAllowed: "alg one of \(rules.algorithms.map(\.name).joined(separator: " "))"
        case .keyMissing: "jwk with the client's public key"
        case .keyNotPublic: "jwk without private members"
        case .keyInvalid: "jwk with a sound public key for alg, its numbers in their one spelling"
        case .claim(.malformed("iat")): "claim iat as a number of seconds since 1970"
        case .claim(.malformed(let name)): "claim \(name) as a string that is not empty"
        case .idTooLong: "jti of at most \(rules.maximumIDBytes) bytes"
        case .methodMismatch: "htm with the request's method, letter by letter"
        case .targetMismatch: "htu with a public URL of the route and the request's path"
        case .claim(.issuedInFuture): "iat at most \(rules.futureSeconds) s ahead"
        case .claim(let cause):
            cause.expected(by: ClaimRefusal.Rules(maximumAgeSeconds: Int64(rules.pastSeconds), kind: "a DPoP proof"))
        case .tokenHashMismatch: "ath with the SHA-256 digest of the token sent, in base64url"
        case .signatureInvalid: "a signature by the key in jwk"
        case .keyMismatch: "a proof by the key whose thumbprint is the token's cnf.jkt"
        }
    }

    /// What the operator's log says was there instead; never the proof, its `jti` or its nonce (DPOP-27).
    ///
    /// Words of the proof are quoted as unverified; of `htu` what stands before a query or fragment.
    package func found(in proof: UncheckedDPoPProof?) -> String {
        switch self {
        case .tooLarge: "more"
        case .malformed(let cause): cause.found
        case .typeNotAccepted(let type): "typ \(Unverified.quote(type))"
        case .algorithmNotAllowed(let name): "alg \(Unverified.quote(name))"
        case .keyMissing: "no jwk, or none that is an object"
        case .keyNotPublic: "private members, or a symmetric key"
        case .keyInvalid(let cause): cause.found
        case .idTooLong: "a longer one"
        case .methodMismatch: "htm \(Unverified.quote(proof?.claimedMethod))"
        case .targetMismatch: "htu \(Unverified.quote(proof?.claimedTarget))"
        case .claim(let cause): cause.found
        case .tokenHashMismatch: "another ath"
        case .signatureInvalid: "a signature by another key, or over something else"
        case .keyMismatch: "a proof by another key"
        }
    }
}
