package import Crypto

/// A command as it goes to the store.
package struct StoreQuestion: Sendable {
    /// Says which server is asked.
    package let key: StoreName
    /// The command's name and arguments, in order.
    package let arguments: [[UInt8]]
    /// Whether it may be sent again though it may have been executed (SH-17).
    package let changesNothing: Bool
    /// Whether it leaves half of the places to others.
    package let leavesRoom: Bool

    /// A question about a key.
    package init(key: StoreName, arguments: [[UInt8]], changesNothing: Bool, leavesRoom: Bool = false) {
        self.key = key
        self.arguments = arguments
        self.changesNothing = changesNothing
        self.leavesRoom = leavesRoom
    }
}

/// Asks the store, and waits for its answer; from any thread.
///
/// What says that it was not executed, as `NOSCRIPT` and `MOVED`, is sent again below this, within the command's time.
package protocol StoreAsking: Sendable {
    /// The store's answer, an error of its own among them; refuses where there is none.
    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply
}

extension StoreAsking {
    /// What the store's answer to a command says.
    package func perform<Asked: StoreCommand>(
        _ command: Asked, _ scripts: StoreScripts
    ) async throws(StoreRefusal) -> Asked.Outcome {
        let question = StoreQuestion(
            key: command.key, arguments: command.arguments(scripts), changesNothing: command.changesNothing,
            leavesRoom: command.leavesRoom)
        return try command.outcome(of: try await ask(question))
    }
}

/// The store as the whole process knows it: made once for a store, and kept through reloads.
package final class SharedStore: Sendable {
    /// What is configured of it.
    package let settings: StoreSettings
    /// Its keys.
    package let ring: StoreKeyRing
    /// What is written there; more is read.
    let format: StoreFormat
    /// What it calls things.
    package let names: StoreNames
    /// What it does in one step.
    package let scripts: StoreScripts
    /// Whoever asks it.
    package let asking: any StoreAsking
    /// What came of asking about sessions.
    let figures: StoreFigures

    /// A store behind whoever asks it.
    ///
    /// Counts in `figures`, which outlive it. Refuses keys that are not 32 bytes.
    package init(
        _ settings: StoreSettings, asking: any StoreAsking, figures: StoreFigures = StoreFigures()
    ) throws(CryptoRefusal) {
        self.settings = settings
        // Without sessions and logins nothing there is sealed, or named by what could be guessed.
        ring = try StoreKeyRing(settings.keys.isEmpty ? [Secret(RandomBytes.fill(32))] : settings.keys)
        // The configuration has no other.
        format = UInt8(exactly: settings.format).flatMap(StoreFormat.init) ?? .newest
        names = StoreNames(prefix: settings.prefix, ring: ring)
        scripts = try StoreScripts()
        self.asking = asking
        self.figures = figures
    }

    /// Whether what is in the one is in the other, whatever else is configured of them; keys may have been rotated.
    func isSame(as other: SharedStore) -> Bool { settings.isSameStore(as: other.settings) }

    /// What the store's answer to a command says.
    package func perform<Asked: StoreCommand>(_ command: Asked) async throws(StoreRefusal) -> Asked.Outcome {
        try await asking.perform(command, scripts)
    }
}
