package import Sessions

/// A session as the store knows it without its cookie: when it began and ends, and never whose it is or what it holds.
package struct StoredSession: Sendable, Equatable {
    /// The end of its name, by which an operator names it.
    package let name: String
    /// In seconds since 1970, as far as the absolute limit of today says it.
    package let begun: Int64
    /// In seconds since 1970, to a minute; nil where the store's user may not read it, or the absolute end hides it.
    package let lastUsed: Int64?
    /// The end that nothing moves, in seconds since 1970.
    package let end: Int64
}

/// The sessions of one login client as an operator lists and ends them, on the store alone (SH-29).
package struct StoredSessions: Sendable {
    /// Which sessions.
    package enum Which: Sendable {
        /// All of a user's.
        case subject(issuer: String, subject: String)
        /// Those that belong to one of the authorization server's.
        case serverSession(issuer: String, sid: String)
    }

    private let store: SharedStore
    private let client: String
    private let limits: SessionLimits
    private let lifetime: SessionLifetime

    /// The sessions of a client, with the settings that it has now.
    package init(_ store: SharedStore, client: String, _ settings: SessionSettings) {
        self.store = store
        self.client = client
        limits = SessionLimits(settings)
        lifetime = SessionLifetime(settings)
    }

    /// Those that are alive, the one that ends last at the end.
    package func list(_ which: Which) async throws(StoreRefusal) -> [StoredSession] {
        let now = try await store.perform(ReadTime(key: store.names.log)).milliseconds
        var found: [StoredSession] = []
        for entry in try await entries(which) {
            guard let key = store.names.name(.session, suffix: entry.suffix) else { continue }
            // An index may name what is over: only the session itself says that it is there.
            guard case .generation = try await store.perform(RecheckSession(key: key)) else { continue }
            let end = entry.end / 1000
            found.append(
                StoredSession(
                    name: String(decoding: entry.suffix, as: UTF8.self),
                    begun: SessionLimits.sum(end, -limits.absolute),
                    lastUsed: try await lastUsed(key, end: entry.end, now: now), end: end))
        }
        return found.sorted { ($0.end, $0.name) < ($1.end, $1.name) }
    }

    /// Ends them at all replicas, and keeps out logins that are under way; how many there were.
    ///
    /// First the marker, then what it ends: a login under way sees the one, or is found by the other (SH-37, SH-38).
    package func end(_ which: Which) async throws(StoreRefusal) -> Int {
        let until: Int64
        switch which {
        case .subject: until = try await store.perform(ReadTime(key: store.names.log)).seconds
        case .serverSession: until = .max
        }
        let markers = markers(which)
        for marker in markers {
            try await store.perform(MarkEnded(key: marker, until: until, timeToLive: lifetime.memoryOfEnding))
        }
        var count = 0
        for entry in try await entries(which) {
            guard let key = store.names.name(.session, suffix: entry.suffix) else { continue }
            if try await end(key) { count += 1 }
        }
        try await tell(StoreLogLine(.marked, of: markers[0]))
        return count
    }

    /// Ends the session of a name that `list` gave; whether there was one, nil where it is no name.
    package func end(named name: String) async throws(StoreRefusal) -> Bool? {
        guard let key = store.names.name(.session, suffix: Array(name.utf8)) else { return nil }
        return try await end(key)
    }
}

extension StoredSessions {
    private func end(_ key: StoreName) async throws(StoreRefusal) -> Bool {
        let end = EndSession(key: key, tombstone: lifetime.memoryOfEnding, keepsRevocable: true)
        switch try await store.perform(end) {
        case .ended(let generation):
            // The gateways see to its tokens (SH-46).
            try await tell(StoreLogLine(.endedByOperator, of: key, generation: generation ?? 0))
            return true
        case .endedBefore:
            // Perhaps by this very question, whose answer was lost: nobody may have heard of it.
            try await tell(StoreLogLine(.ended, of: key))
            return false
        case .absent: return false
        }
    }

    /// The truth is in the sessions: the log only makes it quick.
    private func tell(_ line: StoreLogLine) async throws(StoreRefusal) {
        _ = try await store.perform(WriteLog(key: store.names.log, line: line))
    }

    /// What the indexes name, under each key of the ring, each once.
    private func entries(_ which: Which) async throws(StoreRefusal) -> [ListEnrolled.Entry] {
        var ends: [[UInt8]: Int64] = [:]
        for index in indexes(which) {
            for first in stride(from: 0, to: EnrollSession.limit, by: ListEnrolled.page) {
                let page = try await store.perform(ListEnrolled(key: index, first: first))
                for entry in page.entries { ends[entry.suffix] = max(entry.end, ends[entry.suffix] ?? 0) }
                guard page.isFull else { break }
            }
        }
        return ends.map { ListEnrolled.Entry(suffix: $0.key, end: $0.value) }
    }

    /// A session that is used gets its idle limit anew, and so what it has left says when that was; unless the absolute
    /// end has cut it.
    private func lastUsed(_ key: StoreName, end: Int64, now: Int64) async throws(StoreRefusal) -> Int64? {
        let left: Int64?
        do throws(StoreRefusal) {
            left = try await store.perform(ReadTimeToLive(key: key))
        } catch {
            guard error == .refused("NOPERM") else { throw error }
            return nil
        }
        guard let left else { return nil }
        let (until, overflow) = now.addingReportingOverflow(left)
        guard !overflow, until < end - 1000 else { return nil }
        let used = now - (limits.idle * 1000 - left)
        return used > now ? nil : used / 1000
    }

    private func indexes(_ which: Which) -> [StoreName] {
        switch which {
        case .subject(let issuer, let subject):
            store.names.indexes(client: client, issuer: issuer, subject: subject)
        case .serverSession(let issuer, let sid):
            store.names.indexes(client: client, issuer: issuer, serverSession: sid)
        }
    }

    private func markers(_ which: Which) -> [StoreName] {
        switch which {
        case .subject(let issuer, let subject):
            store.names.markers(client: client, issuer: issuer, subject: subject)
        case .serverSession(let issuer, let sid):
            store.names.markers(client: client, issuer: issuer, serverSession: sid)
        }
    }
}
