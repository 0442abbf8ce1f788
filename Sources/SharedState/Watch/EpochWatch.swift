/// Notices that the store forgot, that it is another server, and how far its clock is away (SH-61, SH-62, SH-36).
///
/// A key of the store, the epoch, has a random word. It goes when everything goes: by a restart without data, by
/// `FLUSHALL`, by a failover to a server that had nothing. Whoever finds none makes another. Of a cluster one shard may forget
/// what no other does: there each part of the slots has an epoch besides, and an eighth of them is looked at in a second.
///
///     no word known ──word, old───▶ known            known ──the same───▶ known
///     no word known ──word, young─▶ known, forgot    known ──another────▶ known, forgot    known ──reload──▶ known
///     either        ──none────────▶ making, forgot   making ──mine, theirs─▶ known
///
/// What was used before is then unknown: proofs are refused that could have been, which are those that could be accepted
/// by then, or by a replica whose clock differs. One whose client's clock is ahead could; so could one with a nonce that was
/// made by then, for as long as that is good, whatever its own time says. A proof that a client makes after that passes.
///
/// Between the moment at which the store forgets and the next look at the epoch a second may pass, if the connection
/// holds. Each new connection looks first.
package struct EpochWatch: Sendable {
    /// How it was noticed that what was used before is unknown.
    package enum Forgetting: Sendable, Equatable {
        /// There is no epoch, and this process has seen none: the store is new, or forgot before it began to look.
        case new
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
        /// The log of endings lacks a line that was read before: the epoch is older than what was lost.
        case log
    }

    /// Something to ask, and the number by which its answer is told: answers come in any order.
    package struct Question: Sendable {
        package let number: UInt32
        package let question: StoreQuestion
    }

    /// What follows from an answer.
    package struct Step: Sendable {
        /// To be asked next.
        package var questions: [Question] = []
        /// What was noticed; sessions are to be asked about too, all of them.
        package var forgetting: Forgetting?
        /// Whether another server answers than before, or the same one after a restart: it may lack lines of the log that
        /// nobody had read.
        package var isFailover = false
    }

    private enum Awaited: Sendable {
        case time(asked: WatchTime)
        case epoch(Int)
        case information
        case making(Int, StoreEpoch)
    }

    /// What has an epoch of its own: the store, and each part of a cluster's slots.
    private struct Part: Sendable {
        let key: StoreName
        var epoch: StoreEpoch?
        /// Whether any epoch was seen.
        var hasSeenEpoch = false
    }

    /// The store's own is the first.
    private var parts: [Part]
    /// In so many seconds each part is looked at; whoever has a sixteenth of the slots has one that is looked at in each.
    private static let turns = 8
    private var turn = 0
    /// Whether this round asks about all parts.
    private var isWhole = false
    /// Parts without an epoch, until the store's time is known.
    private var unmade: [Int] = []
    /// What was said in this round: that a shard forgot shows in many parts.
    private var said: [Forgetting] = []
    /// The same of connections that were opened, in this second.
    private var heard: (second: Int64, said: [Forgetting]) = (.min, [])
    /// For how long a proof without a nonce is refused at most.
    private let window: Int64
    /// How far ahead a proof's time may be.
    private let future: Int64
    private let failover: StoreSettings.AfterFailover
    /// What was asked and not answered, by number.
    private var awaited: [UInt32: Awaited] = [:]
    private var lastNumber: UInt32 = 0
    private var word: [UInt8] = []
    private var mayReadInformation = true
    private var hasConnected = false
    /// Whether a connection was lost since the server said who it is.
    private var isConnectedAgain = false
    /// The store's clock, as it was read in this round.
    private var time: StoreTime?

    /// Of a cluster, the servers that were met.
    private var servers = KnownServers()

    /// What the server said of itself last, if it may be asked.
    package private(set) var information: StoreInformation?
    /// How far clocks are apart.
    package private(set) var skew = ClockSkew()
    /// Whether it cannot be known if a new connection leads to the same server, though proofs depend on it.
    package var cannotSeeFailovers: Bool { !mayReadInformation && failover == .refuse }
    /// How often in a row the server has said that it is cut off from its replicas.
    private var cutOffs = 0
    /// Whether the primary says that it is cut off from its replicas, and has said so before: one that is late once is none.
    ///
    /// Of a cluster each server speaks for its own slots, and one that is cut off from the others stops by itself.
    package var isCutOff: Bool { mayReadInformation && !isCluster && cutOffs > 1 }
    /// Whether the server may not be asked what it says of itself.
    package var cannotSeeInformation: Bool { !mayReadInformation }
    /// How many seconds from now a client has to make a proof for it to pass: so long proofs wait when a store is new.
    package func secondsToWait(at now: WatchTime) -> Int {
        forgottenUntil == .min ? 0 : Int(clamping: max(0, forgottenUntil + future - now.seconds))
    }

    /// The last second, by any replica's clock, in which a proof may have been used that is forgotten; since 1970.
    package private(set) var forgottenUntil = Int64.min

    /// A watch over a store that knows proofs which may be so old, and so far ahead.
    ///
    /// `tags` say which parts of the slots have epochs of their own.
    package init(
        _ names: StoreNames, tags: [Int] = [], past: Duration, future: Duration, failover: StoreSettings.AfterFailover
    ) {
        parts = ([names.epoch] + tags.map(names.epoch(tag:))).map { Part(key: $0) }
        let seconds = past.components.seconds + future.components.seconds
        window = min(max(0, seconds), 1_000_000) + UseOnce.clockSeconds
        self.future = min(max(0, future.components.seconds), 1_000_000)
        self.failover = failover
    }

    /// Takes the word of the store that was watched before.
    ///
    /// Another one, however old, is that of a store which knows other proofs. Where it is the same store, reached in another
    /// way, nothing is forgotten.
    package mutating func goOn(from other: EpochWatch) { parts[0].epoch = other.parts[0].epoch }

    /// A connection stands: all is asked anew, before anything else is.
    ///
    /// `word` are sixteen random bytes, for an epoch that has to be made.
    package mutating func connected(at now: WatchTime, word: [UInt8]) -> [Question] {
        // Another server may let its users read more, or less.
        mayReadInformation = true
        isConnectedAgain = hasConnected
        hasConnected = true
        return ask(at: now, word: word, isWhole: true)
    }

    /// A second has passed; nothing while answers to the last questions are missing.
    package mutating func secondPassed(at now: WatchTime, word: [UInt8]) -> [Question] {
        awaited.isEmpty ? ask(at: now, word: word, isWhole: false) : []
    }

    /// The answer to the question of this number.
    ///
    /// Not to the one that was asked first: a server that says "not here" or "not yet" has a question asked again, and
    /// those behind it are answered before. What a server says of itself is then no epoch.
    package mutating func answered(_ number: UInt32, _ reply: StoreReply, at now: WatchTime) -> Step {
        guard let asked = awaited.removeValue(forKey: number) else { return Step() }
        switch asked {
        case .time(let asked): return timeRead(reply, asked: asked, at: now)
        case .epoch(let part): return epochRead(reply, of: part, at: now)
        case .information: return informationRead(reply, at: now)
        case .making(let part, let epoch):
            let key = parts[part].key
            guard let found = try? MakeEpoch(key: key, epoch: epoch).outcome(of: reply) else { return Step() }
            (parts[part].epoch, parts[part].hasSeenEpoch) = (found, true)
            return Step()
        }
    }

    /// What another connection was told of the epoch of a part when it was opened; nil where there was none.
    package mutating func greeted(_ epoch: [UInt8]?, part: Int = 0, at now: WatchTime) -> Step {
        guard parts.indices.contains(part) else { return Step() }
        var step = judge(epoch.map { .bytes($0) } ?? .null, of: part, at: now)
        guard parts.count > 1, let forgetting = step.forgetting else { return step }
        if heard.second != now.seconds { heard = (now.seconds, []) }
        if heard.said.contains(forgetting) { step.forgetting = nil } else { heard.said.append(forgetting) }
        return step
    }

    /// The question of this number has no answer.
    package mutating func unanswered(_ number: UInt32) { awaited[number] = nil }

    /// The store lacks what it had.
    package mutating func lostLine(at now: WatchTime) -> Step { forget(.log, at: now) }

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

    /// The same of a server of a cluster at a place, by a worker's connection: each has keys of its own, and may be lost alone.
    package mutating func greeted(information text: [UInt8]?, by place: String, worker: Int, at now: WatchTime) -> Step
    {
        guard failover == .refuse else { return Step() }
        return servers.meet(place, text.map { StoreInformation($0) }, worker: worker)
            ? forget(.failover, at: now) : Step()
    }

    /// All servers that the cluster names are reached.
    package mutating func metAllServers() { servers.metAll() }

    /// The connection is gone, and with it the answers.
    package mutating func lost() {
        awaited = [:]
    }
}

