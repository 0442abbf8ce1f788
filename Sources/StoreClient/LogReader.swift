package import EventLoop
package import RESP
package import SharedState
import StoreLink
package import Transport

/// Reads the log of endings, over a connection of its own: who waits there for a line answers nothing else (SH-39).
///
/// Of a cluster it speaks to the one server that has the log. What is heard of others says nothing of the log. All of it is
/// called on the loop's thread.
package final class LogReader {
    private let loop: EventLoop
    private let resolver: Resolver
    private let clock: () -> UInt64
    /// Told what each answer says; it may close this, or open it anew.
    private let onStep: (EndingsFollower.Step) -> Void
    /// Told what the server says instead of an answer, and to whom.
    private let onRefused: (ServerRefusal, Span<UInt8>, StoreUser) -> Void
    private var follower: EndingsFollower
    private var servers: StoreServers?
    private var log: LogLinks?
    /// Opens the connection again.
    private var reopening: LoopTimer?
    /// Whether the follower asks: the server takes commands, and has not been silent.
    private var isAsking = false
    /// The number of the question whose answer is awaited; an answer to one before it is nobody's.
    private var question: UInt64 = 0

    /// How long after a refusal the connection is opened again.
    private static let reopeningMilliseconds = 1000
    /// How long a question for the next line may take, in microseconds: the store holds it for half a second.
    private static let lineTime: UInt64 = 3_000_000

    /// A reader that is closed; `clock` tells monotonic microseconds.
    package init(
        _ follower: EndingsFollower, loop: EventLoop, resolver: Resolver, clock: @escaping () -> UInt64,
        onStep: @escaping (EndingsFollower.Step) -> Void,
        onRefused: @escaping (ServerRefusal, Span<UInt8>, StoreUser) -> Void
    ) {
        self.follower = follower
        self.loop = loop
        self.resolver = resolver
        self.clock = clock
        self.onStep = onStep
        self.onRefused = onRefused
        reopening = LoopTimer(loop: loop) { [unowned self] in if let servers { open(servers) } }
    }

    /// Reads another log, or this one from the beginning; closed.
    package func follow(_ follower: EndingsFollower) {
        close()
        self.follower = follower
    }

    /// Reads at these servers from now on.
    package func open(_ servers: StoreServers) {
        close()
        self.servers = servers
        let log = LogLinks(servers.reading(slot: slot), loop, resolver, clock, self)
        self.log = log
        log.links.start()
    }

    package func close() {
        reopening?.cancel()
        miss()
        guard let log else { return }
        self.log = nil
        log.links.stop()
        // It may be in the middle of telling something.
        let kept = RetiredLog(log)
        loop.execute { withExtendedLifetime(kept) {} }
    }

    /// Whether the log is being read.
    package var isReading: Bool { isAsking }

    /// Milliseconds since the log was read last; nil before the first time.
    package var lag: Int64? { follower.lag(at: milliseconds) }

    /// Whether what is there cannot be read: an operator is to look.
    package var isUnreadable: Bool { follower.isUnreadable }

    /// The store forgot.
    package func storeForgot() { follower.storeForgot() }

    /// Another server is the primary, or the same one after a restart.
    package func serverChanged() { follower.serverChanged() }

    /// Begins to ask where that is possible, and notes where it is not any more; after each event, and each second: a slot
    /// may come to a server that was there before.
    package func look() {
        guard let log else { return }
        guard log.links.isUp(slot: slot) else { return miss() }
        guard !isAsking else { return }
        isAsking = true
        take(follower.connected(at: milliseconds))
    }

    fileprivate func lost(_ loss: LinkLoss) {
        // What was read was larger than an answer may be: it would be read again for ever.
        if case .malformed = loss, isAsking { follower.failedToRead() }
        look()
    }

    fileprivate func answered(_ ticket: UInt64, _ answer: borrowing Answer) {
        guard isAsking, ticket == question else { return }
        let reply: StoreReply
        switch answer {
        case .reply(let told): reply = StoreReply(copying: told)
        case .refused(let refusal, let text):
            if let servers { onRefused(refusal, text, servers.user) }
            // Any other refusal says nothing of what is there.
            if refusal.code == .wrongType || refusal.code == .other { follower.failedToRead() }
            return reopenLater()
        // The links look after their connections; it is asked anew when it can be.
        case .unknown, .notSent: return miss()
        }
        do throws(StoreRefusal) {
            take(try follower.answered(reply, at: milliseconds))
        } catch {
            reopenLater()
        }
    }

    private func take(_ step: EndingsFollower.Step) {
        let log = log
        onStep(step)
        guard let next = step.question, isAsking, let log, log === self.log else { return }
        question &+= 1
        // One that is lost with its connection is asked anew, and by the follower: twice would hold up the next.
        let outcome = log.links.send(
            Command(next.arguments), slot: slot, ticket: question, within: Self.lineTime, changesNothing: false)
        if outcome != .accepted { miss() }
    }

    /// Nothing is awaited any more.
    private func miss() {
        isAsking = false
        question &+= 1
        follower.lost()
    }

    private func reopenLater() {
        close()
        reopening?.arm(milliseconds: Self.reopeningMilliseconds)
    }

    private var slot: Int {
        let name = follower.log.bytes
        return HashSlot.of(name.span)
    }

    private var milliseconds: Int64 { Int64(clamping: clock() / 1000) }
}

/// The links by which the log is read, and whom they tell.
private final class LogLinks: StoreReceiving {
    private unowned let owner: LogReader
    private var made: StoreLinks?

    init(
        _ servers: StoreServers, _ loop: EventLoop, _ resolver: Resolver, _ clock: @escaping () -> UInt64,
        _ owner: LogReader
    ) {
        self.owner = owner
        made = StoreLinks(servers, loop: loop, resolver: resolver, clock: clock, receiver: self)
    }

    var links: StoreLinks {
        guard let made else { preconditionFailure("links are made with whom they tell") }
        return made
    }

    private var isHeard: Bool { !links.isStopped }

    func storeAnswered(_ ticket: UInt64, _ answer: borrowing Answer, after microseconds: UInt64) {
        if isHeard { owner.answered(ticket, answer) }
    }

    func storeTold(_ event: StoreEvent) {
        guard isHeard else { return }
        switch event {
        case .connected: owner.look()
        case .lost(_, let loss, _): owner.lost(loss)
        case .epoch, .information, .unsuitable: break
        }
    }
}

/// Kept until the call is over which it may be in; on the loop's thread alone.
private final class RetiredLog: @unchecked Sendable {
    private let log: LogLinks

    init(_ log: LogLinks) { self.log = log }
}
