package import Sessions

/// What ends sessions here, at all replicas (SH-37 … SH-45).
extension SharedSessionStore {
    package func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] {
        switch which {
        case .session(let session):
            try await questions.end([shared.names.session(session.id)], tombstone: lifetime.memoryOfEnding)
            let ended = known.end(Self.key(of: session), now: now)
            if ended == nil { known.noteEnding() }
            waiting.wake(Self.key(of: session))
            await questions.leave(questions.indexes(of: session), [shared.names.session(session.id)])
            return ended.map { [$0] } ?? []
        case .serverSession(let issuer, let sid, _):
            return try await end(
                SharedEnding(
                    markers: shared.names.markers(client: questions.client, issuer: issuer, serverSession: sid),
                    indexes: shared.names.indexes(client: questions.client, issuer: issuer, serverSession: sid),
                    until: .max), now: now)
        case .subject(let issuer, let subject, let until):
            return try await end(
                SharedEnding(
                    markers: shared.names.markers(client: questions.client, issuer: issuer, subject: subject),
                    indexes: shared.names.indexes(client: questions.client, issuer: issuer, subject: subject),
                    until: until), now: now)
        }
    }

    /// Where a write counts once a replica has it, a tombstone is written once more: the one who wrote it may have been told
    /// that nobody knows, and behind a write of another connection the server counts no replica for this one.
    ///
    /// Nothing is written where none lies there: anybody can make up a cookie, and one with a wrong secret ends nothing.
    package func confirmEnding(of value: [UInt8], now: Int64) async throws(SessionStoreRefusal) {
        guard shared.settings.durability == .replica, let cookie = SharedCookie(value.span) else { return }
        let name = shared.names.session(cookie.id)
        guard try await questions.perform(ReadTombstone(key: name)) else { return }
        try await questions.end([name], tombstone: lifetime.memoryOfEnding)
    }

    /// First the marker, then what it ends: a login that is under way sees the one, or is found by the other (SH-38).
    private func end(_ ending: SharedEnding, now: Int64) async throws(SessionStoreRefusal) -> [Session] {
        try await questions.mark(ending.markers, until: ending.until, for: lifetime.memoryOfEnding)
        known.noteMarker()
        let mine = known.sessions(with: Set(ending.markers.compactMap { NameDigest(suffix: $0.suffix) }))
            .filter { $0.1.createdAt <= ending.until }
        var names = mine.map { shared.names.session($0.1.id) }
        // An index does not say when its sessions began: where some may live on, the marker alone says which.
        if ending.until >= now { names += try await questions.members(of: ending.indexes) }
        var others = try await questions.end(
            Array(Set(names)), tombstone: lifetime.memoryOfEnding, as: .endedByServer)
        var ended: [Session] = []
        for (key, session) in mine {
            let name = shared.names.session(session.id)
            let place = others.firstIndex { $0.name == name }
            let newest = known.end(key, now: now)
            waiting.wake(key)
            // Of an older state than the store's the tokens are spent: whoever has the newest revokes those.
            guard let newest, newest.generation >= place.map({ others[$0].generation }) ?? 0 else { continue }
            ended.append(newest)
            if let place { others.remove(at: place) }
        }
        seeLater(to: others.map(\.name), endedAs: .endedByServer)
        known.noteEnding()
        if ending.until >= now { await questions.leave(ending.indexes, Array(Set(names))) }
        var leaving: [[UInt8]: (index: StoreName, sessions: [StoreName])] = [:]
        for (_, session) in mine {
            let name = shared.names.session(session.id)
            for index in questions.indexes(of: session) {
                leaving[index.bytes, default: (index, [])].sessions.append(name)
            }
        }
        for one in leaving.values { await questions.leave([one.index], one.sessions) }
        await questions.tell(StoreLogLine(.marked, of: ending.markers[0]))
        return ended
    }

    /// Whether a session that is open here was ended.
    ///
    /// What is not known to live is asked about beside the caller, who is called again when it has ended (SH-40).
    package func isEnded(_ session: Session, now: Int64) -> Bool {
        let key = Self.key(of: session)
        guard !known.isOver(key), now < rules.limits.end(of: session) else { return true }
        let isAsked = known.takeQuestion(key, { entry(session, nil, checkedAt: nil) }, now: now, rules)
        if isAsked { askBeside([key], now: now) }
        return false
    }

    /// Hears what other processes did (SH-39): a line of the log each.
    package func learn(_ lines: [StoreLogLine], now: Int64) {
        var markers: Set<NameDigest> = []
        var isNews = false
        for line in lines {
            guard let key = NameDigest(suffix: line.suffix) else { continue }
            switch line.kind {
            case .ended, .endedByServer, .displaced, .endedByOperator:
                // One of another client, or one that nobody here has seen, is noted too: an answer may be under way.
                let session = known.end(key, now: now)
                if session != nil { isNews = true }
                waiting.wake(key)
                if line.isOrphaning { orphaned(session, line) }
            case .refreshed:
                known.learn(key, generation: line.generation)
                waiting.wake(key)
            case .marked: markers.insert(key)
            }
        }
        if !markers.isEmpty {
            known.noteMarker()
            let keys = known.sessions(with: markers).map(\.0)
            if !keys.isEmpty {
                known.makeDue(keys)
                known.noteEnding()
                askBeside(keys, now: now)
            }
        }
        if isNews { tell(.ended) }
    }

    /// Lines may have been missed: everything that is known here is asked about before it is used again (SH-40).
    package func missedLines() {
        known.noteMarker()
        known.makeAllDue()
        tell(.ended)
    }

    /// Asks about sessions that no request waits for; their endings are noted.
    func askBeside(_ keys: [NameDigest], now: Int64) {
        guard open.add(keys, now: now) else { return }
        inBackground { store in
            while let (batch, now) = store.open.next() {
                await withTaskGroup(of: Void.self) { group in
                    for key in batch { group.addTask { await store.askBeside(key, now: now) } }
                }
            }
        }
    }

    private func askBeside(_ key: NameDigest, now: Int64) async {
        guard let entry = known.entry(key) else { return }
        do throws(SessionStoreRefusal) {
            _ = try await recheck(key, entry, now: now)
        } catch {
            open.failed(key)
        }
    }
}

/// An ending that a logout token asks for, by the names under each key of the ring.
private struct SharedEnding {
    let markers: [StoreName]
    let indexes: [StoreName]
    /// Sessions that began until then, in seconds since 1970.
    let until: Int64
}
