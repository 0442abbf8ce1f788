import Access
import JOSE
import OAuth
import TestTraits
import Testing

@Suite struct `a refused proof` {
    @Test(
        .refuses("DPOP-01"),
        arguments: [
            (.tooLarge, .proofTooLarge), (.idTooLong, .proofTooLarge), (.malformed(.notCompact), .proofMalformed),
            (.malformed(.criticalNotUnderstood), .proofMalformed), (.typeNotAccepted(nil), .proofTypeNotAccepted),
            (.algorithmNotAllowed("none"), .proofAlgorithmNotAllowed), (.keyMissing, .proofKeyInvalid),
            (.keyNotPublic, .proofKeyInvalid), (.keyInvalid(.curveUnknown), .proofKeyInvalid),
            (.claim(.missing("ath")), .proofClaimMissing), (.claim(.malformed("iat")), .proofClaimMalformed),
            (.methodMismatch, .proofMethodMismatch), (.targetMismatch, .proofTargetMismatch),
            (.claim(.issuedTooEarly(secondsAgo: 61)), .proofOutOfTime),
            (.claim(.issuedInFuture(secondsLeft: 11)), .proofOutOfTime),
            (.tokenHashMismatch, .proofTokenMismatch), (.signatureInvalid, .proofSignatureInvalid),
            (.keyMismatch, .proofKeyMismatch),
        ] as [(DPoPRefusal, Refusal)])
    func `is answered with 401 and its own word`(cause: DPoPRefusal, refusal: Refusal) {
        #expect(cause.refusal == refusal)
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
