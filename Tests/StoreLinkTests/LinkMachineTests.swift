import Crypto
import RESP
import StoreLink
import TestTraits
import Testing

@Suite struct `a link as a value` {
    @Test(.holds("SH-15")) func `writes the commands of a turn at once, and gives answers in their order`() {
        var driven = DrivenMachine.ready()
        for ticket: UInt64 in 1...16 { #expect(driven.send(ticket) == .accepted) }
        #expect(driven.write() == String(repeating: "*1\r\n$3\r\nANY\r\n", count: 16))
        #expect(driven.machine.counters.writes == 1)
        let answers = driven.receive(String(repeating: ":1\r\n", count: 16))
        #expect(answers == (1...16).map { .answer(ticket: $0, count: 4) })
        #expect(driven.machine.inFlight == 0)
        #expect(!driven.machine.hasOutput)
    }

    @Test(.refuses("SH-15")) func `holds nothing back to make a write larger`() {
        var driven = DrivenMachine.ready()
        _ = driven.send(1)
        #expect(driven.machine.hasOutput, "it is there to be written in this turn")
        #expect(driven.machine.nextMoment == nil, "no clock is waited for")
        driven.write()
        #expect(driven.receive("+OK\r\n") == [.answer(ticket: 1, count: 5)])
    }

    @Test(.holds("SH-16")) func `takes 4,096 commands at once, and more bytes than one write takes`() {
        var driven = DrivenMachine.ready()
        for ticket: UInt64 in 1...4096 { #expect(driven.send(ticket) == .accepted) }
        #expect(driven.write(1000).utf8.count == 1000)
        driven.write()
        #expect(driven.receive(String(repeating: "$-1\r\n", count: 4096)).count == 4096)
    }

    @Test(.refuses("SH-16")) func `refuses one more at once, until one was answered`() {
        var driven = DrivenMachine.ready()
        for ticket: UInt64 in 1...4096 { _ = driven.send(ticket) }
        #expect(driven.send(0) == .busy)
        driven.write()
        #expect(driven.send(0) == .busy)
        _ = driven.receive("+OK\r\n")
        #expect(driven.send(0) == .accepted)
    }

    @Test(.holds("SH-16")) func `counts no echo among the commands that it takes`() {
        var limits = LinkLimits()
        limits.commands = 64
        var driven = DrivenMachine.ready(limits: limits, echoes: true)
        for ticket: UInt64 in 1...64 { #expect(driven.send(ticket) == .accepted) }
        #expect(driven.send(0) == .busy)
        driven.write()
        let answers = String(repeating: ":1\r\n", count: 32)
        #expect(driven.receive(answers + DrivenMachine.echo(1).answer).count == 33)
        for ticket: UInt64 in 1...32 { #expect(driven.send(ticket) == .accepted) }
        #expect(driven.send(0) == .busy)
    }

    @Test(.refuses("SH-16")) func `refuses bytes beyond those that may wait`() {
        var driven = DrivenMachine.ready()
        var large = Command("SET")
        large.append([UInt8](repeating: 1, count: 1 << 20).span)
        for ticket: UInt64 in 1...3 { #expect(driven.machine.accept(large, ticket: ticket) == .accepted) }
        #expect(driven.machine.accept(large, ticket: 4) == .busy)
        #expect(driven.send(5) == .accepted, "a small one has room")
        driven.write(1 << 20)
        #expect(driven.machine.accept(large, ticket: 6) == .accepted)
    }

    /// `ASKING` alone would be said of the next command, which must not pass by it.
    @Test(.refuses("SH-04"), .refuses("SH-16")) func `takes two that belong together, or neither`() {
        var limits = LinkLimits()
        limits.commands = 3
        var driven = DrivenMachine.ready(limits: limits)
        #expect(driven.send(1) == .accepted)
        #expect(driven.machine.accept(Command("ASKING"), ticket: 2, before: Command("PING"), ticket: 3) == .accepted)
        #expect(driven.machine.inFlight == 3)
        driven.write()
        _ = driven.receive("+OK\r\n")
        #expect(driven.machine.accept(Command("ASKING"), ticket: 4, before: Command("PING"), ticket: 5) == .busy)
        #expect(driven.machine.inFlight == 2 && !driven.machine.hasOutput)
    }

    @Test func `refuses commands at once where there is no connection`() {
        var driven = DrivenMachine()
        #expect(driven.send(1) == .down)
        driven.machine.start(now: driven.now)
        #expect(driven.send(1) == .down)
        #expect(driven.machine.step(now: driven.now) == .attempt)
        #expect(driven.send(1) == .down)
        driven.machine.opened(now: driven.now)
        #expect(driven.send(1) == .accepted)
        _ = driven.lose()
        #expect(driven.send(1) == .down)
    }

    @Test(.holds("SH-17"), .refuses("SH-17"))
    func `sends nothing again, and knows what was certainly not sent`() {
        var driven = DrivenMachine.ready()
        for ticket: UInt64 in 1...3 { _ = driven.send(ticket) }
        // All of the first command, and one byte of the second, which no server can have executed; but who knows TLS.
        driven.write(14)
        let failed = driven.lose()
        #expect(failed.unknown == [1, 2])
        #expect(failed.notSent == [3])
        driven.now += 60_000
        #expect(driven.pass(0) == [.attempt])
        driven.machine.opened(now: driven.now)
        #expect(driven.write() == "", "the next connection is given nothing of the last")
    }

    @Test(.refuses("SH-80")) func `takes no answer too many, nor one before its command was written`() {
        var driven = DrivenMachine.ready()
        #expect(driven.receive("+OK\r\n") == [.broken(.unasked(hex: "2b4f4b0d0a"))])
        driven = .ready()
        driven.ask(1)
        #expect(
            driven.receive(":1\r\n:1\r\n") == [.answer(ticket: 1, count: 4), .broken(.unasked(hex: "3a310d0a"))])
        driven = .ready()
        _ = driven.send(1)
        #expect(driven.receive(":1\r\n") == [.broken(.unasked(hex: "3a310d0a"))])
    }

    @Test(.refuses("SH-80")) func `takes no bytes that are no reply, and shows the first sixteen`() {
        var driven = DrivenMachine.ready()
        driven.ask(1, 2)
        #expect(
            driven.receive(":1\r\nHTTP/1.1 400 Bad Request\r\n") == [
                .answer(ticket: 1, count: 4),
                .broken(.malformed(.unknownType(0x48), hex: "485454502f312e312034303020426164")),
            ])
        #expect(driven.lose(.broken).unknown == [2])
    }

    @Test(.holds("SH-80")) func `gives a late answer to nobody, and the next to its command`() {
        var driven = DrivenMachine.ready()
        driven.ask(1)
        #expect(driven.pass(250_000) == [.expired(ticket: 1)])
        driven.ask(2)
        #expect(driven.receive("+late\r\n+OK\r\n") == [.nobodys(count: 7), .answer(ticket: 2, count: 5)])
    }

    @Test func `reads replies that come in pieces`() {
        var driven = DrivenMachine.ready()
        driven.ask(1, 2)
        #expect(driven.receive("$5\r\nab") == [])
        #expect(driven.receive("cde\r\n:") == [.answer(ticket: 1, count: 11)])
        #expect(driven.receive("7\r\n") == [.answer(ticket: 2, count: 4)])
    }
}

@Suite struct `the times of a link` {
    @Test(.holds("SH-07")) func `run from a command's writing`() {
        var driven = DrivenMachine.ready()
        _ = driven.send(1)
        driven.now += 200_000
        driven.write()
        #expect(driven.pass(249_999) == [])
        #expect(driven.machine.nextMoment == driven.now + 1)
        #expect(driven.receive("+OK\r\n") == [.answer(ticket: 1, count: 5)])
        #expect(driven.pass(1) == [])
    }

    @Test(.refuses("SH-07")) func `are over for each command alone, once`() {
        var driven = DrivenMachine.ready()
        driven.ask(1)
        driven.now += 100_000
        driven.ask(2)
        _ = driven.send(3, within: 20_000)
        driven.write()
        #expect(driven.pass(19_999) == [])
        #expect(driven.pass(1) == [.expired(ticket: 3)])
        #expect(driven.machine.nextMoment == driven.now + 130_000)
        #expect(driven.pass(130_000) == [.expired(ticket: 1)])
        #expect(driven.pass(0) == [])
        #expect(driven.receive(":1\r\n:2\r\n:3\r\n").count == 3)
        #expect(driven.pass(500_000) == [])
    }

    @Test(.holds("SH-18")) func `ask a server for a sign of life that was silent for a second`() {
        var driven = DrivenMachine.ready()
        #expect(driven.pass(999_999) == [])
        #expect(!driven.machine.hasOutput)
        #expect(driven.pass(1) == [])
        #expect(driven.write() == DrivenMachine.echo(1).command)
        driven.now += 900_000
        #expect(driven.receive(DrivenMachine.echo(1).answer) == [.nobodys(count: 39)])
        #expect(driven.pass(900_000) == [])
    }

    @Test(.refuses("SH-18")) func `leave a server that gives no sign of life within a second`() {
        var driven = DrivenMachine.ready()
        _ = driven.pass(1_000_000)
        driven.write()
        #expect(driven.pass(999_999) == [])
        #expect(driven.pass(1) == [.lose(.silent)])
    }

    @Test(.refuses("SH-18")) func `leave a server that does not answer three commands in a row`() {
        var driven = DrivenMachine.ready()
        for ticket: UInt64 in 1...3 {
            driven.ask(ticket)
            driven.now += 10_000
        }
        #expect(
            driven.pass(250_000) == [
                .expired(ticket: 1), .expired(ticket: 2), .expired(ticket: 3), .lose(.silent),
            ])
    }

    @Test(.holds("SH-18")) func `stay with a server that answers one in three`() {
        var driven = DrivenMachine.ready()
        driven.ask(1, 2)
        #expect(driven.pass(250_000) == [.expired(ticket: 1), .expired(ticket: 2)])
        #expect(driven.receive("+late\r\n") == [.nobodys(count: 7)])
        driven.ask(3, 4)
        #expect(driven.pass(250_000) == [.expired(ticket: 3), .expired(ticket: 4)])
    }

    @Test(.refuses("SH-18")) func `leave a server that was silent for a second while a command may take longer`() {
        var driven = DrivenMachine.ready()
        _ = driven.send(1, within: 5_000_000)
        driven.write()
        #expect(driven.pass(999_999) == [])
        #expect(driven.pass(1) == [.lose(.silent)])
        #expect(driven.lose(.silent).unknown == [1])
    }

    @Test(.refuses("SH-80"), arguments: [":1\r\n", "+PONG\r\n", "$-1\r\n", DrivenMachine.echo(2).answer])
    func `take nothing but what was to be said back for a sign of life`(answer: String) {
        var driven = DrivenMachine.ready()
        _ = driven.pass(1_000_000)
        driven.write()
        guard case .broken(.unasked)? = driven.receive(answer).last else {
            Issue.record("it is taken")
            return
        }
    }

    @Test(.refuses("SH-07")) func `are over for an attempt that comes to nothing within a second`() {
        var driven = DrivenMachine()
        driven.machine.start(now: driven.now)
        #expect(driven.pass(0) == [.attempt])
        #expect(driven.pass(999_999) == [])
        #expect(driven.pass(1) == [.lose(.connectTimedOut)])
    }
}

/// Something between the link and the server loses an answer, or adds one: answers have no numbers.
@Suite struct `the order of a link's answers` {
    private static let echo = (1...3).map { DrivenMachine.echo($0) }

    @Test(.holds("SH-80"), .holds("SH-18")) func `is proved by what the server says back behind each write`() {
        var driven = DrivenMachine.ready(echoes: true)
        _ = driven.send(1)
        _ = driven.send(2)
        #expect(driven.write() == String(repeating: "*1\r\n$3\r\nANY\r\n", count: 2) + Self.echo[0].command)
        driven.ask(3)
        #expect(driven.machine.inFlight == 5, "three commands, and two echoes")
        #expect(driven.write() == "", "nothing is asked for behind nothing")
        #expect(driven.receive(":1\r\n:2\r\n") == [], "nobody is told before")
        #expect(
            driven.receive(Self.echo[0].answer + ":3\r\n") == [
                .answer(ticket: 1, count: 4), .answer(ticket: 2, count: 4), .nobodys(count: 39),
            ])
        #expect(
            driven.receive(Self.echo[1].answer) == [.answer(ticket: 3, count: 4), .nobodys(count: 39)])
        #expect(driven.machine.inFlight == 0)
        #expect(driven.machine.counters.commands == 3)
    }

