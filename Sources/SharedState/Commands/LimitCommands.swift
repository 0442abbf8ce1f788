/// Takes a part of a rate of requests that replicas share, for whoever asks to spend by itself (ECO-80).
package struct LeaseTokens: StoreCommand {
    package struct Outcome: Sendable, Equatable {
        /// How many are granted, of those that were wanted.
        package let granted: Int
        /// In how many microseconds there is another one; 0 where there is one now.
        package let waitMicroseconds: UInt64
    }

    package let key: StoreName
    /// What one takes to come back.
    let intervalNanoseconds: UInt64
    /// How many there are at most.
    let capacity: Int
    /// What was spent without a grant, less what was granted and not spent.
    let spent: Int
    let wanted: Int

    package init(key: StoreName, intervalNanoseconds: UInt64, capacity: Int, spent: Int, wanted: Int) {
        self.key = key
        self.intervalNanoseconds = intervalNanoseconds
        self.capacity = capacity
        self.spent = spent
        self.wanted = wanted
    }

    package func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(
            .lease, on: key,
            [
                StoreNumber.text(intervalNanoseconds), StoreNumber.text(capacity), StoreNumber.text(spent),
                StoreNumber.text(wanted),
            ])
    }

    package func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        try LeaseTokens.outcome(of: reply)
    }

    /// The same of an answer whose question is not at hand.
    package static func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        guard let parts = reply.array else { throw StoreRefusal(reply) }
        guard parts.count == 2, let granted = parts[0].number, let wait = parts[1].number, granted >= 0, wait >= 0
        else {
            throw .unexpected
        }
        return Outcome(granted: Int(clamping: granted), waitMicroseconds: UInt64(wait))
    }
}
