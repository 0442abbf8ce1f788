import EventLoop
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite struct `work given to a loop` {
    @Test func `from another thread is done on the loop's thread, in the order given`() throws {
        let thread = try LoopThread()
        let loop = thread.loop
        let done = Watched<[Int]>([])
        let strangers = Watched(0)
        for number in 0..<1000 {
            loop.execute {
                done.withLock { $0.append(number) }
                if !loop.isInLoop { strangers.withLock { $0 += 1 } }
            }
        }
        #expect(done.wait { $0.count == 1000 })
        #expect(done.now == Array(0..<1000))
        #expect(strangers.now == 0)
        #expect(!loop.isInLoop)
        #expect(thread.stop())
    }

    @Test func `from the loop itself is done later, in the order given, however much it is`() throws {
        let loop = try EventLoop()
        let done = Box<[Int]>([])
        let wasLater = Box(false)
        loop.execute {
            for number in 0..<1000 { loop.execute { done.value.append(number) } }
            wasLater.value = done.value.isEmpty
        }
        #expect(loop.turns { done.value.count == 1000 })
        #expect(done.value == Array(0..<1000))
        #expect(wasLater.value)
    }

    @Test func `before anyone runs the loop waits for whoever does`() throws {
        let loop = try EventLoop()
        // The thread that makes a worker's loop is not the one that runs it: it must go through the locked inbox.
        #expect(!loop.isInLoop)
        let places = Watched<[Bool]>([])
        loop.execute { places.withLock { $0.append(loop.isInLoop) } }
        #expect(places.now == [])
        let ended = Gate()
        Thread.detachNewThread {
            loop.run()
            ended.open()
        }
        #expect(places.wait { $0 == [true] })
        loop.stop()
        #expect(ended.wait())
    }

    @Test(.holds("OPS-04")) func `that queues more work does not keep the sockets waiting`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { pair.close() }
        let wasServed = Box(false)
        let watcher = Watcher(loop: loop, descriptor: pair.here) { _ in wasServed.value = true }
        watcher.watch(for: .read)
        let rounds = Box(0)
        let limit = 100_000
        @Sendable func again() {
            guard !wasServed.value, rounds.value < limit else { return }
            rounds.value += 1
            // Only now, so that the socket is not found ready together with the first round.
            if rounds.value == 10 { pair.send() }
            loop.execute(again)
        }
        loop.execute(again)
        #expect(loop.turns { wasServed.value })
        #expect(rounds.value < limit)
        watcher.cancel()
    }

    @Test func `by many threads at once is all done, each thread's in its order`() throws {
        let thread = try LoopThread()
        let loop = thread.loop
        let (threads, jobs) = (8, 2000)
        let seen = Watched([[Int]](repeating: [], count: threads))
        for number in 0..<threads {
            Thread.detachNewThread {
                for job in 0..<jobs { loop.execute { seen.withLock { $0[number].append(job) } } }
            }
        }
        #expect(seen.wait { $0.allSatisfy { $0.count == jobs } })
        #expect(seen.now == [[Int]](repeating: Array(0..<jobs), count: threads))
        #expect(thread.stop())
    }

    @Test func `is dropped by a loop that goes, with what it holds`() throws {
        weak var held: Box<Int>?
        do {
            let loop = try EventLoop()
            let box = Box(1)
            held = box
            loop.execute { box.value += 1 }
            #expect(held != nil)
        }
        #expect(held == nil)
    }
}

@Suite struct `a loop that runs` {
    @Test func `stops when told from another thread, and runs again afterwards`() throws {
        let thread = try LoopThread()
        #expect(thread.stop())
        let done = Gate()
        thread.start()
        thread.loop.execute { done.open() }
        #expect(done.wait())
        thread.loop.stop()
    }

    @Test func `stops when told on its own thread, even before it began`() throws {
        let loop = try EventLoop()
        let steps = Box<[String]>([])
        loop.execute {
            steps.value.append("work")
            loop.stop()
        }
        loop.run()
        steps.value.append("stopped")
        #expect(steps.value == ["work", "stopped"])
    }

    @Test func `answers for its own thread only`() throws {
        let thread = try LoopThread()
        let loop = thread.loop
        let inside = Watched<Bool?>(nil)
        loop.execute { inside.withLock { $0 = loop.isIsolatingCurrentContext() } }
        #expect(inside.wait { $0 != nil })
        #expect(inside.now == true)
        #expect(loop.isIsolatingCurrentContext() == false)
        #expect(thread.stop())
    }
}
