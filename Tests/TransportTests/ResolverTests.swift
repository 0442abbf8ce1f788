import EventLoop
import TestSupport
import TestTraits
import Testing
import Transport

/// What only one thread touches at a time.
private final class Answer: @unchecked Sendable {
    var hosts: [String]?
    var ports: Set<UInt16> = []
    var wasInLoop = false
}

/// The same, by port.
private final class Answers: @unchecked Sendable {
    var found: [UInt16: [String]] = [:]
}

@Suite struct `a resolver` {
    private func answer(_ host: String, _ resolver: Resolver = Resolver()) throws -> Answer {
        let loop = try EventLoop()
        let answer = Answer()
        resolver.resolve(host, port: 8443, on: loop) { addresses in
            answer.hosts = addresses.map(\.host)
            answer.ports = Set(addresses.map(\.port))
            answer.wasInLoop = loop.isInLoop
        }
        let deadline = Deadline.after(.seconds(60))
        let tick = LoopTimer(loop: loop) {}
        while answer.hosts == nil, !deadline.hasPassed {
            tick.arm(milliseconds: 100)
            loop.runOnce(blocking: true)
        }
        return answer
    }

    @Test(.holds("OPS-04"), arguments: ["127.0.0.1", "::1", "192.0.2.1"])
    func `answers a literal with itself, on the loop that asked`(literal: String) throws {
        let answer = try answer(literal)
        #expect(answer.hosts == [literal])
        #expect(answer.ports == [8443])
        #expect(answer.wasInLoop)
    }

    @Test(.holds("OPS-04")) func `answers localhost with loopback addresses`() throws {
        let answer = try answer("localhost")
        let hosts = try #require(answer.hosts)
        #expect(!hosts.isEmpty)
        #expect(hosts.allSatisfy { $0 == "127.0.0.1" || $0 == "::1" })
        #expect(answer.wasInLoop)
    }

    // RFC 6761 §6.4: a name below `invalid` never exists.
    @Test(.refuses("OPS-04"), arguments: ["nobody.invalid", "", "a name", "127.0.0.1:80"])
    func `answers an unknown name with no address`(name: String) throws {
        let answer = try answer(name)
        #expect(answer.hosts == [])
        #expect(answer.wasInLoop)
    }

    @Test(.holds("OPS-04")) func `answers other names while one hangs, and asks for that one once`() throws {
        let gate = Gate()
        let lookUps = Watched<[String]>([])
        let resolver = Resolver { host, _ in
            lookUps.withLock { $0.append(host) }
            if host == "hangs" { gate.wait() }
            return Resolver.lookUp("127.0.0.1", asksLifetime: false)
        }
        let loop = try EventLoop()
        // Of whatever port: a host with more of them than there are threads would hold them all.
        for port in 1...50 { resolver.resolve("hangs", port: UInt16(port), on: loop) { _ in } }
        for number in 0..<30 { #expect(try answer("name-\(number)", resolver).hosts == ["127.0.0.1"]) }
        #expect(lookUps.now.filter { $0 == "hangs" } == ["hangs"])
        gate.open()
        #expect(try answer("hangs", resolver).hosts == ["127.0.0.1"])
        resolver.stop()
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `answers each with the port that it asked for`(host: String) throws {
        let gate = Gate()
        let resolver = Resolver { _, _ in
            gate.wait()
            return Resolver.lookUp(host, asksLifetime: false)
        }
        let loop = try EventLoop()
        let answers = Answers()
        for port: UInt16 in [1, 443, 65_535] {
            resolver.resolve("name", port: port, on: loop) { answers.found[port] = $0.map(\.description) }
        }
        gate.open()
        let deadline = Deadline.after(.seconds(60))
        let tick = LoopTimer(loop: loop) {}
        while answers.found.count < 3, !deadline.hasPassed {
            tick.arm(milliseconds: 100)
            loop.runOnce(blocking: true)
        }
        let shown = host == "::1" ? "[::1]" : host
        for port: UInt16 in [1, 443, 65_535] { #expect(answers.found[port] == ["\(shown):\(port)"]) }
        resolver.stop()
    }

    @Test func `answers everyone who asks, each on its own loop`() throws {
        let resolver = Resolver()
        for _ in 0..<20 { #expect(try answer("127.0.0.1", resolver).hosts == ["127.0.0.1"]) }
        resolver.stop()
    }
}
