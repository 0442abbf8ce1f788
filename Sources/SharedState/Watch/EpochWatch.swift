/// Notices that the store forgot, that it is another server, and how far its clock is away (SH-61, SH-62, SH-36).
///
/// A key of the store, the epoch, has a random word. It goes when everything goes: by a restart without data, by
/// `FLUSHALL`, by a failover to a server that had nothing. Whoever finds none makes another.
///
///     no word known ──word, old───▶ known            known ──the same───▶ known
///     no word known ──word, young─▶ known, forgot    known ──another────▶ known, forgot
///     either        ──none────────▶ making, forgot   making ──mine, theirs─▶ known
///
/// What was used before is then unknown: proofs are refused that could have been. A proof that was accepted at the very
/// end came from a clock ahead of the gateway's, and is good for its time: so long, and what replicas' clocks differ by,
/// is the window. A proof that a client makes after that passes.
///
/// Between the moment at which the store forgets and the next look at the epoch a second may pass, if the connection
/// holds. Each new connection looks first.
package struct EpochWatch: Sendable {
    /// How it was noticed that what was used before is unknown.
    package enum Forgetting: Sendable, Equatable {
        /// The epoch is gone.
        case missing
        /// The epoch is another one.
        case replaced
        /// The epoch, which this process sees for the first time, was made a moment ago.
        case young
        /// What lies there no gateway wrote.
        case altered
        /// Keys were thrown away.
        case evicted
        /// Another server is the primary now, or the same one after a restart.
        case failover
    }

    /// What follows from an answer.
    package struct Step: Sendable {
        /// To be asked next.
        package var questions: [StoreQuestion] = []
        /// What was noticed; sessions are to be asked about too, all of them.
        package var forgetting: Forgetting?
        /// Whether another server answers than before, or the same one after a restart: it may lack lines of the log that
        /// nobody had read.
        package var isFailover = false
    }

    private enum Awaited: Sendable {
        case time(asked: WatchTime)
        case epoch
        case information
        case making(StoreEpoch)
    }

    private let key: StoreName
    private let window: Int64
    private let failover: StoreSettings.AfterFailover
    private var epoch: StoreEpoch?
    private var awaited: [Awaited] = []
    private var word: [UInt8] = []
    private var mayReadInformation = true
    private var hasConnected = false
    /// Whether a connection was lost since the server said who it is.
    private var isConnectedAgain = false
    /// The store's clock, as it was read in this round.
    private var time: StoreTime?

    /// What the server said of itself last, if it may be asked.
    package private(set) var information: StoreInformation?
    /// How far clocks are apart.
    package private(set) var skew = ClockSkew()
    /// The greatest time up to which a forgotten proof could be accepted, in seconds since 1970.
    package private(set) var forgottenUntil = Int64.min

    /// A watch over a store that knows proofs which may be so old, and so far ahead.
    package init(_ names: StoreNames, past: Duration, future: Duration, failover: StoreSettings.AfterFailover) {
        key = names.epoch
        let seconds = past.components.seconds + future.components.seconds
        window = min(max(0, seconds), 1_000_000) + UseOnce.clockSeconds
        self.failover = failover
    }

    /// A connection stands: all is asked anew, before anything else is.
    ///
    /// `word` are sixteen random bytes, for an epoch that has to be made.
    package mutating func connected(at now: WatchTime, word: [UInt8]) -> [StoreQuestion] {
        // Another server may let its users read more, or less.
        mayReadInformation = true
        isConnectedAgain = hasConnected
        hasConnected = true
        return ask(at: now, word: word)
    }

    /// A second has passed; nothing while answers to the last questions are missing.
    package mutating func secondPassed(at now: WatchTime, word: [UInt8]) -> [StoreQuestion] {
        awaited.isEmpty ? ask(at: now, word: word) : []
    }

    /// The answer to the first question that has none yet, in the order in which they were asked.
    package mutating func answered(_ reply: StoreReply, at now: WatchTime) -> Step {
        guard !awaited.isEmpty else { return Step() }
        switch awaited.removeFirst() {
        case .time(let asked): return timeRead(reply, asked: asked, at: now)
        case .epoch: return epochRead(reply, at: now)
        case .information: return informationRead(reply, at: now)
        case .making(let epoch):
            guard let found = try? MakeEpoch(key: key, epoch: epoch).outcome(of: reply) else { return Step() }
            self.epoch = found
            return Step()
        }
    }

    /// What another connection was told of the epoch when it was opened; nil where there was none.
    package mutating func greeted(_ epoch: [UInt8]?, at now: WatchTime) -> Step {
        judge(epoch.map { .bytes($0) } ?? .null, at: now)
    }

    /// What another connection was told of the server when it was opened, nil where it may not ask; `isAgain` where its worker
    /// has had one before.
    ///
    /// Proofs that the server may have lost are refused from here on. What else follows from another server is done by the
    /// round of questions that finds it out, which comes later: nothing of this is remembered.
    package mutating func greeted(information text: [UInt8]?, isAgain: Bool, at now: WatchTime) -> Step {
        guard failover == .refuse else { return Step() }
        guard let text else { return isAgain ? forget(.failover, at: now) : Step() }
        guard let before = information else { return Step() }
        let read = StoreInformation(text)
        let isSame = before.replicationID == read.replicationID && before.runID == read.runID
        return isSame ? Step() : forget(.failover, at: now)
    }

    /// The connection is gone, and with it the answers.
    package mutating func lost() {
        awaited = []
    }
}

