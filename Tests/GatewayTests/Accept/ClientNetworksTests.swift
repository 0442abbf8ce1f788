import Rates
import TestSupport
import Testing

@testable import Gateway

@Suite struct `HTTP-66 the connections of each client` {
    @Test func `are counted one by one, up and down`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        for count in 1...5 {
            networks.add((1, 0))
            #expect(networks.count(of: (1, 0)) == count)
        }
        #expect(networks.count(of: (0, 1)) == 0)
        #expect(networks.clients == 1)
        for count in (0..<5).reversed() {
            networks.remove((1, 0))
            #expect(networks.count(of: (1, 0)) == count)
        }
        networks.remove((1, 0))
        #expect(networks.count(of: (1, 0)) == 0)
        #expect(networks.clients == 0)
    }

    @Test func `are what a simple dictionary says, whatever comes and goes`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        var expected: [UInt64: Int] = [:]
        var numbers = Numbers(seed: 66)
        for step in 0..<60_000 {
            // Grows to thousands of clients, then shrinks to none.
            let network = UInt64(numbers.below(4000))
            let grows = numbers.below(100) < (step < 30_000 ? 70 : 25)
            if grows {
                networks.add((network, network &* 3))
                expected[network, default: 0] += 1
            } else if let count = expected[network] {
                networks.remove((network, network &* 3))
                expected[network] = count == 1 ? nil : count - 1
            }
            if step % 997 == 0 {
                #expect(networks.clients == expected.count)
                for network in UInt64(0)..<4000 {
                    #expect(networks.count(of: (network, network &* 3)) == expected[network] ?? 0)
                }
            }
        }
    }
}

@Suite struct `OPS-05 what each client holds` {
    @Test func `is counted by kind, and forgotten with the last of all`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        for (number, holding) in ClientNetworks.Holding.allCases.enumerated() {
            networks.add((7, 0), holding, number + 1)
        }
        for (number, holding) in ClientNetworks.Holding.allCases.enumerated() {
            #expect(networks.count(of: (7, 0), holding) == number + 1)
            #expect(networks.clients == 1)
            networks.remove((7, 0), holding, number + 1)
            #expect(networks.count(of: (7, 0), holding) == 0)
        }
        #expect(networks.clients == 0)
    }

    @Test func `never falls below nothing`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        networks.add((7, 0), .loginBytes, 10)
        networks.remove((7, 0), .loginBytes, 11)
        #expect(networks.count(of: (7, 0), .loginBytes) == 0)
        networks.remove((7, 0), .logins)
        #expect(networks.clients == 0)
    }

    @Test func `leaves the next client something, however many take all they can`() {
        let share = ClientShare(most: 64)
        for clients in [1, 2, 5, 100, 383] {
            var held = [Int](repeating: 0, count: clients)
            var free = 384
            var moved = true
            while moved {
                moved = false
                for client in held.indices where share.hasRoom(held: held[client], free: free) {
                    held[client] += 1
                    free -= 1
                    moved = true
                }
            }
            #expect(share.hasRoom(held: 0, free: free), "\(clients) clients left \(free)")
            #expect(held.allSatisfy { (1...64).contains($0) })
        }
    }
}

@Suite struct `OPS-05 the rate of each client` {
    private let rate = TokenRate(perSecond: 10, burst: 5)

