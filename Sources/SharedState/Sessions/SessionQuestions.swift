import Sessions

/// What the sessions of one client ask of the store, each in the order that its correctness rests on (SH-38).
struct SessionQuestions: Sendable {
    let shared: SharedStore
    let client: String

    private var names: StoreNames { shared.names }

    /// What a recheck says of a session that is known here.
    enum Standing: Sendable, Equatable {
        /// It is there, in this generation, and no marker ends it.
        case lives(UInt32)
        /// The store has none.
        case none
        /// A marker ends it.
        case covered
        /// What is there was not written by a gateway.
        case altered
    }

    /// Whether a session is still there, and what the markers say: all questions at once.
    ///
    /// One "there is none" ends nothing: it is asked again.
    func standing(of session: Session) async throws(SessionStoreRefusal) -> Standing {
        let recheck = RecheckSession(key: names.session(session.id))
        async let first = answer(recheck)
        async let covered = isCovered(session)
        var generation = try await first.orUnavailable()
        if case .none = generation { generation = try await answer(recheck).orUnavailable() }
        switch (generation, try await covered.orUnavailable()) {
        case (.none, _): return .none
        case (.altered, _): return .altered
        case (.generation, true): return .covered
        case (.generation(let generation), false): return .lives(generation)
        }
    }

    /// Whether a marker ends a session (SH-44).
    func isEnded(_ session: Session) async throws(SessionStoreRefusal) -> Bool {
        try await isCovered(session).orUnavailable()
    }

    private func isCovered(_ session: Session) async -> Result<Bool, StoreRefusal> {
        await withTaskGroup(of: Result<Int64?, StoreRefusal>.self) { group in
            for marker in markers(of: session) { group.addTask { await answer(ReadMarker(key: marker)) } }
            var isCovered = false
            var refusal: StoreRefusal?
            for await result in group {
                switch result {
                case .success(let until): isCovered = isCovered || until.map { session.createdAt <= $0 } ?? false
                case .failure(let error): refusal = error
                }
            }
            // One that covers it is enough, whatever the others would have said.
            if !isCovered, let refusal { return .failure(refusal) }
            return .success(isCovered)
        }
    }

    /// The markers that could end a session, under each key of the ring.
    func markers(of session: Session) -> [StoreName] {
        names.markers(client: client, issuer: session.issuer, subject: session.subject)
            + (session.serverSession.map {
                names.markers(client: client, issuer: session.issuer, serverSession: $0)
            } ?? [])
    }

    /// Notes a new session in the indexes of its user and of the server's session; the names of those that are to end for
    /// it (SH-43).
    func enroll(_ session: Session, for time: TimeToLive) async throws(SessionStoreRefusal) -> [StoreName] {
        let name = names.session(session.id)
        var indexes = [names.indexes(client: client, issuer: session.issuer, subject: session.subject)[0]]
        if let sid = session.serverSession {
            indexes.append(names.indexes(client: client, issuer: session.issuer, serverSession: sid)[0])
        }
        var leaving: [StoreName] = []
        for index in indexes {
            let suffixes = try await perform(EnrollSession(key: index, session: name, timeToLive: time))
            leaving += suffixes.compactMap { names.name(.session, suffix: $0) }
        }
        return leaving.filter { $0 != name }
    }

    /// A session that was there, and was ended now.
    struct Ended: Sendable {
        let name: StoreName
        /// The newest one that the store had.
        let generation: UInt32
    }

    /// Ends sessions by name, and tells all processes how; success means that each is ended.
    ///
    /// Those that this call has ended: others were over before.
    @discardableResult
    func end(
        _ sessions: [StoreName], tombstone: TimeToLive, as kind: StoreLogLine.Kind = .ended
    ) async throws(SessionStoreRefusal) -> [Ended] {
        var remaining = sessions[...]
        var ended: [Ended] = []
        // A user has a thousand at most; as many as that at once would keep the link from everybody else.
        while !remaining.isEmpty {
            let batch = remaining.prefix(SessionQuestions.batch)
            remaining = remaining.dropFirst(SessionQuestions.batch)
            let results = await withTaskGroup(of: Result<Ended?, StoreRefusal>.self) { group in
                for name in batch { group.addTask { await endOne(name, tombstone, kind) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for result in results { if let one = try result.orUnavailable() { ended.append(one) } }
        }
        return ended
    }

    private static let batch = 32

    /// Takes sessions that are over out of these indexes; one that stays there goes by its absolute end.
    func leave(_ indexes: [StoreName], _ sessions: [StoreName]) async {
        guard !sessions.isEmpty else { return }
        for index in indexes { _ = await answer(LeaveIndex(key: index, sessions: sessions)) }
    }

    /// All indexes that name a session, under each key of the ring.
    func indexes(of session: Session) -> [StoreName] {
        names.indexes(client: client, issuer: session.issuer, subject: session.subject)
            + (session.serverSession.map {
                names.indexes(client: client, issuer: session.issuer, serverSession: $0)
            } ?? [])
    }

    private func endOne(
        _ name: StoreName, _ tombstone: TimeToLive, _ kind: StoreLogLine.Kind
    ) async -> Result<Ended?, StoreRefusal> {
        let ended: EndSession.Outcome
        switch await answer(EndSession(key: name, tombstone: tombstone, keepsRevocable: kind != .ended)) {
        case .success(let outcome): ended = outcome
        case .failure(let refusal): return .failure(refusal)
        }
        switch ended {
        case .ended(let generation):
            await tell(StoreLogLine(kind, of: name, generation: generation ?? 0))
            return .success(Ended(name: name, generation: generation ?? 0))
        case .absent:
            await tell(StoreLogLine(.ended, of: name))
            return .success(nil)
        // Perhaps by this very question, whose answer was lost: whoever ended it may not have told.
        case .endedBefore:
            await tell(StoreLogLine(kind, of: name))
            return .success(nil)
        }
    }

    /// Writes a marker, under the first key: the others are still asked for.
    func mark(_ markers: [StoreName], until: Int64, for time: TimeToLive) async throws(SessionStoreRefusal) {
        try await perform(MarkEnded(key: markers[0], until: until, timeToLive: time))
    }

    /// The sessions that an index names, under each key of the ring.
    func members(of indexes: [StoreName]) async throws(SessionStoreRefusal) -> [StoreName] {
        var members: [StoreName] = []
        for index in indexes {
            members += try await perform(ListSessions(key: index)).compactMap { names.name(.session, suffix: $0) }
        }
        return members
    }

    /// Writes a line into the log: where that fails, others find out by their next question.
    func tell(_ line: StoreLogLine) async { _ = await answer(WriteLog(key: names.log, line: line)) }

    /// What the store says to a command; every refusal says that nobody knows (SH-21).
    func perform<Asked: StoreCommand>(_ command: Asked) async throws(SessionStoreRefusal) -> Asked.Outcome {
        try await answer(command).orUnavailable()
    }

    private func answer<Asked: StoreCommand>(_ command: Asked) async -> Result<Asked.Outcome, StoreRefusal> {
        guard !shared.figures.isPrimaryCutOff else { return .failure(.unavailable) }
        do throws(StoreRefusal) {
            return .success(try await shared.perform(command))
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Failure == StoreRefusal {
    /// The answer; a refusal is neither a yes nor a no.
    fileprivate func orUnavailable() throws(SessionStoreRefusal) -> Success {
        switch self {
        case .success(let answer): answer
        case .failure: throw .unavailable
        }
    }
}
