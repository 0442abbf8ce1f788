import Access
import Testing
import Transport

@testable import Gateway

@Suite struct `the addresses of an upstream` {
    private func addresses(_ hosts: String...) -> UpstreamAddresses {
        UpstreamAddresses(UpstreamSettings(servers: hosts.map { .address(host: $0, port: 80) }))
    }

    /// Every place that one connection tries, in order.
    private func attempts(_ addresses: inout UpstreamAddresses, now: UInt64 = 1) -> [Int] {
        var (tried, places): (UInt64, [Int]) = (0, [])
        while let place = addresses.next(after: tried, now: now) {
            tried |= 1 << UInt64(place)
            places.append(place)
        }
        return places
    }

    @Test func `take turns`() {
        var addresses = addresses("10.0.0.1", "10.0.0.2", "10.0.0.3")
        let first = (0..<6).map { _ in addresses.next(after: 0, now: 1) }
        #expect(first == [0, 1, 2, 0, 1, 2])
    }

    @Test func `are each tried once by one connection`() {
        var addresses = addresses("10.0.0.1", "10.0.0.2", "10.0.0.3")
        _ = addresses.next(after: 0, now: 1)
        #expect(attempts(&addresses) == [1, 2, 0])
        #expect(addresses.untried(0) == 3 && addresses.untried(0b101) == 1 && addresses.untried(0b111) == 0)
    }

    @Test func `come last for ten seconds after a failure, and are never all left out`() {
        var addresses = addresses("10.0.0.1", "10.0.0.2")
        addresses.failed(addresses.all[0].identity, now: 1)
        for _ in 0..<4 { #expect(addresses.next(after: 0, now: 2) == 1) }
        #expect(attempts(&addresses, now: 2) == [1, 0])
        addresses.failed(addresses.all[1].identity, now: 3)
        #expect(attempts(&addresses, now: 4) == [0, 1])
        let later = UpstreamAddresses.putBackMicroseconds + 1
        #expect(Set((0..<2).map { _ in addresses.next(after: 0, now: later + 2) }) == [0, 1])
    }

    @Test func `come in turn again once a connection was made`() {
        var addresses = addresses("10.0.0.1", "10.0.0.2")
        addresses.failed(addresses.all[0].identity, now: 1)
        addresses.succeeded(addresses.all[0].identity, now: 1)
        #expect(Set((0..<2).map { _ in addresses.next(after: 0, now: 2) }) == [0, 1])
    }

    @Test func `may be Unix sockets`() {
        let settings = UpstreamSettings(servers: [.unixSocket(path: "/run/app.sock")])
        let addresses = UpstreamAddresses(settings)
        #expect(addresses.all.map(\.address.description) == ["unix:/run/app.sock"])
        #expect(!addresses.hasNames && settings.base == "http://localhost" && settings.name == "unix:/run/app.sock")
    }
}