    @Test func `is so many at once, and then so many a second`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        for _ in 0..<5 { #expect(networks.take((1, 0), at: 1_000_000, rate) == 0) }
        #expect(networks.take((1, 0), at: 1_000_000, rate) == 100_000)
        #expect(networks.take((1, 0), at: 1_040_000, rate) == 60_000)
        #expect(networks.take((1, 0), at: 1_100_000, rate) == 0)
        #expect(networks.take((1, 0), at: 1_100_000, rate) > 0)
        #expect(networks.take((2, 0), at: 1_100_000, rate) == 0, "another client's is another")
        // After a while it has all of it again, and no more than that.
        for _ in 0..<5 { #expect(networks.take((1, 0), at: 60_000_000, rate) == 0) }
        #expect(networks.take((1, 0), at: 60_000_000, rate) > 0)
    }

    @Test func `keeps nobody waiting by a rate of before`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        let slow = TokenRate(perSecond: 1, burst: 1000)
        for _ in 0..<1000 { #expect(networks.take((1, 0), at: 1, slow) == 0) }
        #expect(networks.take((1, 0), at: 1, rate) <= rate.interval)
    }

    @Test func `is one for each thing, and remembered until all of them have recovered`() {
        for spent in ClientNetworks.Rated.allCases {
            var networks = ClientNetworks()
            defer { networks.destroy() }
            for _ in 0..<5 { #expect(networks.take((1, 0), spent, at: 1_000_000, rate) == 0) }
            for rated in ClientNetworks.Rated.allCases {
                #expect((networks.take((1, 0), rated, at: 1_000_000, rate) == 0) == (rated != spent))
            }
            #expect(networks.remembered == 1)
            // The others recover in a tenth of a second, and this one in five.
            networks.forgetRecovered(at: 1_499_999, looks: .max)
            #expect(networks.remembered == 1)
            #expect(networks.take((1, 0), spent, at: 1_000_000, rate) > 0)
            networks.forgetRecovered(at: 1_500_000, looks: .max)
            #expect(networks.remembered == 0 && networks.clients == 0)
        }
    }

    @Test func `is forgotten once it has recovered, and not before`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        for network in UInt64(1)...1000 { #expect(networks.take((network, 0), at: 1_000_000, rate) == 0) }
        networks.add((5, 0), .logins)
        networks.forgetRecovered(at: 1_099_999, looks: .max)
        #expect(networks.remembered == 1000)
        networks.forgetRecovered(at: 1_100_000, looks: .max)
        #expect(networks.remembered == 0)
        #expect(networks.clients == 1)
        #expect(networks.count(of: (5, 0), .logins) == 1)
        networks.remove((5, 0), .logins)
        #expect(networks.clients == 0)
    }

    @Test func `is remembered of so many clients, and costs no memory beyond`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        let limit = UInt64(ClientNetworks.rememberedLimit)
        for network in UInt64(0)..<(limit + 5000) {
            #expect(networks.take((network, 1), at: 1_000_000, rate) == 0)
        }
        #expect(networks.remembered == ClientNetworks.rememberedLimit)
        #expect(networks.clients == ClientNetworks.rememberedLimit)
        // Whoever is remembered is held to it all the same.
        for _ in 0..<4 { #expect(networks.take((3, 1), at: 1_000_000, rate) == 0) }
        #expect(networks.take((3, 1), at: 1_000_000, rate) > 0)
    }

    @Test func `is what a simple model says, whatever comes, goes and is forgotten`() {
        var networks = ClientNetworks()
        defer { networks.destroy() }
        var numbers = Numbers(seed: 5)
        var spent: [UInt64: UInt64] = [:]
        var held: [UInt64: Int] = [:]
        var now: UInt64 = 1_000_000
        for step in 0..<60_000 {
            now += UInt64(numbers.below(2000))
            let network = UInt64(numbers.below(500))
            switch numbers.below(4) {
            case 0:
                networks.add((network, 0), .logins)
                held[network, default: 0] += 1
            case 1:
                if let count = held[network], count > 0 {
                    networks.remove((network, 0), .logins)
                    held[network] = count - 1
                }
            case 2: networks.forgetRecovered(at: now, looks: 64)
            default:
                let from = max(spent[network] ?? 0, now)
                let isGranted = from - now <= rate.allowance
                #expect((networks.take((network, 0), at: now, rate) == 0) == isGranted)
                if isGranted { spent[network] = from + rate.interval }
            }
            guard step % 5003 == 0 else { continue }
            for (network, count) in held { #expect(networks.count(of: (network, 0), .logins) == count) }
        }
        networks.forgetRecovered(at: now + 10_000_000, looks: .max)
        networks.forgetRecovered(at: now + 10_000_000, looks: .max)
        #expect(networks.clients == held.values.count { $0 > 0 })
    }
}
