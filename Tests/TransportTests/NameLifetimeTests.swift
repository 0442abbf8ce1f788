import EventLoop
import TestSupport
import TestTraits
import Testing

@testable import Transport

/// What only one thread touches at a time.
private final class Found: @unchecked Sendable {
    var name: ResolvedName?
}

/// Row ECO-75: for how long answers about names are used, at a name server that answers as it likes.
@Suite struct `the lifetime of a name` {
    private static let second: UInt64 = 1_000_000

    private func resolver(_ server: ScriptedNameServer) throws -> Resolver {
        let resolver = Resolver()
        resolver.use([try #require(NameServer(host: "127.0.0.1", port: server.port))])
        return resolver
    }

    private func answer(
        _ host: String, _ resolver: Resolver, at now: UInt64, isNew: Bool = false
    ) throws -> ResolvedName {
        let loop = try EventLoop()
        let found = Found()
        resolver.resolve(host, port: 8443, at: now, isNew: isNew, on: loop) { found.name = $0 }
        let deadline = Deadline.after(.seconds(60))
        let tick = LoopTimer(loop: loop) {}
        while found.name == nil, !deadline.hasPassed {
            tick.arm(milliseconds: 100)
            loop.runOnce(blocking: true)
        }
        return try #require(found.name)
    }

    /// What is found once the name is known, and for how many seconds.
    private func lifetime(_ host: String, _ resolver: Resolver) throws -> (ResolvedName, Double) {
        let start = 100 * Self.second
        let first = try answer(host, resolver, at: start)
        #expect(first.holdsUntil == start + Self.second, "nobody waits for it the first time")
        let later = start + 5 * Self.second
        let second = try answer(host, resolver, at: later)
        return (second, Double(second.holdsUntil - later) / Double(Self.second))
    }

    @Test(
        .holds("ECO-75"), .refuses("ECO-75"),
        arguments: [
            (60, 54...60), (1, 1...1), (0, 1...1), (2, 1.8...2), (300, 270...300), (86_400, 270...300),
            // RFC 2181 §8
            (0x8000_0000, 1...1), (UInt32.max, 1...1), (0x7FFF_FFFF, 270...300),
        ] as [(UInt32, ClosedRange<Double>)])
    func `is what the name server says, within a second and five minutes`(
        said: UInt32, seconds: ClosedRange<Double>
    ) throws {
        let server = try ScriptedNameServer()
        server.answer("orders.test", with: .addresses(["127.0.0.2", "127.0.0.3"], lifetime: said))
        let resolver = try resolver(server)
        defer { resolver.stop() }
        let (found, lifetime) = try lifetime("orders.test", resolver)
        #expect(Set(found.addresses.map(\.description)) == ["127.0.0.2:8443", "127.0.0.3:8443"])
        #expect(seconds.contains(lifetime), "\(lifetime)")
    }

    @Test(.holds("ECO-75")) func `is the shortest of what leads to the addresses`() throws {
        let server = try ScriptedNameServer()
        server.answer("orders.test", with: .alias(to: "pods.test", lifetime: 5, ["127.0.0.2"]))
        let resolver = try resolver(server)
        defer { resolver.stop() }
        let (found, lifetime) = try lifetime("orders.test", resolver)
        #expect(found.addresses.map(\.host) == ["127.0.0.2"] && (4.5...5).contains(lifetime), "\(lifetime)")
    }

    @Test func `is half a minute where no name server says any`() throws {
        let server = try ScriptedNameServer()
        let resolver = try resolver(server)
        defer { resolver.stop() }
        let (found, lifetime) = try lifetime("localhost", resolver)
        #expect(!found.addresses.isEmpty && (27...30).contains(lifetime), "\(lifetime)")
        #expect(server.questions.now.isEmpty, "RFC 6761")
    }

    @Test(.holds("ECO-75")) func `is asked with the addresses, also by TCP where there are many`() throws {
        let server = try ScriptedNameServer()
        let many = (1...60).map { "127.0.1.\($0)" }
        server.answer("orders.test", with: .truncated(many, lifetime: 20))
        let resolver = try resolver(server)
        defer { resolver.stop() }
        let (found, lifetime) = try lifetime("orders.test", resolver)
        #expect(Set(found.addresses.map(\.host)) == Set(many) && (18...20).contains(lifetime), "\(lifetime)")
    }

    @Test(.holds("ECO-75")) func `is everybody's: what holds still is not asked for again`() throws {
        let server = try ScriptedNameServer()
        server.answer("orders.test", with: .addresses(["127.0.0.2"], lifetime: 100))
        let resolver = try resolver(server)
        defer { resolver.stop() }
        let (known, _) = try lifetime("orders.test", resolver)
        server.answer("orders.test", with: .addresses(["127.0.0.3"], lifetime: 100))
        let count = server.count(of: "orders.test")
        let again = try answer("orders.test", resolver, at: known.holdsUntil - 1)
        #expect(again.addresses.map(\.host) == ["127.0.0.2"] && again.holdsUntil == known.holdsUntil)
        #expect(server.count(of: "orders.test") == count)
        // Whoever could not connect there wants something newer than that.
        #expect(
            try answer("orders.test", resolver, at: known.holdsUntil - 1, isNew: true).addresses.map(\.host)
                == ["127.0.0.3"])
        let after = server.count(of: "orders.test")
        _ = try answer("orders.test", resolver, at: known.holdsUntil, isNew: true)
        #expect(server.count(of: "orders.test") == after, "and not within a second")
        let others = try ScriptedNameServer()
        others.answer("orders.test", with: .addresses(["127.0.0.4"], lifetime: 100))
        resolver.use([try #require(NameServer(host: "127.0.0.1", port: others.port))])
        #expect(try answer("orders.test", resolver, at: known.holdsUntil).addresses.map(\.host) == ["127.0.0.4"])
    }

    @Test(.refuses("ECO-75")) func `of a failure is a second, which says whether there is such a name`() throws {
        let server = try ScriptedNameServer()
        server.answer("empty.test", with: .empty)
        server.answer("failing.test", with: .failure)
        let resolver = try resolver(server)
        defer { resolver.stop() }
        for (name, failure) in [
            ("nobody.test", ResolvedName.Failure.unknown), ("empty.test", .unknown), ("failing.test", .unanswered),
        ] {
            let found = try answer(name, resolver, at: 5)
            #expect(found.addresses.isEmpty && found.failure == failure, "\(name)")
            #expect(found.holdsUntil == 5 + Self.second)
            let count = server.count(of: name)
            #expect(try answer(name, resolver, at: 6, isNew: true).addresses.isEmpty)
            #expect(server.count(of: name) == count, "a flood of requests asks once a second")
        }
    }

    @Test(
        .refuses("ECO-75"),
        arguments: [
            (1, []), (65_535, []), (1, [0xC0]), (1, [0xC0, 0xFF, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4]),
            // A name that leads to itself, one without an end, a length beyond the end, and addresses of odd lengths.
            (1, [0xC0, 29, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4]), (1, [63, 1, 2]),
            (1, [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0xFF, 0xFF, 1, 2, 3, 4]),
            (1, [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 3, 1, 2, 3]),
            (1, [0xC0, 12, 0, 28, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4]),
            (2, [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 2, 0xC0, 12] + [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2]),
            (1, [UInt8](repeating: 0xFF, count: 3000)),
        ] as [(UInt16, [UInt8])])
    func `of an answer that is none ends nothing`(count: UInt16, records: [UInt8]) throws {
        let server = try ScriptedNameServer()
        server.answer("orders.test", with: .addresses(["127.0.0.2"], lifetime: 9))
        let resolver = try resolver(server)
        defer { resolver.stop() }
        _ = try lifetime("orders.test", resolver)
        server.answer("orders.test", with: .raw(answers: count, records))
        let found = try answer("orders.test", resolver, at: 1000 * Self.second)
        #expect(found.holdsUntil <= 1300 * Self.second && found.addresses.count <= 1)
        server.answer("orders.test", with: .addresses(["127.0.0.4"], lifetime: 9))
        #expect(try answer("orders.test", resolver, at: 2000 * Self.second).addresses.map(\.host) == ["127.0.0.4"])
    }
}

/// What is read of a name server's answer.
@Suite struct `an answer of a name server` {
    // RFC 1035 §4.1: orders.test, an alias good for 300 s, an address for 7 s, and a text for 1 s.
    private static let message: [UInt8] =
        [0, 1, 0x81, 0x80, 0, 1, 0, 3, 0, 0, 0, 0] + question
        + [0xC0, 12, 0, 5, 0, 1, 0, 0, 1, 44, 0, 4, 1, 97, 0xC0, 19]
        + [1, 97, 0xC0, 19, 0, 1, 0, 1, 0, 0, 0, 7, 0, 4, 10, 0, 0, 1]
        + [0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 1, 0, 2, 1, 97]
    private static let question: [UInt8] =
        [6, 111, 114, 100, 101, 114, 115, 4, 116, 101, 115, 116, 0, 0, 1, 0, 1]

    private func least(_ message: [UInt8]) -> UInt32? {
        message.withUnsafeBufferPointer { NameAnswer.leastLifetime(in: $0) }
    }

    @Test func `has the least lifetime of its addresses and aliases`() {
        #expect(least(Self.message) == 7)
    }

    @Test func `that is cut anywhere has none`() {
        for count in 0..<Self.message.count { #expect(least(Array(Self.message[..<count])) == nil, "\(count)") }
    }

    @Test func `with any byte changed is read to its end and no further`() {
        for place in Self.message.indices {
            for byte in [0, 1, 63, 64, 0x80, 0xC0, 0xFF] as [UInt8] {
                var message = Self.message
                message[place] = byte
                _ = least(message)
            }
        }
    }
}
