// SPDX-License-Identifier: Apache-2.0
import EventLoop
import Testing
import TestSupport
import Transport

/// What only one thread touches at a time.
private final class Answer: @unchecked Sendable {
    var hosts: [String]?
    var ports: Set<UInt16> = []
    var wasInLoop = false
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

    @Test(arguments: ["127.0.0.1", "::1", "192.0.2.1"])
    func `OPS-04 answers a literal with itself, on the loop that asked`(literal: String) throws {
        let answer = try answer(literal)
        #expect(answer.hosts == [literal])
        #expect(answer.ports == [8443])
        #expect(answer.wasInLoop)
    }

    @Test func `OPS-04 answers localhost with loopback addresses`() throws {
        let answer = try answer("localhost")
        let hosts = try #require(answer.hosts)
        #expect(!hosts.isEmpty)
        #expect(hosts.allSatisfy { $0 == "127.0.0.1" || $0 == "::1" })
        #expect(answer.wasInLoop)
    }

    // RFC 6761 §6.4: a name below `invalid` never exists.
    @Test(arguments: ["nobody.invalid", "", "a name", "127.0.0.1:80"])
    func `OPS-04 answers an unknown name with no address`(name: String) throws {
        let answer = try answer(name)
        #expect(answer.hosts == [])
        #expect(answer.wasInLoop)
    }

    @Test func `answers everyone who asks, each on its own loop`() throws {
        let resolver = Resolver()
        for _ in 0..<20 { #expect(try answer("127.0.0.1", resolver).hosts == ["127.0.0.1"]) }
        resolver.stop()
    }
}