    @Test(.holds("SH-80"), .refuses("SH-16"))
    func `is proved within a write of many commands too, and not between two that belong together`() {
        var driven = DrivenMachine.ready(echoes: true)
        for ticket: UInt64 in 1...31 { _ = driven.send(ticket) }
        #expect(driven.machine.accept(Command("ASKING"), ticket: 32, before: Command("ANY"), ticket: 33) == .accepted)
        _ = driven.send(34)
        let any = "*1\r\n$3\r\nANY\r\n"
        #expect(
            driven.write() == String(repeating: any, count: 31) + "*1\r\n$6\r\nASKING\r\n" + any + Self.echo[0].command
                + any + Self.echo[1].command)
        let answers = String(repeating: ":1\r\n", count: 31) + "+OK\r\n:1\r\n"
        #expect(driven.receive(answers + Self.echo[0].answer).count == 34)
        #expect(driven.receive(":1\r\n" + Self.echo[1].answer).first == .answer(ticket: 34, count: 4))
    }

    @Test(.refuses("SH-80")) func `is lost with one answer, and no command is given another's`() {
        var driven = DrivenMachine.ready(echoes: true)
        driven.ask(1)
        guard case .broken(.unasked)? = driven.receive(Self.echo[0].answer).first else {
            Issue.record("an echo is taken for an answer")
            return
        }
        #expect(driven.lose().unknown == [1])
        // Of several in one write, whose first answer is lost: the last one's place is the echo's.
        driven = .ready(echoes: true)
        driven.ask(1, 2)
        #expect(driven.receive(":2\r\n") == [])
        guard case .broken(.unasked)? = driven.receive(Self.echo[0].answer).first else {
            Issue.record("an echo is taken for an answer")
            return
        }
        #expect(driven.lose().unknown == [1, 2])
        // An echo of the write before is none of this one's.
        driven = .ready(echoes: true)
        driven.ask(1)
        driven.ask(2)
        #expect(driven.receive(":1\r\n" + Self.echo[0].answer + ":2\r\n").count == 2)
        guard case .broken(.unasked)? = driven.receive(Self.echo[0].answer).first else {
            Issue.record("an echo that came twice is taken")
            return
        }
        #expect(driven.lose().unknown == [2])
    }

    @Test(.refuses("SH-80")) func `is lost with an answer that comes twice, or whose command was given up`() {
        var driven = DrivenMachine.ready(echoes: true)
        driven.ask(1)
        #expect(driven.receive(":1\r\n:1\r\n") == [.broken(.unasked(hex: "3a310d0a"))])
        #expect(driven.lose().unknown == [1])
        // The answer to the first comes twice: neither is given the other's, whatever the second's is.
        driven = .ready(echoes: true)
        driven.ask(1, 2)
        guard case .broken(.unasked)? = driven.receive(":1\r\n:1\r\n:2\r\n").first else {
            Issue.record("an answer too many is not noticed")
            return
        }
        #expect(driven.lose().unknown == [1, 2])
        driven = .ready(echoes: true)
        driven.ask(1)
        #expect(driven.pass(250_000) == [.expired(ticket: 1)])
        guard case .broken(.unasked)? = driven.receive(Self.echo[0].answer).first else {
            Issue.record("a lost answer is not noticed")
            return
        }
    }

    /// Such as reads in one write with what the server holds up.
    @Test(.holds("SH-18")) func `is no reason to leave a server that answered the commands before a slow one`() {
        var driven = DrivenMachine.ready(echoes: true)
        driven.ask(1, 2, 3, 4)
        #expect(driven.machine.commandsInFlight == 4)
        #expect(driven.receive(":1\r\n:2\r\n:3\r\n") == [])
        #expect(driven.pass(250_000) == (1...4).map { .expired(ticket: $0) })
        #expect(driven.receive(":4\r\n" + Self.echo[0].answer).count == 5)
    }

    @Test(.holds("SH-80"), .refuses("SH-07")) func `gives an answer to nobody that is not proved in its time`() {
        var driven = DrivenMachine.ready(echoes: true)
        driven.ask(1)
        #expect(driven.receive(":1\r\n") == [])
        #expect(driven.pass(250_000) == [.expired(ticket: 1)])
        #expect(driven.receive(Self.echo[0].answer) == [.nobodys(count: 4), .nobodys(count: 39)])
        #expect(driven.pass(250_000) == [])
    }

    @Test(
        .refuses("SH-80"), arguments: ["-WRONGTYPE Operation\r\n", "-NOPERM this user\r\n", "-ERR unknown command\r\n"])
    func `takes no other command's error for an echo`(error: String) {
        var driven = DrivenMachine.ready(echoes: true)
        driven.ask(1)
        guard case .broken(.greetingRefused(command: "PING", _, _))? = driven.receive(":1\r\n" + error).last else {
            Issue.record("nobody is told that there are no echoes")
            return
        }
    }

    @Test(.holds("SH-80"), arguments: ["-LOADING Redis\r\n", "-BUSY a script\r\n", "-MISCONF disk\r\n"])
    func `takes what a server says to any command now for an echo`(error: String) {
        var driven = DrivenMachine.ready(echoes: true)
        driven.ask(1)
        #expect(
            driven.receive(":1\r\n" + error) == [.answer(ticket: 1, count: 4), .nobodys(count: error.utf8.count)])
    }

    @Test(
        .refuses("SH-80"), .refuses("SH-82"),
        arguments: [
            ("HGET", "+OK\r\n"), ("HGET", ":1\r\n"), ("HGET", "*0\r\n"), ("SET", "$2\r\nOK\r\n"), ("SET", ":1\r\n"),
            ("HMGET", "$-1\r\n"), ("TIME", "+OK\r\n"), ("EVALSHA", "+OK\r\n"), ("PEXPIRE", "$1\r\n1\r\n"),
            ("XREAD", "$-1x\r\n"), ("GET", "*-1x\r\n"), ("UNLINK", "+OK\r\n"), ("ASKING", ":1\r\n"),
        ])
    func `is lost with an answer that its command cannot have`(name: String, answer: String) {
        var driven = DrivenMachine.ready()
        _ = driven.send(1, name)
        driven.write()
        guard case .broken? = driven.receive(answer).first else {
            Issue.record("it is taken")
            return
        }
        #expect(driven.lose().unknown == [1])
    }

    @Test(
        .holds("SH-82"),
        arguments: [
            ("HGET", "$1\r\n1\r\n"), ("HGET", "$-1\r\n"), ("SET", "+OK\r\n"), ("SET", "$-1\r\n"), ("HMGET", "*0\r\n"),
            ("EVALSHA", ":1\r\n"), ("EVALSHA", "$-1\r\n"), ("EVALSHA", "*0\r\n"), ("XREAD", "*-1\r\n"),
            ("GET", "-WRONGTYPE Operation\r\n"), ("UNLINK", ":1\r\n"), ("CLUSTER", "+OK\r\n"),
        ])
    func `is not doubted for an answer that its command may have, or an error`(name: String, answer: String) {
        var driven = DrivenMachine.ready()
        _ = driven.send(1, name)
        driven.write()
        #expect(driven.receive(answer) == [.answer(ticket: 1, count: answer.utf8.count)])
    }
}

