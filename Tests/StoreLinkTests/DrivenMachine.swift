import Crypto
import RESP
import StoreLink

/// A machine with a clock and a wire of the test's own.
struct DrivenMachine {
    var machine: LinkMachine
    var now: UInt64 = 10_000_000
    /// What was received and not used up.
    private var rest: [UInt8] = []

    /// Without echoes, unless it is about them.
    init(_ greeting: Greeting = Greeting(), limits: LinkLimits = LinkLimits(), echoes: Bool = false) {
        var limits = limits
        limits.areAnswersProved = echoes
        machine = LinkMachine(greeting: greeting, limits: limits)
    }

    /// A machine whose greeting has been answered.
    static func ready(limits: LinkLimits = LinkLimits(), echoes: Bool = false) -> DrivenMachine {
        var driven = DrivenMachine(limits: limits, echoes: echoes)
        driven.open()
        return driven
    }

    /// Starts it, and opens a connection.
    mutating func open() {
        machine.start(now: now)
        _ = machine.step(now: now)
        machine.opened(now: now, random: DrivenMachine.random)
    }

    private static let random: UInt64 = 0xABC

    /// The command by which the server is asked for an echo, and the answer to it.
    static func echo(_ number: Int) -> (command: String, answer: String) {
        let digits = { (number: UInt64) in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        let said = "$32\r\n" + digits(random) + digits(UInt64(number)) + "\r\n"
        return ("*2\r\n$4\r\nPING\r\n" + said, said)
    }

    /// Takes a command with this ticket.
    ///
    /// Of a name that nobody knows: its answer may be anything.
    mutating func send(_ ticket: UInt64, _ name: String = "ANY", within: UInt64 = 0) -> SendOutcome {
        machine.accept(Command(name), ticket: ticket, within: within)
    }

    /// Writes all, or so many bytes, of what waits; what it was.
    @discardableResult
    mutating func write(_ most: Int = .max) -> String {
        machine.offer(now: now)
        let taken = Array(machine.unsent.prefix(most))
        let text = String(decoding: taken, as: UTF8.self)
        machine.wrote(taken.count)
        return text
    }

    /// Sends commands with these tickets, in one write.
    mutating func ask(_ tickets: UInt64...) {
        for ticket in tickets { _ = send(ticket) }
        write()
    }

    /// What is told of bytes that were received.
    enum Seen: Equatable {
        case answer(ticket: UInt64, count: Int)
        /// Of a command that was given up, or the link's own.
        case nobodys(count: Int)
        case greeted(step: Int, count: Int)
        case broken(LinkLoss)
    }

    /// Receives bytes: all that is told of them, up to what is not whole or not proved.
    mutating func receive(_ text: String) -> [Seen] {
        rest += Array(text.utf8)
        var found: [Seen] = []
        while !rest.isEmpty {
            let bytes = rest
            switch machine.next(in: bytes.span, now: now) {
            case .incomplete: return found
            case .kept(let count): rest.removeFirst(count)
            case .proved(let count):
                rest.removeFirst(count)
                while let answer = machine.takeProved() {
                    found.append(
                        answer.ticket.map { .answer(ticket: $0, count: answer.count) } ?? .nobodys(count: answer.count))
                }
            case .authenticated(let count):
                rest.removeFirst(count)
                found.append(.nobodys(count: count))
            case .greeted(let step, let count):
                rest.removeFirst(count)
                found.append(.greeted(step: step, count: count))
            case .broken(let loss):
                found.append(.broken(loss))
                return found
            }
        }
        return found
    }

    /// Lets time pass, and does what it has come for; all steps but the last, which is none.
    mutating func pass(_ microseconds: UInt64) -> [LinkMachine.TimeStep] {
        now += microseconds
        var steps: [LinkMachine.TimeStep] = []
        while true {
            let step = machine.step(now: now)
            if step == .nothing { return steps }
            steps.append(step)
            if case .lose = step { return steps }
        }
    }

    /// Loses the connection; the tickets of what was in flight, and of what was certainly not sent.
    mutating func lose(_ loss: LinkLoss = .closed, random: UInt64 = 0) -> (unknown: [UInt64], notSent: [UInt64]) {
        machine.lose(loss, now: now, random: random)
        rest = []
        var failed: (unknown: [UInt64], notSent: [UInt64]) = ([], [])
        while let one = machine.takeFailed() {
            if one.isNotSent { failed.notSent.append(one.ticket) } else { failed.unknown.append(one.ticket) }
        }
        return failed
    }

    /// How long after the loss the next attempt begins.
    mutating func waitAfterLoss(_ loss: LinkLoss = .closed, random: UInt64) -> UInt64 {
        _ = lose(loss, random: random)
        return (machine.nextMoment ?? 0) - now
    }
}
