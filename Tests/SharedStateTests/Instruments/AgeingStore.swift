import Sessions
import Synchronization
import TestSupport

@testable import SharedState

/// A shared store at a real server whose keys grow older with the time that a test says it is.
///
/// What the store knows of time is how long its keys have left. So whenever the test's time has passed, they have that much
/// less.
final class AgeingStore: SessionStore {
    let store: SharedSessionStore
    private let administrator: StoreClient
    private let prefix: String
    private let time = Mutex<Int64?>(nil)

    init(_ server: RedisServer, _ settings: SessionSettings, client: String, issuer: String? = nil) throws {
        let shared = try SharedStore.make(try RedisAsking(server))
        prefix = shared.settings.prefix
        administrator = try server.administrator()
        store = SharedSessionStore(
            shared, settings: settings, for: SharedSessionClient(name: client, issuer: issuer),
            executor: OwnThreads.shared)
    }

    private func age(_ now: Int64) {
        _ = eventually { !store.isWorking }
        let seconds = time.withLock { time in
            defer { time = max(now, time ?? now) }
            return max(0, now - (time ?? now))
        }
        guard seconds > 0, let keys = try? administrator.send("KEYS", "\(prefix):*").array else { return }
        for key in keys.compactMap(\.bytes) {
            guard let left = try? administrator.send(["PTTL".bytes, key]).number, left > 0 else { continue }
            _ = try? administrator.send(["PEXPIRE".bytes, key, StoreNumber.text(left - seconds * 1000)])
        }
    }

    func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup {
        age(now)
        return store.lookUp(value, now: now)
    }

    func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? {
        age(now)
        return try await store.load(value, now: now)
    }

    func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8] {
        age(now)
        return try await store.create(session, now: now, onLeaving: onLeaving)
    }

    func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? {
        age(now)
        return try await store.replace(value, by: session, now: now)
    }

    func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? {
        age(now)
        return store.touch(value, session, now: now)
    }

    func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] {
        age(now)
        return try await store.end(which, now: now)
    }

    func isEnded(_ session: Session, now: Int64) -> Bool { store.isEnded(session, now: now) }

    var alive: Int? { store.alive }
    var endings: UInt64 { store.endings }

    func goesOn(from other: any SessionStore) -> Bool { store.goesOn(from: (other as? AgeingStore)?.store ?? other) }

    func sweep(now: Int64) {
        age(now)
        store.sweep(now: now)
    }
}
