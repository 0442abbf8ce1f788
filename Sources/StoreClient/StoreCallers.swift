package import SharedState

/// Asks the store by the links of whichever worker reaches it, the first one's first.
///
/// A store that takes no more clients may let some workers in and not others: all of the process use those that are in (SH-84).
package struct StoreCallers: StoreAsking {
    private let callers: [StoreCaller]

    /// Asks by these in turn.
    package init(_ callers: [StoreCaller]) { self.callers = callers }

    /// The answer of the first that reaches the store; another one is asked only where the question was certainly not executed.
    package func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        for caller in callers {
            do throws(StoreRefusal) {
                return try await caller.ask(question)
            } catch {
                guard error == .unavailable else { throw error }
            }
        }
        throw .unavailable
    }
}
