import TestSupport
import TestTraits
import Testing

@testable import Issuers

@Suite struct `readings of keys that unknown keys ask for` {
    private static let interval: Int64 = 30_000

    private static func client(_ number: Int) -> AskingClient { AskingClient((7, UInt64(bitPattern: Int64(number)))) }

    private func take(_ budget: inout KeyReadingBudget, _ client: Int, at now: Int64) -> Bool {
        budget.take(for: Self.client(client), at: now, interval: Self.interval)
    }

    @Test(.holds("JOSE-17"), .refuses("JOSE-17")) func `are one of a client in the interval`() {
        var budget = KeyReadingBudget()
        let answers = [Int64(0), 0, 29_999, 30_000, 30_001, 59_999, 60_000].map { take(&budget, 1, at: $0) }
        #expect(answers == [true, false, false, true, false, false, true])
    }

    @Test(.holds("ECO-81")) func `of one client that never stops leave others theirs at any time`() {
        var budget = KeyReadingBudget()
        for now in Int64(0)..<600_000 { _ = take(&budget, 1, at: now) }
        // At every moment of what follows three more clients find one each.
        for now in stride(from: Int64(600_000), to: 700_000, by: 500) {
            var trial = budget
            _ = take(&budget, 1, at: now)
            _ = take(&trial, 1, at: now)
            let answers = (2...4).map { take(&trial, $0, at: now) }
            #expect(answers == [true, true, true])
        }
    }

    @Test(.refuses("ECO-81")) func `of any number of clients are eight in an interval, and four in the long run`() {
        var budget = KeyReadingBudget()
        var times: [Int64] = []
        for now in stride(from: Int64(0), to: 20 * Self.interval, by: 50) {
            for number in 0..<10 where take(&budget, Int(now) * 10 + number, at: now) { times.append(now) }
            #expect(budget.remembered <= 8)
        }
        for (index, first) in times.enumerated() {
            let count = times[index...].prefix { $0 < first + Self.interval }.count
            #expect(count <= 8)
        }
        #expect(times.count == 4 + 4 * 20 - 1)
        let next = (0..<100).map { take(&budget, -1 - $0, at: 20 * Self.interval) }
        #expect(next.count { $0 } == 1, "one comes back in a quarter of the interval")
    }

    @Test(.refuses("ECO-81")) func `come back to nobody sooner when the clock stands still`() {
        var budget = KeyReadingBudget()
        let answers = (0..<1000).map { take(&budget, $0, at: -5) }
        #expect(answers.count { $0 } == 4)
    }
}

@Suite struct `a client that names unknown keys without end` {
    private let flooding = AskingClient((1, 1))
    private let honest = AskingClient((1, 2))

    @Test(.holds("ECO-81", "JOSE-17")) func `keeps no other client's new key away`() {
        let world = World()
        world.start()
        for _ in 0..<1000 { world.requestRefresh(for: flooding) }
        // The issuer takes another key just after it was asked.
        world.answerKeys([.rsa, .otherRSA])
        _ = world.fetcher.takeURLs()
        world.requestRefresh(for: flooding)
        #expect(world.fetcher.takeURLs().isEmpty)
        #expect(world.keyIDs == ["rsa-1"])
        world.requestRefresh(for: honest)
        #expect(world.fetcher.takeURLs() == [World.keysURL])
        #expect(world.keyIDs == ["rsa-1", "rsa-2"])
    }

    @Test(.refuses("ECO-81")) func `does not have others refused who ask at the same moment`() {
        let world = World()
        world.start()
        world.requestRefresh(for: flooding)
        world.answerKeys([.rsa, .otherRSA])
        // Both are there before either is looked at.
        world.directory.requestRefresh(issuer: 0, by: KeyRequester(.accessToken, for: flooding))
        world.directory.requestRefresh(issuer: 0, by: KeyRequester(.accessToken, for: honest))
        world.executor.drain()
        #expect(world.refused == [flooding])
        #expect(world.keyIDs == ["rsa-1", "rsa-2"])
    }

    @Test(.refuses("ECO-81", "JOSE-17")) func `gets no more readings by a reload`() {
        let world = World()
        world.start()
        world.requestRefresh(for: flooding)
        _ = world.fetcher.takeURLs()
        let next = IssuerDirectory(
            settings: [World.settings()], fetching: world.fetcher, clock: world.clock, executor: world.executor,
            listeners: .init(onChange: { _, _ in }, onRefreshEnded: { _ in }, onEvent: { _, _ in }),
            continuing: world.directory)
        next.start()
        world.executor.drain()
        next.requestRefresh(issuer: 0, by: KeyRequester(.accessToken, for: flooding))
        world.executor.drain()
        #expect(world.fetcher.takeURLs().isEmpty)
        next.requestRefresh(issuer: 0, by: KeyRequester(.accessToken, for: honest))
        world.executor.drain()
        #expect(world.fetcher.takeURLs() == [World.keysURL])
        next.stop()
        world.executor.drain()
    }

    @Test(.refuses("ECO-81")) func `has no more than eight readings with all that help it`() {
        let world = World()
        world.start()
        _ = world.fetcher.takeURLs()
        for second in 0..<30 {
            for number in 0..<100 { world.requestRefresh(for: AskingClient((2, UInt64(second * 100 + number)))) }
            world.pass(seconds: 1)
        }
        #expect((4...8).contains(world.fetcher.takeURLs().count))
    }
}