extension EpochWatch {
    private mutating func ask(at now: WatchTime, word: [UInt8], isWhole: Bool) -> [Question] {
        self.word = word
        self.isWhole = isWhole
        turn = (turn + 1) % EpochWatch.turns
        time = nil
        awaited = [:]
        unmade = []
        said = []
        let key = parts[0].key
        var questions = [
            question(.time(asked: now), key, ReadTime(key: key).arguments),
            question(.epoch(0), key, ReadEpoch(key: key).arguments),
        ]
        if mayReadInformation {
            questions.append(question(.information, key, ReadInformation(key: key).arguments))
        }
        return questions + askParts { isWhole || $0 }
    }

    /// Asks about parts; `isAsked` is told whether it is a part's turn.
    private mutating func askParts(_ isAsked: (Bool) -> Bool) -> [Question] {
        var questions: [Question] = []
        for part in parts.indices.dropFirst() where isAsked(part % EpochWatch.turns == turn) {
            let key = parts[part].key
            questions.append(question(.epoch(part), key, ReadEpoch(key: key).arguments))
        }
        return questions
    }

    /// Whether each part of the slots has an epoch of its own.
    private var isCluster: Bool { parts.count > 1 }

    private mutating func question(
        _ awaited: Awaited, _ key: StoreName, _ arguments: [[UInt8]], changesNothing: Bool = true
    ) -> Question {
        lastNumber &+= 1
        self.awaited[lastNumber] = awaited
        return Question(
            number: lastNumber,
            question: StoreQuestion(key: key, arguments: arguments, changesNothing: changesNothing))
    }

