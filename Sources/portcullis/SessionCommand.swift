import ArgumentParser
import Gateway
import SharedState

/// Where an operator's command finds sessions.
struct SessionPlace: Sendable {
    let store: StoreSettings
    let clients: [SharedClient]
}

/// Asks the store, and says why that came to nothing.
enum SessionCommand {
    static func run<Outcome: Sendable>(
        _ settings: StoreSettings,
        _ work: @escaping @Sendable (SharedStore) async throws(StoreRefusal) -> Outcome
    ) throws -> Outcome {
        do throws(StoreVisit.Failure) {
            return try StoreVisit.run(settings, work)
        } catch {
            switch error {
            case .notBegun(let failure): Terminal.complain("portcullis: \(failure.description)")
            case .refused(let refusal, let heard):
                Terminal.complain("portcullis: the store: \(words(refusal, heard))")
            }
            throw ExitCode(1)
        }
    }

    private static func words(_ refusal: StoreRefusal, _ heard: String?) -> String {
        switch refusal {
        case .unavailable: heard ?? "no connection"
        case .busy: "too much waits for it"
        case .unknown: "no answer in time; what was asked may have been done"
        case .refused(let code): "it refused: \(code)"
        case .unexpected: "an answer that is none"
        }
    }
}

extension String {
    /// With spaces behind it up to that length, and one at least.
    func padded(to length: Int) -> String {
        self + String(repeating: " ", count: max(1, length - utf8.count))
    }
}
