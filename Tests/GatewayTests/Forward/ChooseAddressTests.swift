import Access
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the server of a request` {
    private func servers(
        _ weights: [Int], _ policy: UpstreamPoolSettings.Policy = .roundRobin, first: Int = 0,
        slowStart: Duration = .zero
    ) -> UpstreamAddresses {
        var settings = UpstreamSettings(
            servers: weights.indices.map { .address(host: "10.0.0.\(first + $0 + 1)", port: 80) })
        settings.pool.weights = weights
        settings.pool.policy = policy
        settings.pool.slowStart = slowStart
        var addresses = UpstreamAddresses(settings)
        addresses.chance = Chance(seed: 1)
        return addresses
    }

    /// How many of so many requests each server gets.
    private func counts(_ addresses: inout UpstreamAddresses, of requests: Int, now: UInt64 = 1) -> [Int] {
        var counts = [Int](repeating: 0, count: addresses.all.count)
        for _ in 0..<requests {
            if let place = addresses.next(after: 0, now: now) { counts[place] += 1 }
        }
        return counts
    }

    private func chiSquared(_ counts: [Int], _ weights: [Int]) -> Double {
        let (total, weight) = (counts.reduce(0, +), weights.reduce(0, +))
        return zip(counts, weights).reduce(0) { sum, pair in
            let expected = Double(total) * Double(pair.1) / Double(weight)
            return sum + (Double(pair.0) - expected) * (Double(pair.0) - expected) / expected
        }
    }

    @Test(.holds("ECO-71")) func `is each one's in turn by weights, and no turn of a heavy one waits for its others`() {
        var addresses = servers([5, 1, 1])
        let places = (0..<7).map { _ in addresses.next(after: 0, now: 1) ?? -1 }
        #expect(places == [0, 0, 1, 0, 2, 0, 0])
        #expect(counts(&addresses, of: 70_000) == [50_000, 10_000, 10_000])
    }

    @Test(.holds("ECO-71"), arguments: [[1, 1, 1, 1], [5, 3, 1, 1]])
    func `is drawn by weights where nobody is busy`(weights: [Int]) {
        var addresses = servers(weights, .leastRequests)
        // Three degrees of freedom: one in a thousand is above 16.3.
        #expect(chiSquared(counts(&addresses, of: 100_000), weights) < 16.3)
    }

    @Test(.holds("ECO-71")) func `is the less busy of two that are drawn`() {
        var addresses = servers([1, 1, 1], .leastRequests)
        for _ in 0..<50 { _ = addresses.began(addresses.all[0].identity) }
        #expect(addresses.all[0].turns.inFlight == 50)
        let counts = counts(&addresses, of: 30_000)
        #expect(counts[0] == 0, "one that has more under way than any other loses each draw")
        for _ in 0..<60 { addresses.ended(addresses.all[0].identity) }
        #expect(addresses.all[0].turns.inFlight == 0)
        #expect(self.counts(&addresses, of: 30_000)[0] > 9_000)
    }

    @Test(.refuses("ECO-71")) func `of two that are equally busy is the one with the larger weight`() {
        var addresses = servers([1, 9], .leastRequests)
        for place in 0..<2 { for _ in 0..<9 { _ = addresses.began(addresses.all[place].identity) } }
        #expect(counts(&addresses, of: 1000) == [0, 1000])
    }

    @Test(.holds("ECO-71")) func `stays a user's own, by the weights of all`() {
        var addresses = servers([1, 2, 1])
        var counts = [0, 0, 0]
        for user in 1...100_000 as ClosedRange<UInt64> {
            let place = addresses.next(after: 0, now: 1, for: user) ?? 0
            counts[place] += 1
            #expect(addresses.next(after: 0, now: 2, for: user) == place)
        }
        #expect(chiSquared(counts, [1, 2, 1]) < 13.9)
    }

    @Test(.refuses("ECO-71")) func `changes for nobody but the users of a server that has gone`() {
        var (all, fewer) = (servers([1, 1, 1, 1, 1]), servers([1, 1, 1, 1], first: 1))
        var moved = 0
        for user in 1...20_000 as ClosedRange<UInt64> {
            guard let before = all.next(after: 0, now: 1, for: user),
                let after = fewer.next(after: 0, now: 1, for: user)
            else { continue }
            if before == 0 { moved += 1 } else { #expect(before == after + 1) }
        }
        #expect(moved > 0 && Double(moved) < 20_000 / 5 * 1.1)
    }

    @Test(.refuses("ECO-71"))
    func `is another one while a user's own cannot be connected to, and then their own again`() {
        var addresses = servers([1, 1, 1])
        let own = addresses.next(after: 0, now: 1, for: 7) ?? 0
        addresses.failed(addresses.all[own].identity, now: 1)
        let other = addresses.next(after: 0, now: 2, for: 7)
        #expect(other != nil && other != own)
        #expect(addresses.next(after: 0, now: 2 + UpstreamAddresses.putBackMicroseconds, for: 7) == own)
    }

    private func bounded(_ count: Int, _ change: (inout UpstreamBounds) -> Void) -> UpstreamAddresses {
        var settings = UpstreamSettings(servers: (1...count).map { .address(host: "10.0.0.\($0)", port: 80) })
        change(&settings.pool.bounds)
        return UpstreamAddresses(settings)
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"), arguments: [1, 2, 3, 4, 5])
    func `gets no further connection while half of those that may wait do so there`(pending: Int) {
        var addresses = bounded(3) { $0.pending = pending }
        let (stalled, most) = (addresses.all[0].identity, max(1, pending / 2))
        for _ in 0..<most - 1 { addresses.beganToWait(stalled) }
        #expect(!addresses.isCrowded(0))
        addresses.beganToWait(stalled)
        let places = Set((0..<30).map { _ in addresses.next(after: 0, now: 1) })
        #expect(places == [1, 2])
        // Whoever has a connection there needs no other.
        var kept: Set<Int?> = []
        for _ in 0..<3 {
            let place = addresses.place(after: 0, now: 1)
            kept.insert(place)
            if let place { addresses.hadTurn(place, now: 1) }
        }
        #expect(kept == [0, 1, 2])
        for place in 1...2 { for _ in 0..<most { addresses.beganToWait(addresses.all[place].identity) } }
        #expect(addresses.areCrowded && addresses.next(after: 0, now: 1) == nil)
        addresses.endedToWait(stalled)
        #expect(!addresses.areCrowded && addresses.next(after: 0, now: 1) == 0)
        for _ in 0..<9 { addresses.endedToWait(stalled) }
        #expect(addresses.all[0].turns.pending == 0)
    }

    @Test(.refuses("ECO-74")) func `that is the only one has all who may wait, unless less is said`() {
        var alone = bounded(1) { $0.pending = 4 }
        for _ in 0..<100 { alone.beganToWait(alone.all[0].identity) }
        #expect(!alone.areCrowded && alone.next(after: 0, now: 1) == 0)
        var less = bounded(1) { $0.pendingPerServer = 2 }
        for _ in 0..<2 { less.beganToWait(less.all[0].identity) }
        #expect(less.areCrowded && less.next(after: 0, now: 1) == nil)
    }

    @Test(.holds("ECO-74")) func `has half of all connections that may be begun where nothing is said`() {
        var addresses = bounded(2) { _ in }
        addresses.bound(connections: 10)
        #expect(addresses.mostPendingPerServer == 5)
        addresses.bound(connections: 1)
        #expect(addresses.mostPendingPerServer == 1)
        var said = bounded(2) { $0.pendingPerServer = 7 }
        said.bound(connections: 10)
        #expect(said.mostPendingPerServer == 7)
    }

    @Test(.holds("ECO-74")) func `gets its share little by little after it came back`() {
        var addresses = servers([1, 1], slowStart: .seconds(10))
        addresses.failed(addresses.all[0].identity, now: 1)
        addresses.succeeded(addresses.all[0].identity, now: 1_000_000)
        let early = counts(&addresses, of: 1100, now: 1_000_001)
        #expect(early[0] > 80 && early[0] < 120, "a tenth beside the whole: \(early)")
        let late = counts(&addresses, of: 1000, now: 12_000_000)
        #expect(late[0] > 480 && late[0] < 520, "\(late)")
    }
}