@Suite struct `the attempts of a link` {
    @Test(.holds("SH-19")) func `begin at once after a link that lasted`() {
        var driven = DrivenMachine.ready()
        driven.now += 1_000_000
        #expect(driven.waitAfterLoss(random: .max) == 0)
        #expect(driven.pass(0) == [.attempt])
    }

    @Test(.holds("SH-19")) func `then wait for anything up to a time that doubles, two seconds at most`() {
        var driven = DrivenMachine.ready()
        driven.now += 1_000_000
        _ = driven.lose()
        for bound: UInt64 in [50_000, 100_000, 200_000, 400_000, 800_000, 1_600_000, 2_000_000, 2_000_000] {
            for random in [0, bound / 2, bound] {
                var other = driven
                #expect(other.waitAfterLoss(.unreachable("x"), random: random) == random)
                other = driven
                #expect(other.waitAfterLoss(.unreachable("x"), random: random + bound + 1) == random)
            }
            _ = driven.lose(.unreachable("x"))
        }
    }

    @Test(.refuses("SH-19")) func `do not begin at once again after a link that did not last`() {
        var driven = DrivenMachine.ready()
        driven.now += 999_999
        #expect(driven.waitAfterLoss(random: 50_000) == 50_000)
        driven.now += 50_000
        #expect(driven.pass(0) == [.attempt])
        driven.machine.opened(now: driven.now)
        #expect(driven.waitAfterLoss(random: 100_000) == 100_000)
    }

