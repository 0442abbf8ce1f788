/// Reads which sessions an index names, and when each of them ends.
struct ListEnrolled: StoreCommand {
    struct Entry: Sendable, Equatable {
        /// The end of the session's name.
        let suffix: [UInt8]
        /// In milliseconds since 1970, by the store's clock; no later than the year 9999.
        let end: Int64

        /// What stands for an end that is no time, or a later one: whoever writes to the store writes that, and its session is
        /// to be seen and ended all the same.
        static let farthest: Int64 = 253_402_300_799_999
    }

    /// Some of them.
    struct Page: Sendable, Equatable {
        /// Those whose name is one; what else a stranger wrote there is none.
        let entries: [Entry]
        /// Whether there may be more.
        let isFull: Bool
    }

    let key: StoreName
    /// How many are left out, of those that end last.
    let first: Int
    let changesNothing = true

    /// A name and a time each: with all that an index may have, a reply would be larger than any may be.
    static let page = 500

    /// Those that end last come first: what is cleared away meanwhile, because it is over, moves none of the others.
    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        [
            .word("ZRANGE"), key.bytes, StoreNumber.text(first), StoreNumber.text(first + ListEnrolled.page - 1),
            .word("REV"), .word("WITHSCORES"),
        ]
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Page {
        guard case .array(let parts) = reply else { throw StoreRefusal(reply) }
        guard parts.count.isMultiple(of: 2) else { throw .unexpected }
        let entries: [Entry] = stride(from: 0, to: parts.count, by: 2).compactMap { place in
            guard let suffix = parts[place].bytes, suffix.count == StoreName.suffixLength else { return nil }
            let end = parts[place + 1].number ?? Entry.farthest
            return Entry(suffix: suffix, end: min(max(0, end), Entry.farthest))
        }
        return Page(entries: entries, isFull: parts.count >= 2 * ListEnrolled.page)
    }
}

/// Reads how long a key has left, in milliseconds; nil where it is gone, or never goes.
///
/// Not among what a gateway needs: an operator may allow it (`+pttl`).
struct ReadTimeToLive: StoreCommand {
    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("PTTL"), key.bytes] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Int64? {
        guard case .integer(let milliseconds) = reply else { throw StoreRefusal(reply) }
        return milliseconds < 0 ? nil : milliseconds
    }
}
