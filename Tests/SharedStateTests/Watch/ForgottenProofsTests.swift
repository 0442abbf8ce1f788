import TestTraits
import Testing

@testable import SharedState

@Suite struct `proofs that the store may have forgotten` {
    @Test func `are those up to the latest time that was noted`() {
        let forgotten = ForgottenProofs()
        #expect(!forgotten.mayHaveKnown(usableSince: .min + 1))
        forgotten.note(until: 100)
        forgotten.note(until: 50)
        #expect(forgotten.mayHaveKnown(usableSince: 100) && !forgotten.mayHaveKnown(usableSince: 101))
    }
}
