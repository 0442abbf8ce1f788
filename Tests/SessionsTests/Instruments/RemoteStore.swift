import Synchronization

@testable import Sessions

/// A store that is another process, as a conformer over a network would be: it answers nothing at once, and may be down.
final class RemoteStore: SessionStore {
    private let behind: any SessionStore
    private let isDown = Atomic<Bool>(false)

    init(_ behind: any SessionStore) { self.behind = behind }

    func goDown() { isDown.store(true, ordering: .releasing) }

    private func reach() throws(SessionStoreRefusal) {
        guard !isDown.load(ordering: .acquiring) else { throw .unavailable }
    }

    func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup { .elsewhere }

    func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? {
        try reach()
        return try await behind.load(value, now: now)
    }

    func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8] {
        try reach()
        return try await behind.create(session, now: now, onLeaving: onLeaving)
    }

    func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? {
        try reach()
        return try await behind.replace(value, by: session, now: now)
    }

    func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? { behind.touch(value, session, now: now) }

    func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] {
        try reach()
        return try await behind.end(which, now: now)
    }

    func isEnded(_ session: Session, now: Int64) -> Bool { behind.isEnded(session, now: now) }

    var alive: Int? { behind.alive }
    var endings: UInt64 { behind.endings }

    func goesOn(from other: any SessionStore) -> Bool {
        behind.goesOn(from: (other as? RemoteStore)?.behind ?? other)
    }

    func sweep(now: Int64) { behind.sweep(now: now) }
}
