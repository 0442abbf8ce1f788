import RESP

/// Attempts, losses, and what the passing of time means.
extension LinkMachine {
    /// What is to be done at a moment.
    public enum TimeStep: Sendable, Equatable {
        /// Nothing more.
        case nothing
        /// Begin to connect.
        case attempt
        /// The time of the command with this ticket is over: it may have been executed.
        case expired(ticket: UInt64)
        /// The connection is of no use any more.
        case lose(LinkLoss)
    }

    /// Wants a connection from now on, at once.
    public mutating func start(now: UInt64) {
        guard phase == .stopped else { return }
        phase = .waiting
        moment = now
        attempts = 1
    }

    /// The connection is open: what is said first is to be written.
    ///
    /// `random` is the connection's own number, which nobody on it says but for echoes.
    public mutating func opened(now: UInt64, random: UInt64 = 0) {
        guard phase == .opening else { return }
        phase = .greeting
        appendedBytes = 0
        writtenBytes = 0
        lastAnswer = now
        echo = LinkEcho(seed: random, number: 0)
        commandsWithoutEcho = 0
        forgetOutput()
        greeting.write(to: &output)
        // Each of its commands counts as begun with the first byte, since they leave together.
        if greeting.credentials != nil {
            holdsSecret = true
            expect(.authentication, 0, .simpleString, within: limits.connect, bytes: 0)
        }
        for (index, step) in greeting.steps.enumerated() {
            expect(.greeting, UInt64(index), step.command.replies, within: limits.connect, bytes: 0)
        }
        appendedBytes = UInt64(output.count)
        if awaited.isEmpty {
            phase = .ready
            readySince = now
        }
    }

    /// There is no connection any more, or none came about; `random` chooses the moment of the next attempt.
    ///
    /// All that is in flight is to be taken from `takeFailed()` before anything else.
    public mutating func lose(_ loss: LinkLoss, now: UInt64, random: UInt64) {
        let lasted = readySince.map { now >= $0 &+ limits.silence } ?? false
        readySince = nil
        forgetOutput()
        reader = ReplyReader()
        earliestEnd = .max
        unansweredInARow = 0
        searched = 0
        (answered, proved, echoes) = (0, 0, 0)
        phase = loss == .stopped ? .stopped : .waiting
        if lasted { attempts = 0 }
        moment = now &+ wait(after: loss, random)
        attempts += 1
    }

    /// At once after a link that lasted; then anything up to a bound that doubles, so that many links spread; where somebody
    /// has to change a setting first, about the longest that there is (SH-19).
    private func wait(after loss: LinkLoss, _ random: UInt64) -> UInt64 {
        if loss.needsOperator { return limits.longestWait - random % (limits.longestWait / 4 + 1) }
        guard attempts > 0 else { return 0 }
        let bound = min(limits.longestWait, limits.firstWait &<< UInt64(min(attempts - 1, 16)))
        return random % (bound + 1)
    }

    /// One that was in flight when the link was lost, and whether it was certainly not sent; nil when there is none left.
    public mutating func takeFailed() -> (ticket: UInt64, isNotSent: Bool)? {
        while phase == .waiting || phase == .stopped, let first = awaited.removeFirst() {
            unoffered = max(0, unoffered - 1)
            if first.owner == .command { return (first.ticket, first.firstByte >= writtenBytes) }
        }
        return nil
    }

    /// What is to be done now; asked again until it is nothing.
    ///
    /// Only after all that the socket has was read: an answer that is there when the time is over counts (SH-07).
    public mutating func step(now: UInt64) -> TimeStep {
        switch phase {
        case .stopped: return .nothing
        case .waiting:
            guard now >= moment else { return .nothing }
            phase = .opening
            moment = now &+ limits.connect
            counters.attempts += 1
            return .attempt
        case .opening, .greeting: return now >= moment ? .lose(.connectTimedOut) : .nothing
        case .ready: return readyStep(now)
        }
    }

    private mutating func readyStep(_ now: UInt64) -> TimeStep {
        if let ticket = nextExpired(now) { return .expired(ticket: ticket) }
        if unansweredInARow >= limits.unanswered { return .lose(.silent) }
        if let oldest = oldestUnanswered {
            return now >= max(lastAnswer, oldest.writtenAt ?? now) &+ limits.silence ? .lose(.silent) : .nothing
        }
        if now >= lastAnswer &+ limits.silence { askForEcho() }
        return .nothing
    }

    /// The next command whose time is over, which nobody waits for from now on.
    private mutating func nextExpired(_ now: UInt64) -> UInt64? {
        guard now >= earliestEnd else { return nil }
        while searched < unoffered {
            let place = searched
            searched += 1
            guard let one = awaited[place], one.owner == .command, let writtenAt = one.writtenAt else { continue }
            guard now >= writtenAt &+ one.within else {
                searchedEnd = min(searchedEnd, writtenAt &+ one.within)
                continue
            }
            awaited[place]?.owner = .abandoned
            // One that was answered waits for an echo behind a slower command alone: the server lives.
            if place >= answered { unansweredInARow += 1 }
            return one.ticket
        }
        earliestEnd = searchedEnd
        searched = 0
        searchedEnd = .max
        return nil
    }

    /// When `step` is to be asked again at the latest; nil when nothing is going to happen by itself.
    public var nextMoment: UInt64? {
        switch phase {
        case .stopped: return nil
        case .waiting, .opening, .greeting: return moment
        case .ready:
            guard let oldest = oldestUnanswered else { return lastAnswer &+ limits.silence }
            // What was not written yet is offered to the socket at the end of this turn.
            guard let writtenAt = oldest.writtenAt else { return nil }
            return min(earliestEnd, max(lastAnswer, writtenAt) &+ limits.silence)
        }
    }
}