    @Test(.refuses("SH-19")) func `keep to the slowest pace while user and password are refused`() {
        for random in [0, 250_000, 500_000, UInt64.max] {
            var driven = DrivenMachine.ready()
            driven.now += 5_000_000
            let wait = driven.waitAfterLoss(.authenticationRefused(.wrongPassword), random: random)
            #expect((1_500_000...2_000_000).contains(wait))
        }
    }

    @Test(.holds("SH-19"), .refuses("SH-19"))
    func `of two hundred links spread over what they may, and are no storm`() {
        var starts: [UInt64] = []
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var driven = DrivenMachine.ready()
            driven.now += 1_000_000
            let lost = driven.now
            _ = driven.lose(random: generator.next())
            // The server is back 2.9 seconds after it was lost.
            while driven.now < lost + 2_900_000 {
                driven.now = driven.machine.nextMoment ?? 0
                starts.append(driven.now - lost)
                _ = driven.machine.step(now: driven.now)
                _ = driven.lose(.unreachable("refused"), random: generator.next())
            }
            #expect(driven.now - lost <= 4_900_000)
        }
        #expect(starts.count { $0 == 0 } == 200)
        #expect(starts.count < 200 * 12)
        // Never all in one tenth of a second again.
        for tenth: UInt64 in 10..<29 { #expect(starts.count { $0 / 100_000 == tenth } < 100) }
    }

    @Test func `end when the link is told to stop`() {
        var driven = DrivenMachine.ready()
        driven.ask(1)
        #expect(driven.lose(.stopped).unknown == [1])
        #expect(driven.machine.phase == .stopped)
        #expect(driven.machine.nextMoment == nil)
        #expect(driven.pass(10_000_000) == [])
    }
}
