import Crypto
import Sessions
import Synchronization

@testable import SharedState

/// A store of what logins have in common, in memory: it takes their commands as a server would, and fails when told to.
final class SharedLoginStore: StoreAsking {
    /// What becomes of commands.
    enum Health: Sendable {
        case good
        /// They do not arrive.
        case down
        /// They are executed, and the answer does not come.
        case silent
    }

    private struct State {
        var health = Health.good
        var refusesOverwriting = false
        var texts: [[UInt8]: [UInt8]] = [:]
        var hashes: [[UInt8]: (count: Int, value: [UInt8])] = [:]
        var milliseconds: [[UInt8]: [UInt8]] = [:]
        var asked: [[[UInt8]]] = []
    }

    private let state = Mutex(State())
    private let scripts: StoreScripts

    init() throws { scripts = try StoreScripts() }

    /// A store that a process has of this one.
    func shared(_ shares: [StoreSettings.Share] = [.logins], key: UInt8 = 9) throws -> SharedStore {
        var settings = StoreSettings()
        settings.keys = [Secret([UInt8](repeating: key, count: 32))]
        settings.shares = shares
        return try SharedStore(settings, asking: self)
    }

    var health: Health {
        get { state.withLock(\.health) }
        set { state.withLock { $0.health = newValue } }
    }

    /// Whether its memory is full when something is to be written over.
    var refusesOverwriting: Bool {
        get { state.withLock(\.refusesOverwriting) }
        set { state.withLock { $0.refusesOverwriting = newValue } }
    }

    /// The names of what is there.
    var names: [String] {
        state.withLock { state in
            let keys = Array(state.texts.keys) + Array(state.hashes.keys)
            return keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
        }
    }

    /// Every byte that it was ever sent.
    var seen: [UInt8] { state.withLock { Array($0.asked.joined().joined(separator: [0])) } }
    var asked: Int { state.withLock { $0.asked.count } }
    /// How long what is under a name stays.
    func milliseconds(_ kind: String) -> [String] {
        state.withLock { state in
            state.milliseconds.filter { String(decoding: $0.key, as: UTF8.self).hasPrefix("pc:\(kind):") }
                .map { String(decoding: $0.value, as: UTF8.self) }
        }
    }

    /// Writes to what lies there, as somebody who may write to the store.
    func alterObjects(_ change: (inout [UInt8]) -> Void) {
        state.withLock { state in
            for key in state.hashes.keys { change(&state.hashes[key, default: (0, [])].value) }
        }
    }

    /// The same with what lies there as a text.
    func alterTexts(_ change: (inout [UInt8]) -> Void) {
        state.withLock { state in
            for key in state.texts.keys { change(&state.texts[key, default: []]) }
        }
    }

    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        let reply: StoreReply? = state.withLock { state in
            guard state.health != .down else { return nil }
            state.asked.append(question.arguments)
            return execute(question.arguments, &state)
        }
        guard let reply else { throw .unavailable }
        guard health != .silent else { throw .unknown }
        return reply
    }

    private func execute(_ words: [[UInt8]], _ state: inout State) -> StoreReply {
        let key = words.count > 3 && words[0] == .word("EVALSHA") ? words[3] : words[1]
        switch String(decoding: words[0], as: UTF8.self) {
        case "SET":
            let isNew = words.contains(.word("NX"))
            guard !isNew || state.texts[key] == nil else { return .null }
            guard isNew || !state.refusesOverwriting else { return .error(.word("OOM")) }
            state.texts[key] = words[2]
            state.milliseconds[key] = words.last
            return .status(.word("OK"))
        case "GET": return state.texts[key].map { .bytes($0) } ?? .null
        case "EVALSHA" where words[1] == scripts.digest(.keep):
            guard state.hashes[key] == nil else { return .integer(1) }
            state.hashes[key] = (0, words[5])
            state.milliseconds[key] = words[6]
            return .integer(0)
        case "EVALSHA" where words[1] == scripts.digest(.fetch):
            guard let found = state.hashes[key], found.count < StoreNumber.parse(words[4]) ?? 0 else { return .null }
            state.hashes[key]?.count += 1
            return .bytes(found.value)
        case "HMGET":
            guard let found = state.hashes[key] else { return .array([.null, .null]) }
            return .array([.bytes(StoreNumber.text(found.count)), .bytes(found.value)])
        case "UNLINK": return .integer(state.hashes.removeValue(forKey: key) == nil ? 0 : 1)
        default: return .error(.word("ERR"))
        }
    }
}
