/// Follows the log of endings and refreshes on a connection of its own, and says when it may have missed something
/// (SH-39, SH-40).
///
///     apart ──connected──▶ placing ──the store's time──▶ reading ──lines, none──▶ looking ──▶ reading
///       ▲  └──connected, with a line known──────────────────▲                        └─gone─▶ placing
///       └─────────── lost, from everywhere
///
/// Reading has a last line. After each reading the follower looks whether that line is still in the log: if it is, none
/// behind it was taken away before it was read. If it is not, the log was trimmed, or emptied, or it is another log, whose
/// places may be smaller. The follower then begins again at the store's time. Lines that are read twice do no harm: each
/// only says what to ask about.
///
/// Nothing relies on a line: each gap says to ask about every session that is known.
package struct EndingsFollower: Sendable {
    /// Why lines may have been missed.
    package enum Gap: Sendable, Equatable {
        /// Nothing was followed until now.
        case beginning
        /// The last line that was read is gone, and perhaps others behind it.
        case trimmed
        /// The last line that was read is gone, and nobody trimmed the log: the store lost it, and whatever it was told then.
        case lost
        /// The log was not read for longer than sessions may go without being asked about.
        case late
        /// The store forgot: its log is another one.
        case otherEpoch
        /// A line that another release wrote, or a stranger.
        case notUnderstood
        /// What is there cannot be read: a line larger than an answer may be, or a key that is no log.
        case unreadable
    }

    /// What follows from an answer.
    package struct Step: Sendable {
        /// What ended or changed, in the order of the log.
        package var lines: [StoreLogLine] = []
        /// Whether every session that is known is to be asked about, and why.
        package var gap: Gap?
        /// To be asked next, on the same connection.
        package var question: StoreQuestion?
    }

    private enum Place: Sendable {
        /// The last line that was read.
        case line(LogPlace)
        /// A time, from before the first line that was read.
        case time(LogPlace)

        var place: LogPlace {
            switch self {
            case .line(let place), .time(let place): place
            }
        }
    }

    private enum State: Sendable {
        case apart
        case placing
        case reading
        /// `count` lines were read behind the last one.
        case looking(then: Place, count: Int)
        /// For the first line that is written from now on.
        case tailing
    }

    /// Milliseconds by which a place is earlier than the time it is made of: so far the store's clock may be set back
    /// with nothing missed.
    private static let margin: Int64 = 5000

    /// The name of the log: the server is asked that has it.
    package let log: StoreName
    private let recheck: Int64
    private let wait: TimeToLive
    private var state = State.apart
    private var place: Place?
    /// Why the place has to be found anew.
    private var missed: Gap? = .beginning
    /// When the follower was given an answer last, and when it was the log's.
    private var answeredAt: Int64?
    /// Answers about the log, one behind the other, that were none.
    private var failures = 0
    /// Whether it waits for what comes behind what cannot be read.
    private var isTailing = false
    /// Whether another server answers than the one that was asked before.
    private var isElsewhere = false
    /// Whether nothing was read on this connection: the last line is looked for before the store holds a question.
    private var isUnread = false
    /// When an answer last said which lines there are, or when the first was awaited; a connection alone says nothing.
    private var heardAt: Int64?

    /// A follower of a store's log, in a process that asks about known sessions every `recheck`.
    ///
    /// `wait` is how long the store holds a question for which it has no line: less than what makes a link give its
    /// connection up.
    package init(_ names: StoreNames, recheck: Duration, wait: Duration = .milliseconds(500)) {
        log = names.log
        self.recheck = recheck.wholeMilliseconds
        self.wait = TimeToLive(milliseconds: wait.wholeMilliseconds)
    }

    /// Milliseconds since the log was read last, or since its reading was first awaited; nil before there is a connection.
    package func lag(at now: Int64) -> Int64? { heardAt.map { max(0, now - $0) } }

    /// A connection stands; `now` is in milliseconds of the clock that nobody sets.
    package mutating func connected(at now: Int64) -> Step {
        lost()
        isUnread = true
        heardAt = heardAt ?? now
        var step = Step()
        defer { answeredAt = answeredAt.map { _ in now } }
        if isLate(now), missed == nil { step.gap = .late }
        if isTailing, missed == .unreadable {
            step.gap = .unreadable
            missed = nil
        }
        step.question = next()
        return step
    }

    /// The connection is gone, and what was asked on it is not answered.
    package mutating func lost() {
        state = .apart
        // No line tells whether any was taken away behind a time.
        if case .time = place { missed = missed ?? .trimmed }
    }

    /// The question for lines was refused, or its answer was larger than one may be.
    ///
    /// Whoever writes to the store puts in a line that nobody can read, and before which all would stop for good. After the
    /// second time the follower goes on behind it.
    package mutating func failedToRead() {
        switch state {
        case .apart, .placing: return
        case .reading, .looking, .tailing: state = .apart
        }
        countFailure()
    }

    /// Whether what is there cannot be read: an operator is to look.
    package var isUnreadable: Bool { failures > 1 }

    private mutating func countFailure() {
        failures += 1
        guard isUnreadable, !isTailing else { return }
        isTailing = true
        place = nil
        missed = .unreadable
    }

    /// Another epoch: whatever the log says, sessions may have ended that it no longer tells of.
    package mutating func storeForgot() {
        // That a line was lost is to be said, whatever else was.
        if missed != .lost { missed = .otherEpoch }
    }

    /// Another primary, or the same one after a restart: sessions may have ended that its log does not tell of.
    ///
    /// The last line that was read is looked for all the same: without it, the store came back from older data.
    package mutating func serverChanged() {
        guard case .line = place, missed == nil else { return storeForgot() }
        isElsewhere = true
    }

    /// The answer to the question that was asked.
    ///
    /// A refusal is the connection's end: it is opened anew.
    package mutating func answered(_ reply: StoreReply, at now: Int64) throws(StoreRefusal) -> Step {
        let asked = state
        state = .apart
        do throws(StoreRefusal) {
            return try follow(reply, asked, at: now)
        } catch {
            switch asked {
            case .apart, .placing: break
            case .reading, .looking, .tailing: countFailure()
            }
            throw error
        }
    }

    private mutating func follow(
        _ reply: StoreReply, _ asked: State, at now: Int64
    ) throws(StoreRefusal) -> Step {
        var step = Step()
        switch asked {
        case .apart: throw .unexpected
        case .placing:
            let time = try ReadTime(key: log).outcome(of: reply).milliseconds
            // The store's clock was set back: an empty log's lines will have smaller places than this.
            let isSetBack = place.map { LogPlace(before: time) < $0.place } ?? false
            if missed != nil || isSetBack {
                place = .time(LogPlace(before: time - EndingsFollower.margin))
                step.gap = missed ?? .trimmed
            }
            missed = nil
        case .reading: step = try read(reply)
        case .tailing: step = try readTail(reply)
        case .looking(let then, let count):
            guard let place else { throw .unexpected }
            if try FindLogLine(key: log, place: place.place).outcome(of: reply) {
                self.place = then
                break
            }
            // Trimming leaves the newest lines: one with so few behind it was not trimmed. The store came back from older
            // data, or as another one that had not got it, and what it lost besides leaves no trace.
            let gap = count < ReadLog.limit ? Gap.lost : .trimmed
            if case .line(let last) = then, last != place.place {
                // What was read is known, and from there on the log is whole.
                self.place = then
                step.gap = gap
            } else {
                missed = missed ?? gap
            }
        }
        // The process was stopped, or its loop was: whoever asks about sessions did not run either.
        if isLate(now), step.gap == nil, missed == nil { step.gap = .late }
        if isElsewhere, step.gap == nil { step.gap = .otherEpoch }
        isElsewhere = false
        answeredAt = now
        // To read the store's clock is not to read the log.
        switch asked {
        case .reading, .looking:
            heardAt = now
            failures = 0
        case .tailing:
            failures = 0
            // Until a line comes nobody knows what others tell.
            if !isTailing { heardAt = now }
        case .apart, .placing: break
        }
        step.question = next(after: asked)
        return step
    }
}

