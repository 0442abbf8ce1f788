import EventLoop
import TestSupport
import Testing

/// Runs a body with a loop on its own thread.
private func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async throws -> Result {
    let thread = try LoopThread()
    defer { thread.stop() }
    return try await body(thread.loop)
}

/// Isolated to a loop.
private actor Resident {
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var visits = 0

    init(_ loop: EventLoop) { self.loop = loop }

    func visit() -> (visits: Int, isInLoop: Bool) {
        visits += 1
        return (visits, loop.isInLoop)
    }
}

@Suite struct `a task on a loop` {
    @Test func `stays on the loop's thread across every suspension`() async throws {
        try await withLoop { loop in
            let places = try await Task(executorPreference: loop) {
                var places = [loop.isInLoop]
                await Task.yield()
                places.append(loop.isInLoop)
                try await loop.sleep(milliseconds: 1)
                places.append(loop.isInLoop)
                await withCheckedContinuation { continuation in Task.detached { continuation.resume() } }
                places.append(loop.isInLoop)
                return places
            }.value
            #expect(places == [true, true, true, true])
        }
    }

    @Test func `may be an actor's, one at a time`() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            let inside = await withTaskGroup { group in
                for _ in 0..<100 { group.addTask { await resident.visit().isInLoop } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(inside == 100)
            #expect(await resident.visit().visits == 101)
        }
    }

    @Test func `sleeps no shorter than asked, but for the clock's grain`() async throws {
        try await withLoop { loop in
            let start = ContinuousClock.now
            try await loop.sleep(milliseconds: 30)
            #expect(ContinuousClock.now - start >= .milliseconds(20))
        }
    }

    @Test(arguments: [0, -1, .min])
    func `that sleeps for nothing wakes`(milliseconds: Int) async throws {
        try await withLoop { loop in try await loop.sleep(milliseconds: milliseconds) }
    }

    @Test func `wakes in the order of its sleeps`() async throws {
        try await withLoop { loop in
            let woken = Watched<[Int]>([])
            // On the loop, so that all fall asleep in one turn of it, by one reading of the clock: from other threads the
            // longest sleep may begin so much earlier that it ends first.
            await Task(executorPreference: loop) {
                await withTaskGroup(of: Void.self) { group in
                    for milliseconds in [90, 10, 50] {
                        group.addTask {
                            try? await loop.sleep(milliseconds: milliseconds)
                            woken.withLock { $0.append(milliseconds) }
                        }
                    }
                }
            }.value
            #expect(woken.now == [10, 50, 90])
        }
    }

    @Test func `wakes at once when it is cancelled`() async throws {
        try await withLoop { loop in
            let start = ContinuousClock.now
            let task = Task { try await loop.sleep(milliseconds: 3_600_000) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // An hour was asked for; minutes pass where the machine has other things to do.
            #expect(ContinuousClock.now - start < .seconds(1800))
        }
    }

    @Test func `wakes with an error when it is cancelled in its sleep`() async throws {
        try await withLoop { loop in
            let begun = Gate()
            let task = Task(executorPreference: loop) {
                begun.open()
                try await loop.sleep(milliseconds: 3_600_000)
            }
            #expect(begun.wait())
            // Each round trip goes behind what the loop has been given; after a few of them the task is asleep.
            for _ in 0..<5 { await withCheckedContinuation { waiting in loop.execute { waiting.resume() } } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `does not fall asleep when it is cancelled before`() async throws {
        try await withLoop { loop in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await loop.sleep(milliseconds: 3_600_000)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `wakes exactly once when it is cancelled at the moment it would have woken`() async throws {
        try await withLoop { loop in
            // A second resume would trap in the checked continuation.
            let tasks = (0..<300).map { _ in Task { try? await loop.sleep(milliseconds: 1) } }
            for task in tasks {
                await Task.yield()
                task.cancel()
            }
            for task in tasks { await task.value }
        }
    }
}
