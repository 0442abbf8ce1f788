import EventLoop
import Glibc
import RESP
import SharedState
import StoreLink
import TestSupport
import Transport

@testable import StoreClient

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

/// The links of a store on a loop that the test turns by hand, and all that they have told.
final class StoreTalk {
    let loop: EventLoop
    private(set) var answers: [UInt64: Told] = [:]
    private(set) var connected: [LinkServer.Place] = []
    private(set) var losses: [(place: LinkServer.Place, loss: LinkLoss)] = []
    /// Who was to sign in where the last connection was lost.
    private(set) var userLost: StoreUser?
    private(set) var epochs: [String?] = []
    private(set) var information = 0
    /// Settings that were named as the ones to change, and what was found.
    private(set) var unsuitable: [(setting: String, found: String)] = []
    private(set) var toldTwice = 0
    /// How many microseconds after it was taken the last command was answered.
    private(set) var lastWait: UInt64 = 0
    /// Called with each answer; it may send, or stop the links.
    var onAnswer: ((UInt64, Told) -> Void)?
    /// Given each answer first; whether it was for somebody else.
    var onReply: ((UInt64, borrowing Answer) -> Bool)?
    private var lastTicket: UInt64 = 0
    private var made: StoreLinks?
    private let hearing = Hearing()

    /// Links that have been started, and that go by this clock.
    init(
        _ settings: StoreSettings, tls: ClientTLS? = nil, resolver: Resolver = Resolver(),
        clock: @escaping () -> UInt64 = monotonicMicroseconds
    ) throws {
        loop = try EventLoop()
        made = StoreLinks(
            StoreServers(settings, tls: tls), loop: loop, resolver: resolver, clock: clock, receiver: hearing)
        hearing.talk = self
        links.start()
    }

    deinit { made?.stop() }

    var links: StoreLinks {
        guard let made else { preconditionFailure("the links are made with whom they tell") }
        return made
    }

    /// Turns the loop until `condition` holds; false when the patience is over before.
    func turns(within patience: Duration = Deadline.patience, until condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Deadline.after(patience)
        let tick = LoopTimer(loop: loop) {}
        while try !condition() {
            if deadline.hasPassed { return false }
            tick.arm(milliseconds: 10)
            loop.runOnce(blocking: true)
        }
        return true
    }

    /// Turns the loop until a command about this key would be sent.
    func opens(_ key: String = "pc:p:x") -> Bool { turns { links.isUp(slot: HashSlot.of(key.utf8Span.span)) } }

    /// Sends a command about a key, its first argument; the command's ticket.
    @discardableResult
    func send(
        _ name: String, _ key: String, _ arguments: [String] = [], within: UInt64 = 0, changesNothing: Bool = false
    ) -> UInt64 {
        lastTicket += 1
        var command = Command(name)
        if name == "EVALSHA" {
            for argument in arguments { command.append(argument) }
        } else {
            command.append(key)
            for argument in arguments { command.append(argument) }
        }
        let outcome = links.send(
            command, slot: HashSlot.of(key.utf8Span.span), ticket: lastTicket, within: within,
            changesNothing: changesNothing)
        switch outcome {
        case .accepted: break
        case .busy: answers[lastTicket] = .busy
        case .down: answers[lastTicket] = .down
        }
        return lastTicket
    }

    /// What has become of a command, once something has.
    func answer(to ticket: UInt64) -> Told? {
        _ = turns { answers[ticket] != nil }
        return answers[ticket]
    }

    /// Sends a command about a key, and what has become of it.
    func ask(_ name: String, _ key: String, _ arguments: String..., changesNothing: Bool = false) -> Told? {
        answer(to: send(name, key, arguments, changesNothing: changesNothing))
    }

    fileprivate func storeAnswered(_ ticket: UInt64, _ answer: borrowing Answer, after microseconds: UInt64) {
        lastWait = microseconds
        if onReply?(ticket, answer) == true { return }
        let told: Told
        switch answer {
        case .reply(let reply):
            told =
                reply.kind == .null ? .null : .reply(String(decoding: StoreTalk.copy(reply.bytes), as: UTF8.self))
        case .refused(let refusal, _): told = .refused(refusal.code)
        case .unknown: told = .unknown
        case .notSent: told = .notSent
        }
        if answers[ticket] != nil { toldTwice += 1 }
        answers[ticket] = told
        onAnswer?(ticket, told)
    }

    fileprivate func storeTold(_ event: StoreEvent) {
        switch event {
        case .connected(let place): connected.append(place)
        case .lost(let place, let loss, let user):
            losses.append((place, loss))
            userLost = user
        case .epoch(_, let epoch): epochs.append(epoch.map { String(decoding: $0, as: UTF8.self) })
        case .information(_, let text): if text != nil { information += 1 }
        case .unsuitable(_, let setting, let found): unsuitable.append((setting, found))
        }
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
}

/// Hands on what the links tell, until the talk is over: a test that fails may leave commands in flight.
private final class Hearing: StoreReceiving {
    weak var talk: StoreTalk?

    func storeAnswered(_ ticket: UInt64, _ answer: borrowing Answer, after microseconds: UInt64) {
        talk?.storeAnswered(ticket, answer, after: microseconds)
    }
    func storeTold(_ event: StoreEvent) { talk?.storeTold(event) }
}

/// What became of many commands that were asked one after the other.
struct Load {
    var answered = 0
    var failures: [(at: UInt64, key: String, told: Told)] = []
    /// The keys of those that went well.
    var accepted: [String] = []
    /// How long one waited at most for what became of it.
    var longestWait: UInt64 = 0
    /// How long the test itself, or the machine, held the loop at most: nobody is told anything meanwhile.
    var longestTurn: UInt64 = 0

    /// From the first failure to the last, in microseconds.
    var failingTime: UInt64 {
        guard let first = failures.first, let last = failures.last else { return 0 }
        return last.at - first.at
    }
}

extension StoreTalk {
    /// Uses up proofs, `atOnce` at a time, until `condition` holds; each is a key of its own.
    func load(
        atOnce: Int = 8, key: (Int) -> String = { "pc:p:\($0)" }, until condition: () throws -> Bool
    ) rethrows -> Load {
        var load = Load()
        var inFlight: [UInt64: (name: String, at: UInt64)] = [:]
        var turned = monotonicMicroseconds()
        var number = 0
        let deadline = Deadline.patient
        let tick = LoopTimer(loop: loop) {}
        var isOver = false
        while !isOver || !inFlight.isEmpty {
            if deadline.hasPassed { break }
            while !isOver, inFlight.count < atOnce {
                number += 1
                let name = key(number)
                inFlight[send("SET", name, ["1", "NX", "PX", "60000"])] = (name, monotonicMicroseconds())
            }
            tick.arm(milliseconds: 2)
            loop.runOnce(blocking: true)
            let now = monotonicMicroseconds()
            load.longestTurn = max(load.longestTurn, now - turned)
            turned = now
            for (ticket, sent) in inFlight {
                guard let told = answers[ticket] else { continue }
                inFlight[ticket] = nil
                load.answered += 1
                load.longestWait = max(load.longestWait, now - sent.at)
                if told == .reply("OK") {
                    load.accepted.append(sent.name)
                } else {
                    load.failures.append((now, sent.name, told))
                }
            }
            if !isOver { isOver = try condition() }
        }
        return load
    }
}

/// The clock of the links.
func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
