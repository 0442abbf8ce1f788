import Bytes
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
    private var lastNumber: UInt64 = 0
    /// Told of questions that were not sent, by what they are about; on the loop's thread.
    package var onUnsent: ((UInt8) -> Void)?

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
        case .refused(_, let text): continuation.resume(returning: .success(.error([UInt8](copying: text))))
        case .unknown: continuation.resume(returning: .failure(.unknown))
        case .notSent: continuation.resume(returning: .failure(.unavailable))
        }
    }

    /// What a key is about: the letter of its kind, or 0 where it has none.
    static func kind(of key: StoreName) -> UInt8 {
        let colon = UInt8(ascii: ":")
        guard let first = key.bytes.firstIndex(of: colon), first + 1 < key.bytes.count else { return 0 }
        let isKind = first + 2 >= key.bytes.count || key.bytes[first + 2] == colon
        return isKind ? key.bytes[first + 1] : 0
    }

    /// What the key was about of a question with this ticket.
    package static func kind(of ticket: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: ticket >> 48) & 0x7F }

    private func send(_ question: StoreQuestion, _ continuation: Waiting) {
        let kind = StoreCaller.kind(of: question.key)
        guard let links else {
            onUnsent?(kind)
            return continuation.resume(returning: .failure(.unavailable))
        }
        lastNumber &+= 1
        let ticket = StoreCaller.firstTicket | UInt64(kind) << 48 | lastNumber & 0xFFFF_FFFF_FFFF
        let outcome = links.send(
            Command(question.arguments), slot: links.slot(of: question.key.bytes.span), ticket: ticket,
            changesNothing: question.changesNothing, leavesRoom: question.leavesRoom)
        if outcome != .accepted { onUnsent?(kind) }
        switch outcome {
        case .accepted: waiting[ticket] = continuation
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
