// SPDX-License-Identifier: Apache-2.0
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
