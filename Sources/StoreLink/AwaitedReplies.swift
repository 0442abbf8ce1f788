import RESP

/// One command whose answer has not come, or is not proved to be its own.
struct AwaitedReply {
    /// Whose answer it is.
    enum Owner: UInt8 {
        /// Somebody's, who is told by `ticket`.
        case command
        /// Nobody's any more: its time was over, and who asked was told.
        case abandoned
        /// The link's: whether the server lives, and answers in the order of the commands; `ticket` is the echo's number.
        case echo
        /// The link's: whether it is let in.
        case authentication
        /// The link's: a step of its greeting, whose place is `ticket`.
        case greeting
    }

    var owner: Owner
    var ticket: UInt64
    /// What its answer may be.
    var replies: ReplyKinds
    /// When it was written; nil as long as it was not.
    var writtenAt: UInt64?
    /// How long its answer may take from then.
    var within: UInt64
    /// Which byte of all that the connection has sent is its first.
    var firstByte: UInt64
    /// Bytes of its answer, once that is there.
    var answerBytes = 0
}

/// What is awaited, in the order of the commands: a ring that allocates only when it has never been as full.
struct AwaitedReplies {
    private var slots: [AwaitedReply?] = Array(repeating: nil, count: 64)
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Counted from the oldest.
    subscript(place: Int) -> AwaitedReply? {
        get { slots[(head + place) & (slots.count - 1)] }
        set { slots[(head + place) & (slots.count - 1)] = newValue }
    }

    mutating func append(_ awaited: AwaitedReply) {
        if count == slots.count { grow() }
        self[count] = awaited
        count += 1
    }

    mutating func removeFirst() -> AwaitedReply? {
        guard count > 0 else { return nil }
        let first = self[0]
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return first
    }

    private mutating func grow() {
        var larger: [AwaitedReply?] = []
        larger.reserveCapacity(slots.count * 2)
        for place in 0..<count { larger.append(self[place]) }
        larger.append(contentsOf: repeatElement(nil, count: slots.count))
        slots = larger
        head = 0
    }
}
