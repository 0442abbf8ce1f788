import Sessions
import Synchronization
import TestSupport

@testable import SharedState

/// A shared store at a real server whose keys grow older with the time that a test says it is.
///
/// What the store knows of time is how long its keys have left. Here a second of the test is a thousand of the machine's, so
/// that a slow one costs a key nothing that shows; and when the test's time has passed, keys have that much less.
final class AgeingStore: SessionStore {
    let store: SharedSessionStore
    private let asking: SlowlyAgeing
    private let time = Mutex<Int64?>(nil)

    init(_ server: RedisServer, _ settings: SessionSettings, client: String, issuer: String? = nil) throws {
        asking = SlowlyAgeing(try RedisAsking(server), try server.administrator())
        store = SharedSessionStore(
            try SharedStore.make(asking), settings: settings, for: SharedSessionClient(name: client, issuer: issuer),
            executor: OwnThreads.shared)
    }

    private func age(_ now: Int64) {
        _ = eventually { !store.isWorking }
        let seconds = time.withLock { time in
            defer { time = max(now, time ?? now) }
            return max(0, now - (time ?? now))
        }
        if seconds > 0 { asking.age(seconds) }
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

    func sweep(now: Int64) { store.sweep(now: now) }
}

/// Gives keys a thousand times as long, and takes the same of it.
private final class SlowlyAgeing: StoreAsking {
    private let behind: any StoreAsking
    private let administrator: StoreClient
    private let keys = Mutex<Set<[UInt8]>>([])

    init(_ behind: any StoreAsking, _ administrator: StoreClient) {
        (self.behind, self.administrator) = (behind, administrator)
    }

    func age(_ seconds: Int64) {
        for key in keys.withLock({ $0 }) {
            guard let left = try? administrator.send(["PTTL".bytes, key]).number, left > 0 else { continue }
            _ = try? administrator.send(["PEXPIRE".bytes, key, StoreNumber.text(left - seconds * 1_000_000)])
        }
    }

    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        keys.withLock { _ = $0.insert(question.key.bytes) }
        var arguments = question.arguments
        if let place = SlowlyAgeing.place(of: arguments), let time = StoreNumber.parse(arguments[place]) {
            arguments[place] = StoreNumber.text(time * 1000)
        }
        return try await behind.ask(
            StoreQuestion(key: question.key, arguments: arguments, changesNothing: question.changesNothing))
    }

    /// Where a command says how long its key is to live.
    private static func place(of arguments: [[UInt8]]) -> Int? {
        if arguments[0] == "PEXPIRE".bytes { return 2 }
        guard arguments.count > 4, let scripts = try? StoreScripts() else { return nil }
        switch StoreScript.allCases.first(where: { scripts.digest($0) == arguments[1] }) {
        case .keep: return 6
        case .commit: return 8
        case .end: return 4
        case .mark, .enroll: return 5
        case .begin, .putBack, .fetch, .log, .lease, nil: return nil
        }
    }
}
