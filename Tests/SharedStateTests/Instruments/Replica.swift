import Crypto
import Sessions
import Synchronization
import TestSupport

@testable import SharedState

/// One process's store of sessions, at a real server that a test can make fail.
final class Replica: Sendable {
    let asking: ScriptedAsking
    let shared: SharedStore
    let store: SharedSessionStore
    let prefix: String
    private let notes: Notes
    private let orphans: Orphans

    init(
        _ server: RedisServer, prefix: String, recheck: Int = 10, settings: SessionSettings = Replica.settings(),
        client: String = Sample.client, issuer: String? = nil, durability: StoreSettings.Durability = .primary,
        continuing other: Replica? = nil, pause: @escaping @Sendable () -> Void = {}
    ) throws {
        let (notes, orphans) = (Notes(), Orphans())
        self.prefix = prefix
        asking = ScriptedAsking(try RedisAsking(server))
        shared = try SharedStore.make(asking, prefix: prefix, recheck: recheck, durability: durability)
        store = SharedSessionStore(
            shared, settings: settings,
            for: SharedSessionClient(
                name: client, issuer: issuer, onNote: { notes.append($0) }, onOrphan: { orphans.append($0) },
                pause: { _ in pause() }),
            executor: OwnThreads.shared, continuing: other?.store)
        (self.notes, self.orphans) = (notes, orphans)
    }

    /// Several of one store.
    static func several(_ count: Int, recheck: Int = 10, settings: SessionSettings = settings()) throws -> [Replica] {
        let prefix = StoreNumberText.random()
        let server = try RedisServer.shared.get()
        return try (0..<count).map { _ in
            try Replica(server, prefix: prefix, recheck: recheck, settings: settings)
        }
    }

    static func settings(
        idle: Int = 1800, absolute: Int = 28_800, limit: Int = 1000, revocable: Bool = false
    ) -> SessionSettings {
        var settings = SessionSettings(store: .shared, cookieName: "__Host-portcullis-shop")
        settings.idle = .seconds(idle)
        settings.absolute = .seconds(absolute)
        settings.limit = limit
        settings.isRevocable = revocable
        return settings
    }

    /// What the operator was told, endings left out.
    var told: [SharedSessionNote] { notes.all.filter { $0 != .ended } }
    /// How often endings were told.
    var endingsTold: Int { notes.all.count { $0 == .ended } }

    /// The refresh tokens that this process was given to revoke, of sessions that were ended without their cookie; `-` for a
    /// session whose own stays.
    var revoked: [String] { orphans.all }
    /// Sessions whose tokens were left to end by themselves.
    var skipped: UInt64 { shared.figures.skippedRevocations }

    /// Waits for what is done beside requests.
    func settle() { _ = eventually { !store.isWorking } }

    /// The session of a cookie; nil for none, and a refusal where nobody knows.
    func load(_ value: [UInt8], _ now: Int64 = Sample.now) async throws(SessionStoreRefusal) -> Session? {
        try await store.load(value, now: now)
    }

    func create(_ session: Session, _ now: Int64 = Sample.now) async throws(SessionStoreRefusal) -> [UInt8] {
        try await store.create(session, now: now, onLeaving: { _ in })
    }

    /// What a request that brings the cookie is told at once.
    func look(_ value: [UInt8], _ now: Int64 = Sample.now) -> Seen {
        switch store.lookUp(value, now: now) {
        case .found(let session, _): .found(session.generation)
        case .none: .none
        case .elsewhere: .elsewhere
        }
    }

    enum Seen: Equatable {
        case found(UInt32), none, elsewhere
    }

    /// The lines that other processes have written, as whoever follows the log hands them over.
    func lines() throws -> [StoreLogLine] {
        let client = try RedisServer.shared.get().administrator()
        let entries = try client.send(["XRANGE".bytes, shared.names.log.bytes, "-".bytes, "+".bytes]).array ?? []
        return entries.compactMap { $0.array?.last.flatMap(StoreLogLine.init(fields:)) }
    }

    /// A connection that sees what lies in the store.
    func administrator() throws -> StoreClient { try RedisServer.shared.get().administrator() }

    func name(of session: Session) -> StoreName { shared.names.session(session.id) }

    final class Orphans: Sendable {
        private let tokens = Mutex<[String]>([])

        func append(_ orphan: OrphanedTokens) {
            let token: Secret? =
                switch orphan {
                case .session(let session, let keepsRefreshToken): keepsRefreshToken ? nil : session.refreshToken
                case .refreshToken(let token): token
                }
            tokens.withLock { $0.append(token.map { String(decoding: $0.reveal(), as: UTF8.self) } ?? "-") }
        }

        var all: [String] { tokens.withLock { $0 } }
    }

    final class Notes: Sendable {
        private let notes = Mutex<[SharedSessionNote]>([])
        func append(_ note: SharedSessionNote) { notes.withLock { $0.append(note) } }
        var all: [SharedSessionNote] { notes.withLock { $0 } }
    }
}

extension Sample {
    /// The session after its refresh.
    static func refreshed(_ session: Session) -> Session {
        var next = session
        next.generation += 1
        next.refreshToken = Secret("refresh-\(next.generation)".bytes)
        return next
    }

    /// The end of a session's name that nobody has.
    static func uniqueSuffix() -> [UInt8] { (try? unusedName().suffix) ?? [] }
}

extension Session {
    /// What a test can see of a session beside its identifier.
    var image: String { String(decoding: refreshToken?.reveal() ?? [], as: UTF8.self) + " \(generation) \(subject)" }
}
