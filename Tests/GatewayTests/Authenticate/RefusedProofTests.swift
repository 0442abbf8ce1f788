import Access
import TestTraits
import Testing

@testable import Gateway

extension ProofTrial: CustomTestStringConvertible {
    var testDescription: String { name }
}

@Suite struct `a proof of a request that is refused` {
    @Test(.holds("DPOP-17"), arguments: ProofTrial.all)
    func `is good afterwards, whatever the cause`(trial: ProofTrial) throws {
        let outcome = try trial.outcome()
        #expect(outcome.refused?.cause == trial.cause, "\(String(describing: outcome.refused))")
        #expect(outcome.isWitnessForwarded, "the proof's key and jti were spent by a request that was refused")
        // Without this, nothing would have been spent in any of these trials.
        #expect(outcome.afterwards == .proofReplayed)
    }

    @Test(.refuses("DPOP-17")) func `is tried for every cause there is, or there is a reason why the cause cannot be`()
    {
        let tried = Set(ProofTrial.all.map(\.cause))
        for cause in Refusal.allCases {
            let reason = ProofTrial.reasonAgainst(cause)
            #expect(
                tried.contains(cause) == (reason == nil),
                "\(cause): give it a trial in ProofTrials.swift, or the reason why no request with a proof gets it")
        }
    }
}