extension EndingsFollower {
    private mutating func read(_ reply: StoreReply) throws(StoreRefusal) -> Step {
        guard let place else { throw .unexpected }
        let entries = try ReadLog(key: log, after: place.place, wait: wait).outcome(of: reply)
        var step = Step()
        step.lines = entries.compactMap(\.line)
        if step.lines.count < entries.count { step.gap = .notUnderstood }
        let then = entries.last.map { Place.line($0.place) } ?? place
        switch place {
        case .line: state = .looking(then: then, count: entries.count)
        case .time:
            self.place = then
            // So many at once behind a time: there may have been more, and nothing shows that there were not.
            if entries.count == ReadLog.limit { step.gap = .trimmed }
        }
        return step
    }

    /// Lines that came while nobody waited for one are not there: the gap says so.
    private mutating func readTail(_ reply: StoreReply) throws(StoreRefusal) -> Step {
        let entries = try ReadLog(key: log, after: nil, wait: wait).outcome(of: reply)
        var step = Step()
        guard let last = entries.last else { return step }
        step.lines = entries.compactMap(\.line)
        step.gap = .unreadable
        place = .line(last.place)
        isTailing = false
        missed = nil
        return step
    }

    private mutating func next(after asked: State = .apart) -> StoreQuestion {
        if isTailing {
            state = .tailing
            return question(ReadLog(key: log, after: nil, wait: wait).arguments)
        }
        if case .looking = state, missed == nil, let place {
            return question(FindLogLine(key: log, place: place.place).arguments)
        }
        guard missed == nil, let place else {
            state = .placing
            return question(ReadTime(key: log).arguments)
        }
        // Behind a time alone, the store's clock has to be looked at: it may be set back.
        if case .time = place, case .reading = asked {
            state = .placing
            return question(ReadTime(key: log).arguments)
        }
        state = .reading
        // The first look for the last line waits for no other.
        var wait = wait
        if isUnread, case .line = place { wait = TimeToLive(milliseconds: 1) }
        isUnread = false
        return question(ReadLog(key: log, after: place.place, wait: wait).arguments)
    }

    /// The store holds a question for `wait`, and an answer may come as late again: that much is no gap, whatever is
    /// configured.
    ///
    /// Otherwise a `recheck` below it would have every session asked about at each reading.
    private func isLate(_ now: Int64) -> Bool {
        let patience = max(recheck, 2 * wait.milliseconds)
        return answeredAt.map { now - $0 > patience } ?? false
    }

    private func question(_ arguments: [[UInt8]]) -> StoreQuestion {
        StoreQuestion(key: log, arguments: arguments, changesNothing: true)
    }
}

extension Duration {
    /// Whole milliseconds, which are enough for any time that is configured.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? 0 : .max) : max(0, milliseconds &+ attoseconds / 1_000_000_000_000_000)
    }
}