    private mutating func make(_ part: Int, at time: StoreTime) -> Question {
        let key = parts[part].key
        let made = StoreEpoch(word: word, at: time)
        return question(
            .making(part, made), key, MakeEpoch(key: key, epoch: made).arguments, changesNothing: false)
    }

    private mutating func timeRead(_ reply: StoreReply, asked: WatchTime, at now: WatchTime) -> Step {
        guard let read = try? ReadTime(key: parts[0].key).outcome(of: reply) else { return Step() }
        time = read
        skew.measure(read, asked: asked, answered: now)
        var step = Step()
        for part in unmade { step.questions.append(make(part, at: read)) }
        unmade = []
        return step
    }

    private mutating func epochRead(_ reply: StoreReply, of part: Int, at now: WatchTime) -> Step {
        var step = judge(reply, of: part, at: now)
        guard let forgetting = step.forgetting else { return step }
        if forgetting == .missing || forgetting == .new, !word.isEmpty {
            // Without the store's time it cannot say when: servers of a cluster answer in any order.
            if let time { step.questions.append(make(part, at: time)) } else { unmade.append(part) }
        }
        if !isWhole {
            // Whoever lost one lost others, and each is to be there again before it is looked at the next time.
            isWhole = true
            step.questions += askParts { !$0 }
        }
        if said.contains(forgetting) { step.forgetting = nil } else { said.append(forgetting) }
        return step
    }

    private mutating func judge(_ reply: StoreReply, of part: Int, at now: WatchTime) -> Step {
        let found: StoreEpoch?
        do throws(StoreRefusal) {
            found = try ReadEpoch(key: parts[part].key).outcome(of: reply)
        } catch {
            // A stranger put something else there. Any other refusal says nothing of what the store knows.
            return error == .refused("WRONGTYPE") || error == .unexpected ? forget(.altered, at: now) : Step()
        }
        guard let found else {
            parts[part].epoch = nil
            return forget(parts[part].hasSeenEpoch ? .missing : .new, at: now)
        }
        defer { (parts[part].epoch, parts[part].hasSeenEpoch) = (found, true) }
        if let epoch = parts[part].epoch { return epoch == found ? Step() : forget(.replaced, at: now) }
        guard let madeAt = found.madeAt else { return forget(.altered, at: now) }
        let since = min(madeAt, now.seconds)
        let step = forget(.young, since: since)
        // Of what is older than any proof without a nonce nobody has to be told.
        return since + window > now.seconds ? step : Step()
    }

    private mutating func informationRead(_ reply: StoreReply, at now: WatchTime) -> Step {
        let read: StoreInformation
        do throws(StoreRefusal) {
            read = try ReadInformation(key: parts[0].key).outcome(of: reply)
        } catch {
            guard error == .refused("NOPERM") else { return Step() }
            mayReadInformation = false
            // It may be another server, and does not say so: who wants to be sure takes it for one.
            defer { isConnectedAgain = false }
            // Of a cluster each connection has told of its own server.
            return isConnectedAgain && failover == .refuse && !isCluster ? failedOver(at: now) : Step()
        }
        defer { information = read }
        cutOffs = read.isCutOff ? cutOffs + 1 : 0
        isConnectedAgain = false
        guard let before = information else { return firstRead(read, at: now) }
        if before.replicationID != read.replicationID || before.runID != read.runID {
            // Of a cluster the epoch may have moved: whether that server was made primary was found out when it was met.
            var step = failedOver(at: now, isMet: isCluster && servers.know(read))
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

    private mutating func failedOver(at now: WatchTime, isMet: Bool = false) -> Step {
        var step = failover == .refuse && !isMet ? forget(.failover, at: now) : Step()
        step.isFailover = true
        return step
    }

    private mutating func forget(_ cause: Forgetting, at now: WatchTime) -> Step {
        forget(cause, since: now.seconds)
    }

    private mutating func forget(_ cause: Forgetting, since: Int64) -> Step {
        forgottenUntil = max(forgottenUntil, since + UseOnce.clockSeconds)
        var step = Step()
        step.forgetting = cause
        return step
    }
}