extension EpochWatch {
    private mutating func ask(at now: WatchTime, word: [UInt8]) -> [StoreQuestion] {
        self.word = word
        time = nil
        awaited = [.time(asked: now), .epoch]
        var questions = [
            StoreQuestion(key: key, arguments: ReadTime(key: key).arguments, changesNothing: true),
            StoreQuestion(key: key, arguments: ReadEpoch(key: key).arguments, changesNothing: true),
        ]
        if mayReadInformation {
            awaited.append(.information)
            questions.append(
                StoreQuestion(key: key, arguments: ReadInformation(key: key).arguments, changesNothing: true))
        }
        return questions
    }

    private mutating func timeRead(_ reply: StoreReply, asked: WatchTime, at now: WatchTime) -> Step {
        guard let read = try? ReadTime(key: key).outcome(of: reply) else { return Step() }
        time = read
        skew.measure(read, asked: asked, answered: now)
        return Step()
    }

    private mutating func epochRead(_ reply: StoreReply, at now: WatchTime) -> Step {
        var step = judge(reply, at: now)
        // Without the store's time it cannot say when: the next second makes it.
        guard step.forgetting == .missing, let time, !word.isEmpty else { return step }
        let made = StoreEpoch(word: word, at: time)
        awaited.append(.making(made))
        step.questions = [
            StoreQuestion(key: key, arguments: MakeEpoch(key: key, epoch: made).arguments, changesNothing: false)
        ]
        return step
    }

    private mutating func judge(_ reply: StoreReply, at now: WatchTime) -> Step {
        let found: StoreEpoch?
        do throws(StoreRefusal) {
            found = try ReadEpoch(key: key).outcome(of: reply)
        } catch {
            // A stranger put something else there. Any other refusal says nothing of what the store knows.
            return error == .refused("WRONGTYPE") || error == .unexpected ? forget(.altered, at: now) : Step()
        }
        guard let found else {
            epoch = nil
            return forget(.missing, at: now)
        }
        defer { epoch = found }
        if let epoch { return epoch == found ? Step() : forget(.replaced, at: now) }
        guard let madeAt = found.madeAt else { return forget(.altered, at: now) }
        let since = min(madeAt, now.seconds)
        guard since + window > now.seconds else { return Step() }
        return forget(.young, since: since)
    }

    private mutating func informationRead(_ reply: StoreReply, at now: WatchTime) -> Step {
        let read: StoreInformation
        do throws(StoreRefusal) {
            read = try ReadInformation(key: key).outcome(of: reply)
        } catch {
            guard error == .refused("NOPERM") else { return Step() }
            mayReadInformation = false
            // It may be another server, and does not say so: who wants to be sure takes it for one.
            defer { isConnectedAgain = false }
            return isConnectedAgain && failover == .refuse ? failedOver(at: now) : Step()
        }
        defer { information = read }
        isConnectedAgain = false
        guard let before = information else { return firstRead(read, at: now) }
        if before.replicationID != read.replicationID || before.runID != read.runID {
            var step = failedOver(at: now)
            step.forgetting = step.forgetting ?? firstRead(read, at: now).forgetting
            return step
        }
        guard let evicted = read.evictedKeys, evicted > before.evictedKeys ?? 0 else { return Step() }
        return forget(.evicted, at: now)
    }

    /// Keys that a server threw away before this process knew it may have been proofs, and nobody says when that was.
    private mutating func firstRead(_ read: StoreInformation, at now: WatchTime) -> Step {
        read.isEvicting == true && (read.evictedKeys ?? 0) > 0 ? forget(.evicted, at: now) : Step()
    }

    private mutating func failedOver(at now: WatchTime) -> Step {
        var step = Step()
        switch failover {
        case .accept: break
        case .refuse: step = forget(.failover, at: now)
        }
        step.isFailover = true
        return step
    }

    private mutating func forget(_ cause: Forgetting, at now: WatchTime) -> Step {
        forget(cause, since: now.seconds)
    }

    private mutating func forget(_ cause: Forgetting, since: Int64) -> Step {
        forgottenUntil = max(forgottenUntil, since + window)
        var step = Step()
        step.forgetting = cause
        return step
    }
}
