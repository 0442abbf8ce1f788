import Crypto
import Sessions
import Synchronization

@testable import SharedState

/// Asks a real server over one connection, and waits for it.
final class RedisAsking: StoreAsking {
    private let client: StoreClient

    init(_ server: RedisServer) throws { client = try server.client() }

    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        guard let reply = try? client.send(question.arguments) else { throw .unavailable }
        return reply
    }
}

/// Counts what is asked, and answers in the store's place where a test says so.
final class ScriptedAsking: StoreAsking {
    /// What happens to a question, by the words of its command.
    typealias Script = @Sendable ([String]) -> Fate

    enum Fate: Sendable {
        case pass
        case refuse(StoreRefusal)
        case answer(StoreReply)
        /// The store does it, and its answer is lost.
        case lose
    }

    private struct State {
        var script: Script?
        var asked: [String] = []
    }

    private let behind: any StoreAsking
    private let state = Mutex(State())

    init(_ behind: any StoreAsking) { self.behind = behind }

    /// From now on; nil: nothing is changed.
    func follow(_ script: Script?) { state.withLock { $0.script = script } }

    /// The store cannot be asked any more.
    func goDown(_ refusal: StoreRefusal = .unavailable) { follow { _ in .refuse(refusal) } }

    /// The commands that were asked, scripts by their names; forgotten with this.
    func takeAsked() -> [String] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
    }

    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        let words = ScriptedAsking.words(of: question)
        let script = state.withLock { state in
            state.asked.append(words[0])
            return state.script
        }
        switch script?(words) ?? .pass {
        case .pass: return try await behind.ask(question)
        case .refuse(let refusal): throw refusal
        case .answer(let reply): return reply
        case .lose:
            _ = try await behind.ask(question)
            throw .unknown
        }
    }

    private static let scripts: [[UInt8]: String] = {
        guard let scripts = try? StoreScripts() else { return [:] }
        return Dictionary(uniqueKeysWithValues: StoreScript.allCases.map { (scripts.digest($0), $0.rawValue) })
    }()

    /// The command and its arguments; a script by its name, and then its key.
    private static func words(of question: StoreQuestion) -> [String] {
        let words = question.arguments.map { String(decoding: $0, as: UTF8.self) }
        guard words.count > 3, let script = scripts[question.arguments[1]] else { return words }
        return [script] + words[3...]
    }
}

extension SharedStore {
    /// A store with a prefix of its own, so that tests do not meet.
    static func make(
        _ asking: any StoreAsking, prefix: String = "t" + StoreNumberText.random(), recheck: Int = 10,
        keys: [UInt8] = [1], durability: StoreSettings.Durability = .primary
    ) throws -> SharedStore {
        var settings = StoreSettings()
        // The names that the tests' user may use.
        settings.prefix = "pc:" + prefix
        settings.keys = keys.map { Sample.key($0) }
        settings.recheck = .seconds(recheck)
        settings.durability = durability
        return try SharedStore(settings, asking: asking)
    }
}

enum StoreNumberText {
    static func random() -> String { String(RandomBytes.fill(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, radix: 36) }
}
