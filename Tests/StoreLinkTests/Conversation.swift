import Crypto
import EventLoop
import Glibc
import RESP
import StoreLink
import TestSupport
import Transport

/// An answer that outlives its telling.
enum Told: Equatable {
    case reply(String)
    case null
    case refused(ServerRefusal.Code)
    case unknown
    case notSent
    /// Refused at once.
    case busy, down
}

/// A link on a loop that the test turns by hand, and all that it has told.
final class Conversation: LinkReceiving {
    let loop: EventLoop
    private(set) var answers: [UInt64: Told] = [:]
    private(set) var losses: [LinkLoss] = []
    private(set) var greeted: [Int] = []
    private(set) var openings = 0
    private var lastTicket: UInt64 = 0
    /// Called with each answer; it may send, or stop the link.
    var onAnswer: ((Told) -> Void)?
    /// Called when bytes are about to leave; it may send.
    var onWrite: (() -> Void)?
    private var made: ServerLink?

    /// A link that has been started.
    init(
        _ server: LinkServer, _ greeting: Greeting = Greeting(), limits: LinkLimits = LinkLimits(),
        resolver: Resolver = Resolver(), loop: EventLoop? = nil
    ) throws {
        self.loop = try loop ?? EventLoop()
        made = ServerLink(
            server, machine: LinkMachine(greeting: greeting, limits: limits), loop: self.loop, resolver: resolver,
            clock: { monotonicMicroseconds() }, receiver: self)
        link.start()
    }

    var link: ServerLink {
        guard let made else { preconditionFailure("the link is made with its conversation") }
        return made
    }

    /// Turns the loop until `condition` holds; false when the patience is over before.
    func turns(until condition: () -> Bool) -> Bool {
        let deadline = Deadline.patient
        let tick = LoopTimer(loop: loop) {}
        while !condition() {
            if deadline.hasPassed { return false }
            tick.arm(milliseconds: 20)
            loop.runOnce(blocking: true)
        }
        return true
    }

    /// Turns the loop until commands are taken.
    func opens() -> Bool { turns { link.phase == .ready } }

    /// Sends a command; its ticket.
    @discardableResult
    func send(_ name: String, _ arguments: [[UInt8]] = [], within: UInt64 = 0) -> UInt64 {
        lastTicket += 1
        var command = Command(name)
        for argument in arguments { command.append(argument.span) }
        switch link.send(command, ticket: lastTicket, within: within) {
        case .accepted: break
        case .busy: answers[lastTicket] = .busy
        case .down: answers[lastTicket] = .down
        }
        return lastTicket
    }

    @discardableResult
    func send(_ name: String, _ arguments: String...) -> UInt64 { send(name, arguments.map { Array($0.utf8) }) }

    /// What has become of a command, once something has.
    func answer(to ticket: UInt64) -> Told? {
        _ = turns { answers[ticket] != nil }
        return answers[ticket]
    }

    /// Sends a command, and what has become of it.
    func ask(_ name: String, _ arguments: String...) -> Told? {
        answer(to: send(name, arguments.map { Array($0.utf8) }))
    }

    func linkAnswered(_ ticket: UInt64, _ answer: borrowing Answer) {
        let told: Told
        switch answer {
        case .reply(let reply):
            let text = reply.bytes.indices.map { reply.bytes[$0] }
            told = reply.kind == .null ? .null : .reply(String(decoding: text, as: UTF8.self))
        case .refused(let refusal, _): told = .refused(refusal.code)
        case .unknown: told = .unknown
        case .notSent: told = .notSent
        }
        if answers[ticket] != nil { losses.append(.unasked(hex: "told twice")) }
        answers[ticket] = told
        onAnswer?(told)
    }

    func linkGreeted(_ step: Int, _ reply: borrowing Reply) { greeted.append(step) }
    func linkOpened() { openings += 1 }
    func linkLost(_ loss: LinkLoss) { losses.append(loss) }
    func linkWillWrite() { onWrite?() }
}

/// The clock of the link.
func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
