import Synchronization

/// How one directory goes on where another stands:
///
///     previous ──┬─ reads, answers, tells ──────┤ stopped
///                │ next.start()
///     next       └─ reads, answers, tells both ─┼─ reads, answers, tells its own
///
/// Exactly one of them reads for an issuer at any time: two that read at the same time would number the same change
/// twice, and ask the issuer twice as often. All of it happens on the executor that both run on, but for `look` and
/// `successor(of:)`, which any thread may call.
extension IssuerDirectory {
    /// The issuer of that name, where it is looked after now.
    func place(named name: String) -> Place? {
        let index = service.withLock { service in service.entries.firstIndex { $0.requests.settings.name == name } }
        guard let index else { return nil }
        return successor(of: index) ?? Place(directory: self, index: index)
    }

    /// Who answers for this issuer now; nil when this directory does.
    func successor(of index: Int) -> Place? {
        var last: Place?
        var next = service.withLock { $0.entries[index].successor }
        while let place = next {
            last = place
            next = place.directory.service.withLock { $0.entries[place.index].successor }
        }
        return last
    }

    /// Reads something of this issuer, from whoever looks after it now.
    func look<Value: Sendable>(at index: Int, _ read: @Sendable (Entry) -> Value) -> Value {
        let place = successor(of: index) ?? Place(directory: self, index: index)
        return place.directory.service.withLock { read($0.entries[place.index]) }
    }

    /// Takes a continued issuer over from the directory before, as it stands at this moment.
    func takeOver(_ index: Int) {
        let before = service.withLock { $0.isStopped ? nil : $0.entries[index].predecessor }
        guard let before else { return }
        let handed = before.directory.service.withLock { service -> (entry: Entry, isStopped: Bool)? in
            guard service.entries[before.index].successor == nil else { return nil }
            service.entries[before.index].cancel()
            service.entries[before.index].successor = Place(directory: self, index: index)
            return (service.entries[before.index], service.isStopped)
        }
        let now = clock.now()
        service.withLock { service in
            if let handed {
                service.entries[index].goOn(from: handed.entry, at: now)
                service.entries[index].askers += handed.entry.askers
            }
            if handed?.isStopped ?? true { service.entries[index].predecessor = nil }
        }
    }

    /// Leaves the row of directories that one issuer was handed along; `self` is stopped.
    ///
    /// When nobody has taken the issuer over, the one before goes on with what is known by now.
    func leave(_ index: Int) {
        let entry = service.withLock { service in
            defer { service.entries[index].predecessor = nil }
            return service.entries[index]
        }
        if let after = entry.successor {
            after.directory.service.withLock { $0.entries[after.index].predecessor = entry.predecessor }
        }
        guard let before = entry.predecessor else { return }
        let now = clock.now()
        let goesOn = before.directory.service.withLock { service in
            guard service.entries[before.index].successor?.directory === self else { return false }
            service.entries[before.index].successor = entry.successor
            guard entry.successor == nil, !service.isStopped else { return false }
            service.entries[before.index].goOn(from: entry, at: now)
            return true
        }
        if goesOn { before.directory.resume(before.index) }
    }
}
