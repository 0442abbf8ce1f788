import Access
import TestTraits
import Testing

@testable import Gateway

@Suite struct `a server that fails requests` {
    private let second: UInt64 = 1_000_000

    private func servers(_ count: Int, failures: Int = 3) -> UpstreamAddresses {
        var settings = UpstreamSettings(servers: (1...count).map { .address(host: "10.0.0.\($0)", port: 80) })
        settings.pool.ejection.failures = failures
        return UpstreamAddresses(settings)
    }

    /// Fails so many in a row; for how long it is out then.
    private func fail(_ addresses: inout UpstreamAddresses, _ place: Int, times: Int = 3, at now: UInt64) -> UInt64? {
        var time: UInt64?
        for _ in 0..<times { time = addresses.judge(addresses.all[place].identity, isWell: false, now: now) ?? time }
        return time
    }

    @Test(.holds("ECO-72")) func `gets none for a while after so many in a row, and each time for longer`() {
        var addresses = servers(4)
        #expect(fail(&addresses, 0, times: 2, at: 1) == nil)
        #expect(fail(&addresses, 0, times: 1, at: 1) == 10 * second)
        #expect(!addresses.isWell(0, at: 10 * second) && addresses.isWell(0, at: 10 * second + 1))
        for _ in 0..<12 { #expect(addresses.next(after: 0, now: 2) != 0) }
        #expect(fail(&addresses, 0, at: 11 * second) == 20 * second)
        #expect(fail(&addresses, 0, at: 40 * second) == 40 * second)
        for round in 2...12 as ClosedRange<UInt64> { _ = fail(&addresses, 0, at: round * 1000 * second) }
        #expect(addresses.all[0].health.ejectedUntil == 12_320 * second, "no longer than 32 times as long")
    }

    @Test(.refuses("ECO-72")) func `now and then is not taken out`() {
        var addresses = servers(4)
        for _ in 0..<100 {
            #expect(fail(&addresses, 0, times: 2, at: 1) == nil)
            _ = addresses.judge(addresses.all[0].identity, isWell: true, now: 1)
        }
        var never = servers(4, failures: 0)
        #expect(fail(&never, 0, times: 1000, at: 1) == nil)
    }

    @Test(.refuses("ECO-72")) func `with more than half of the others is not taken out`() {
        var addresses = servers(4)
        let ofFour = (0..<4).map { fail(&addresses, $0, at: 1) != nil }
        #expect(ofFour == [true, true, false, false])
        var two = servers(2)
        let ofTwo = (0..<2).map { fail(&two, $0, at: 1) != nil }
        #expect(ofTwo == [true, false])
        // One that cannot be connected to is another matter.
        var three = servers(3)
        three.failed(three.all[1].identity, now: 1)
        #expect(fail(&three, 2, at: 1) != nil)
        #expect(three.next(after: 0, now: 2) == 0)
        var one = servers(1)
        #expect(fail(&one, 0, at: 1) == nil)
    }

    @Test(.holds("ECO-72")) func `is out for the first time again once it was well for as long as it was out`() {
        var addresses = servers(4)
        _ = fail(&addresses, 0, at: 0)
        _ = addresses.judge(addresses.all[0].identity, isWell: true, now: 15 * second)
        #expect(fail(&addresses, 0, at: 16 * second) == 20 * second)
        _ = addresses.judge(addresses.all[0].identity, isWell: true, now: 60 * second)
        #expect(fail(&addresses, 0, at: 61 * second) == 10 * second)
    }

    @Test(.holds("ECO-72"), .refuses("ECO-72")) func `is out and back by its answers to checks, at their thresholds`() {
        var (health, settings) = (ServerHealth(), ServerHealthSettings())
        (settings.unhealthy, settings.healthy) = (3, 2)
        let answers = [false, false, true, false, false, false, true, false, true, true, true]
        let changes = answers.map { health.checked(isWell: $0, settings, at: 5) }
        #expect(changes == [nil, nil, nil, nil, nil, false, nil, nil, nil, true, nil])
        #expect(health.isWell(at: 5) && health.returnedAt == 5)
    }

    @Test(.holds("ECO-72")) func `is used when nobody is well, all of them in turn, and that is said once`() {
        var addresses = servers(3)
        let settings = ServerHealthSettings()
        for place in 0..<3 {
            for _ in 0..<3 { _ = addresses.all[place].health.checked(isWell: false, settings, at: 1) }
        }
        #expect(Set((0..<3).map { _ in addresses.next(after: 0, now: 2) }) == [0, 1, 2])
        let told = [addresses.takePanic(), addresses.takePanic()]
        #expect(told == [true, false])
        for _ in 0..<2 { _ = addresses.all[1].health.checked(isWell: true, settings, at: 3) }
        #expect(Set((0..<3).map { _ in addresses.next(after: 0, now: 4) }) == [1])
        let isToldAgain = addresses.takePanic()
        #expect(!isToldAgain && !addresses.isPanicking)
    }
}

@Suite struct `the budget of second attempts` {
    @Test(.holds("ECO-73"), .refuses("ECO-73")) func `is a fifth of what is under way, and three`() {
        var budget = RetryBudget()
        var sent = 0
        while budget.hasRoom(inUse: 100), sent < 100 {
            budget.begin()
            sent += 1
        }
        #expect(sent == 20)
        budget.end()
        #expect(budget.hasRoom(inUse: 100) && !budget.hasRoom(inUse: 50))
        var quiet = RetryBudget()
        for _ in 0..<3 {
            #expect(quiet.hasRoom(inUse: 1))
            quiet.begin()
        }
        #expect(!quiet.hasRoom(inUse: 1))
    }
}

@Suite struct `content that is held to be sent again` {
    @Test(.refuses("ECO-73")) func `is bounded for all requests of a worker together`() {
        var held = HeldContent()
        var count = 0
        while held.take(HeldContent.mostOfOne), count < 1000 { count += 1 }
        #expect(count == 256 && held.bytes == HeldContent.most && !held.hasRoom(1))
        held.giveBack(4096)
        let isTaken = [held.take(4097), held.take(4096), held.take(1)]
        #expect(isTaken == [false, true, false], "what there is no room for takes none")
    }
}
