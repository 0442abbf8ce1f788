import HTTPMessage
import Issuers

extension LoginClient {
    /// What `work` makes with a key: beside the executor where that takes long (OPS-04).
    ///
    /// With nothing made when too much for the same purpose waits already. `sender` is on whose behalf it is made, the
    /// network of a stranger or a user: whoever it is takes turns with all others, and has no more than a part.
    func signing<Value: Sendable>(
        for purpose: FetchRequest.Purpose, of sender: String?, isSlow: Bool, _ work: @escaping @Sendable () -> Value
    ) async throws(SlowWork.Refusal) -> Value {
        try await SlowWork(sources.workBeside).value(for: purpose, of: sender, isSlow: isSlow, work)
    }
}
