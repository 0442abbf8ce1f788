import Access
import TestTraits
import Testing
import Transport

@testable import Gateway

/// Row ECO-75: when names are looked up, and what an answer changes.
@Suite struct `the names of servers` {
    private static let second: UInt64 = 1_000_000

    private func addresses(_ hosts: String..., stale: Duration = .seconds(300)) -> UpstreamAddresses {
        var settings = UpstreamSettings(servers: hosts.map { .address(host: $0, port: 80) })
        settings.pool.stale = stale
        return UpstreamAddresses(settings)
    }

    private func answer(_ hosts: String..., until: UInt64 = 0) throws -> ResolvedName {
        ResolvedName(try hosts.map { try #require(SocketAddress(literal: $0, port: 80)) }, holdsUntil: until)
    }

    @Test(.holds("ECO-75")) func `are looked up when they are wanted, and again when the answer's time is over`() throws
    {
        var addresses = addresses("10.0.0.1", "orders.test")
        let start = 100 * Self.second
        #expect(addresses.due(now: start, isNeeded: false) == [], "nobody has asked for it")
        #expect(addresses.due(now: start) == [1])
        #expect(addresses.due(now: start) == [], "asked twice")
        #expect(addresses.isResolving)
        let end = start + 7 * Self.second
        let change = addresses.answered(try answer("10.0.0.9", until: end), server: 1, now: start)
        #expect(change == .addresses(hasLost: false))
        #expect(addresses.all.map(\.address.host) == ["10.0.0.1", "10.0.0.9"])
        #expect(addresses.due(now: end - 1, isNeeded: false) == [])
        #expect(addresses.due(now: end, isNeeded: false) == [1])
        // One that took longer than it is good for is not asked for again at once.
        let late = end + 20 * Self.second
        #expect(addresses.answered(try answer("10.0.0.9", until: end), server: 1, now: late) == .nothing)
        #expect(addresses.due(now: late + Self.second - 1, isNeeded: false) == [])
        addresses.forgetAnswers()
        #expect(addresses.due(now: late, isNeeded: false) == [1])
        #expect(addresses.servers[1].wantsNew)
    }

    @Test(.refuses("ECO-75")) func `keep their addresses for a while when nobody can say where they lead`() throws {
        var addresses = addresses("orders.test", stale: .seconds(60))
        _ = addresses.due(now: 0)
        _ = addresses.answered(try answer("10.0.0.1", until: 10 * Self.second), server: 0, now: 0)
        let epoch = addresses.epoch
        var (now, asked) = (UInt64(0), [UInt64]())
        var changes: [NameChange] = []
        while now < 200 * Self.second {
            if addresses.due(now: now, isNeeded: false) == [0] {
                asked.append(now / Self.second)
                changes.append(addresses.answered(ResolvedName([]), server: 0, now: now))
                let isThere = !addresses.isEmpty
                #expect(isThere == (now < 70 * Self.second), "\(now)")
            }
            now += Self.second / 10
        }
        // Told once at the beginning, and once at the end; asked less and less often.
        #expect(changes.filter { $0 != .nothing } == [.stale(seconds: 60), .forgotten])
        #expect(asked == [10, 11, 13, 17, 25, 41, 70, 100, 130, 160, 190])
        #expect(addresses.epoch != epoch, "idle connections are closed")
        #expect(addresses.due(now: now) == [0], "whoever needs an address asks")
        #expect(addresses.answered(try answer("10.0.0.2"), server: 0, now: now) == .addresses(hasLost: false))
        #expect(addresses.servers[0].failures == 0)
    }

    @Test func `of which one cannot be looked up leave the others alone`() throws {
        var addresses = addresses("one.test", "two.test", stale: .zero)
        _ = addresses.due(now: 0)
        _ = addresses.answered(try answer("10.0.0.1", until: 1), server: 0, now: 0)
        _ = addresses.answered(try answer("10.0.0.2", until: 1), server: 1, now: 0)
        #expect(addresses.answered(ResolvedName([]), server: 0, now: 2 * Self.second) == .forgotten)
        #expect(addresses.all.map(\.address.host) == ["10.0.0.2"] && !addresses.isSeveral)
    }

    @Test(.holds("ECO-75")) func `that lead elsewhere keep what is known of the addresses that stay`() throws {
        var addresses = addresses("orders.test")
        _ = addresses.answered(try answer("10.0.0.1", "10.0.0.2"), server: 0, now: 1)
        let epoch = addresses.epoch
        addresses.failed(addresses.all[1].identity, now: 5)
        // In another order, as name servers do: places, which connections have tried, are the same.
        #expect(addresses.answered(try answer("10.0.0.2", "10.0.0.1"), server: 0, now: 2) == .nothing)
        #expect(addresses.epoch == epoch && addresses.all.map(\.address.host) == ["10.0.0.1", "10.0.0.2"])
        #expect(
            addresses.answered(try answer("10.0.0.3", "10.0.0.2"), server: 0, now: 3) == .addresses(hasLost: true))
        #expect(addresses.epoch != epoch)
        #expect(addresses.all.map(\.address.host) == ["10.0.0.2", "10.0.0.3"])
        #expect(addresses.all[0].avoidedUntil > 5, "what was put back stays so")
    }

    // RFC 8305 §4
    @Test(.holds("ECO-75")) func `with addresses of both families have them in turn`() throws {
        var addresses = addresses("orders.test", "10.0.0.9")
        let found = try answer("2001:db8::1", "2001:db8::2", "2001:db8::3", "10.0.0.1", "10.0.0.1")
        _ = addresses.answered(found, server: 0, now: 1)
        let hosts = ["2001:db8::1", "10.0.0.1", "2001:db8::2", "2001:db8::3", "10.0.0.9"]
        #expect(addresses.all.map(\.address.host) == hosts)
        // Of the same server, and not tried.
        let identities = addresses.all.map(\.identity)
        #expect(addresses.otherFamily(than: identities[0], after: 0b1, now: 2) == 1)
        #expect(addresses.otherFamily(than: identities[0], after: 0b11, now: 2) == nil)
        #expect(addresses.otherFamily(than: identities[1], after: 0b11, now: 2) == 2)
        #expect(addresses.otherFamily(than: identities[4], after: 0b10000, now: 2) == nil)
        addresses.failed(identities[2], now: 2)
        #expect(addresses.otherFamily(than: identities[1], after: 0b11, now: 3) == 3)
        #expect(addresses.otherFamily(than: 0, after: 0b1, now: 3) == nil)
    }
}
