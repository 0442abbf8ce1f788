import Glibc
import HTTPMessage
import Issuers
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the thread that signs` {
    @Test(.holds("OPS-04")) func `does what it is given, on one thread, that gives way to others`() async {
        let signing = SigningThread()
        let threads = Watched<Set<UInt>>([]), niceness = Watched<Int32>(0)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await signing.run(.loginStart) {
                        threads.withLock { _ = $0.insert(UInt(pthread_self())) }
                        niceness.withLock { $0 = getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
                    } == nil
                }
            }
            for await isDone in group { #expect(isDone) }
        }
        #expect(threads.now.count == 1)
        #expect(niceness.now == min(19, getpriority(Int32(PRIO_PROCESS.rawValue), 0) + 5))
    }

    @Test(.refuses("OPS-05")) func `refuses what is too much of one purpose before it is done, and nothing of another`()
        async
    {
        let thread = SigningThread()
        let gate = Gate()
        let done = Watched(0)
        let refused = await withTaskGroup(of: SlowWork.Refusal?.self) { group in
            for _ in 0..<SigningThread.limit + 30 {
                group.addTask {
                    await thread.run(.loginStart) {
                        gate.wait(within: .seconds(600))
                        done.withLock { $0 += 1 }
                    }
                }
            }
            // Those that are refused come back at once, while all others wait.
            var refused = 0
            for _ in 0..<30 where await group.next() == .some(.crowded) { refused += 1 }
            group.addTask { await thread.run(.session) { done.withLock { $0 += 1 } } }
            gate.open()
            for await refusal in group { #expect(refusal == nil) }
            return refused
        }
        #expect(refused == 30)
        #expect(done.now == SigningThread.limit + 1)
        let refusal = await thread.run(.loginStart) {}
        #expect(refusal == nil)
    }

    @Test(.refuses("OPS-05")) func `has purposes take turns, so that no row of one stands before another`() async {
        let thread = SigningThread()
        let (begun, gate) = (Watched(false), Gate())
        let order = Watched<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = await thread.run(.loginStart) {
                    begun.withLock { $0 = true }
                    gate.wait(within: .seconds(600))
                }
            }
            while !begun.now { await Task.yield() }
            // They come one after the other, while the thread is busy.
            for (count, name) in (1...6).map({ ($0, $0 <= 5 ? "start" : "check") }) {
                group.addTask {
                    _ = await thread.run(name == "start" ? .loginStart : .tokenCheck) {
                        order.withLock { $0.append(name) }
                    }
                }
                while thread.waiting < count + 1 { await Task.yield() }
            }
            gate.open()
        }
        #expect(order.now == ["check", "start", "start", "start", "start", "start"])
        #expect(thread.waiting == 0)
    }

    /// In the order in which they come; nil is somebody of whom nobody says who it is.
    private static let clients: [String?] = ["flood", "flood", "flood", "flood", "one", "other", nil]

    @Test(.refuses("OPS-05")) func `has clients take turns, so that no row of one stands before another's`() async {
        let thread = SigningThread()
        let (begun, gate) = (Watched(false), Gate())
        let order = Watched<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = await thread.run(.loginStart, client: "flood") {
                    begun.withLock { $0 = true }
                    gate.wait(within: .seconds(600))
                }
            }
            while !begun.now { await Task.yield() }
            // They come one after the other, while the thread is busy.
            for (count, client) in Self.clients.enumerated() {
                group.addTask {
                    _ = await thread.run(.loginStart, client: client) {
                        order.withLock { $0.append(client ?? "nobody") }
                    }
                }
                while thread.waiting < count + 2 { await Task.yield() }
            }
            gate.open()
        }
        #expect(order.now == ["one", "other", "nobody", "flood", "flood", "flood", "flood"])
        #expect(thread.waiting == 0)
    }

    @Test(.holds("OPS-05")) func `leaves others what one client may not have, and each no more than it leaves`() async {
        let thread = SigningThread()
        let gate = Gate()
        let refused = Watched<[String: Int]>([:])
        await withTaskGroup(of: Void.self) { group in
            var asked = 0
            for (client, count) in [("one", 600), ("two", 300), ("victim", 64)] {
                for _ in 0..<count {
                    group.addTask {
                        let told = await thread.run(.loginStart, client: client) {
                            gate.wait(within: .seconds(600))
                        }
                        guard let refusal = told else { return }
                        #expect(refusal == .tooManyOfClient, "there is room for others")
                        refused.withLock { $0[client, default: 0] += 1 }
                    }
                }
                asked += count
                while thread.waiting + refused.now.values.reduce(0, +) < asked { await Task.yield() }
            }
            #expect(refused.now == ["one": 600 - SigningThread.limit / 2, "two": 300 - SigningThread.limit / 4])
            #expect(thread.waiting == SigningThread.limit * 3 / 4 + 64)
            gate.open()
        }
        #expect(thread.waiting == 0)
        // Its part is whole again, of each purpose.
        for purpose in [FetchRequest.Purpose.loginStart, .code] {
            let refusal = await thread.run(purpose, client: "one") {}
            #expect(refusal == nil)
        }
    }
}

@Suite struct `those who wait for keys` {
    @Test(.refuses("JOSE-17")) func `are not sent on by what ended for others`() async {
        let waiters = RefreshWaiters(issuers: 1)
        let order = Watched<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            for who in [KeyRequester(.answer), KeyRequester(.logoutToken)] {
                group.addTask {
                    let isRead = await waiters.wait(for: 0, as: who) { order.withLock { $0.append("asks") } }
                    order.withLock { $0.append("\(who.asker): \(isRead)") }
                }
            }
            group.addTask {
                // Nobody is kept from a thread meanwhile: other tests have theirs, and there may be two.
                while order.now.count < 2 { await Task.yield() }
                waiters.end(0, as: KeyRequester(.accessToken))
                waiters.end(0, as: KeyRequester(.response))
                // A stranger who asks too often sends nobody else's on.
                waiters.end(0, as: KeyRequester(.logoutToken, for: AskingClient((1, 2))))
                waiters.end(0, as: KeyRequester(.logoutToken))
                while !order.now.contains("logoutToken: false") { await Task.yield() }
                order.withLock { $0.append("end") }
                waiters.end(0)
            }
        }
        #expect(order.now == ["asks", "asks", "logoutToken: false", "end", "answer: true"])
    }
}
