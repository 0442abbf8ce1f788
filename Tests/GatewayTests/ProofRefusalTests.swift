import JOSE
import OAuth
import TestTraits
import Testing

@testable import Gateway

@Suite struct `a refused proof` {
    @Test(
        .refuses("DPOP-01"),
        arguments: [
            (.tooLarge, .proofTooLarge), (.idTooLong, .proofTooLarge), (.malformed(.notCompact), .proofMalformed),
            (.malformed(.criticalNotUnderstood), .proofMalformed), (.typeNotAccepted(nil), .proofTypeNotAccepted),
            (.algorithmNotAllowed("none"), .proofAlgorithmNotAllowed), (.keyMissing, .proofKeyInvalid),
            (.keyNotPublic, .proofKeyInvalid), (.keyInvalid(.curveUnknown), .proofKeyInvalid),
            (.missingClaim("ath"), .proofClaimMissing), (.claimMalformed("iat"), .proofClaimMalformed),
            (.methodMismatch, .proofMethodMismatch), (.targetMismatch, .proofTargetMismatch),
            (.issuedTooEarly(secondsAgo: 61), .proofOutOfTime), (.issuedInFuture(secondsLeft: 11), .proofOutOfTime),
            (.tokenHashMismatch, .proofTokenMismatch), (.signatureInvalid, .proofSignatureInvalid),
            (.keyMismatch, .proofKeyMismatch),
        ] as [(DPoPRefusal, Refusal)])
    func `is answered with 401 and its own word`(cause: DPoPRefusal, refusal: Refusal) {
        #expect(Refusal(cause) == refusal)
        #expect(refusal.status == 401)
        // Another key than the token's says that the token is not its sender's (RFC 9449 Figure 16).
        #expect(refusal.template == (cause == .keyMismatch ? .token : .proof))
        #expect(refusal.blame == .client)
    }

    @Test(.refuses("DPOP-27")) func `tells nobody outside which part of it was wrong with its key, form or signature`()
    {
        let hidden: [Refusal] = [
            .proofTooLarge, .proofMalformed, .proofTypeNotAccepted, .proofKeyInvalid, .proofClaimMissing,
            .proofClaimMalformed, .proofSignatureInvalid,
        ]
        for refusal in hidden { #expect(refusal.clientDescription == "The DPoP proof is invalid") }
    }
}

@Suite struct `what a route says of proofs` {
    @Test(.holds("DPOP-03", "DPOP-10", "DPOP-16")) func `is its own for algorithms, and all routes' for time and size`()
    {
        var proofs = ProofSettings()
        #expect(DPoPRules(DPoPSettings(), proofs) == DPoPRules())
        proofs.pastSeconds = 11
        proofs.futureSeconds = 12
        proofs.maximumBytes = 13
        proofs.maximumIDBytes = 14
        #expect(
            DPoPRules(DPoPSettings(algorithms: [.edDSA, .es512]), proofs)
                == DPoPRules(
                    algorithms: [.edDSA, .es512], pastSeconds: 11, futureSeconds: 12, maximumBytes: 13,
                    maximumIDBytes: 14))
    }

    @Test(
        .holds("DPOP-22", "RS-03"),
        arguments: [
            ([.bearer], "Bearer"), ([.dpop], "DPoP"), ([.bearer, .dpop], "Bearer or DPoP"),
            ([.dpop, .bearer], "Bearer or DPoP"), ([.dpop, .dpop], "DPoP"), ([], ""),
        ] as [([TokenSettings.Scheme], String)])
    func `is taken as its schemes, which the operator reads by name`(
        schemes: [TokenSettings.Scheme], names: String
    ) {
        let set = SchemeSet(schemes)
        #expect(set.names == names)
        #expect(set.contains(.bearer) == schemes.contains(.bearer))
        #expect(set.contains(.dpop) == schemes.contains(.dpop))
    }
}
