import Testing

@testable import Gateway

@Suite struct `OPS-05 a burst of connections` {
    private func ticks(_ bursts: inout Bursts, _ count: Int, connections: Int) -> Int {
        (0..<count).count { _ in bursts.isOver(connections: connections) }
    }

    @Test func `is over once, ten seconds after they are gone`() {
        var bursts = Bursts()
        #expect(ticks(&bursts, 10, connections: 3000) == 0)
        #expect(ticks(&bursts, Bursts.pause - 1, connections: 10) == 0)
        #expect(ticks(&bursts, 1, connections: 10) == 1)
        #expect(ticks(&bursts, 10 * Bursts.pause, connections: 10) == 0)
    }

    @Test func `is over though connections stay, when many fewer do`() {
        var bursts = Bursts()
        _ = ticks(&bursts, 1, connections: 10_000)
        #expect(ticks(&bursts, Bursts.pause, connections: 9000) == 1)
        #expect(ticks(&bursts, 10 * Bursts.pause, connections: 9000) == 0)
    }

    @Test func `is none when few come and go, or while they come back`() {
        var bursts = Bursts()
        for _ in 0..<100 {
            #expect(ticks(&bursts, 20, connections: 500) == 0)
            #expect(ticks(&bursts, 200, connections: 0) == 0)
        }
        for _ in 0..<100 {
            #expect(ticks(&bursts, 20, connections: 3000) == 0)
            #expect(ticks(&bursts, 50, connections: 0) == 0)
        }
    }
}
