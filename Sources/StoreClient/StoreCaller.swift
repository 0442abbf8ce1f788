import EventLoop
import RESP
package import SharedState
package import StoreLink
import Synchronization

/// Asks the store for code that waits, over the links of one loop; from any thread.
///
/// Whoever owns the links hands it the answers whose tickets it gave (`StoreCaller.tickets`).
package final class StoreCaller: @unchecked Sendable {
    /// The first of the tickets that are a caller's.
    package static let firstTicket: UInt64 = 1 << 63

    private typealias Waiting = CheckedContinuation<Result<StoreReply, StoreRefusal>, Never>

    /// Where it asks; nil as long as it has no links.
    private let loop = Mutex<EventLoop?>(nil)
    // That loop's alone.
    private var links: StoreLinks?
    private var waiting: [UInt64: Waiting] = [:]
    private var lastTicket = StoreCaller.firstTicket

    /// A caller that has no links yet: whoever asks is told that the store is unavailable.
    package init() {}

    /// Asks by these links from now on, always of the same loop; on its thread, or before it runs.
    package func use(_ links: StoreLinks?) {
        self.links = links
        if let links { loop.withLock { $0 = links.loop } }
    }

    /// The answer to a command of this caller; on the loop's thread.
    package func answered(_ ticket: UInt64, _ answer: borrowing Answer) {
        guard let continuation = waiting.removeValue(forKey: ticket) else { return }
        switch answer {
        case .reply(let reply): continuation.resume(returning: .success(StoreReply(copying: reply)))
        case .refused(_, let text): continuation.resume(returning: .success(.error(text.copied)))
        case .unknown: continuation.resume(returning: .failure(.unknown))
        case .notSent: continuation.resume(returning: .failure(.unavailable))
        }
    }

    private func send(_ question: StoreQuestion, _ continuation: Waiting) {
        guard let links else { return continuation.resume(returning: .failure(.unavailable)) }
        lastTicket += 1
        let slot = HashSlot.of(question.key.bytes.span)
        let outcome = links.send(
            Command(question.arguments), slot: slot, ticket: lastTicket, changesNothing: question.changesNothing)
        switch outcome {
        case .accepted: waiting[lastTicket] = continuation
        case .busy: continuation.resume(returning: .failure(.busy))
        case .down: continuation.resume(returning: .failure(.unavailable))
        }
    }
}

extension StoreCaller: StoreAsking {
    /// The store's answer; never later than a command's time.
    package func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        let result = await withCheckedContinuation { (continuation: Waiting) in
            guard let loop = loop.withLock({ $0 }) else {
                return continuation.resume(returning: .failure(.unavailable))
            }
            loop.execute { self.send(question, continuation) }
        }
        return try result.get()
    }
}
