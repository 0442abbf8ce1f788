import EventLoop
import Foundation
import TestSupport
import Testing

@Suite struct `a watcher` {
    @Test func `is called for as long as the descriptor is ready, and not after it is cancelled`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { pair.close() }
        let calls = Box(0)
        let watcher = Watcher(loop: loop, descriptor: pair.here) { _ in calls.value += 1 }
        loop.runOnce(blocking: false)
        #expect(calls.value == 0)
        pair.send()
        loop.runOnce(blocking: false)
        #expect(calls.value == 0, "not asked yet")
        watcher.watch(for: .read)
        #expect(loop.turns { calls.value >= 3 })
        watcher.cancel()
        let before = calls.value
        for _ in 0..<5 { loop.runOnce(blocking: false) }
        #expect(calls.value == before)
    }

    @Test func `says which of the two is ready, and changes what it waits for`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { pair.close() }
        let seen = Box<[FileEvent.Interest]>([])
        let watcher = Watcher(loop: loop, descriptor: pair.here) { seen.value.append($0) }
        watcher.watch(for: .write)
        #expect(loop.turns { !seen.value.isEmpty })
        #expect(seen.value.allSatisfy { $0 == .write })
        watcher.watch(for: .read)
        seen.value = []
        for _ in 0..<5 { loop.runOnce(blocking: false) }
        #expect(seen.value == [])
        pair.send()
        #expect(loop.turns { !seen.value.isEmpty })
        #expect(seen.value.allSatisfy { $0 == .read })
        watcher.watch(for: [.read, .write])
        seen.value = []
        #expect(loop.turns { !seen.value.isEmpty })
        #expect(seen.value.first == [.read, .write])
        watcher.cancel()
    }

    @Test func `may cancel itself while it is called`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { pair.close() }
        let (calls, own) = (Box(0), Box<Watcher?>(nil))
        own.value = Watcher(loop: loop, descriptor: pair.here) { _ in
            calls.value += 1
            own.value?.cancel()
        }
        own.value?.watch(for: .read)
        pair.send()
        #expect(loop.turns { calls.value > 0 })
        for _ in 0..<5 { loop.runOnce(blocking: false) }
        #expect(calls.value == 1)
    }

    @Test func `may let go of itself while it is called`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { pair.close() }
        let (calls, own) = (Box(0), Box<Watcher?>(nil))
        own.value = Watcher(loop: loop, descriptor: pair.here) { _ in
            own.value = nil
            calls.value += 1
        }
        weak let watcher = own.value
        own.value?.watch(for: .read)
        pair.send()
        #expect(loop.turns { calls.value > 0 })
        for _ in 0..<5 { loop.runOnce(blocking: false) }
        #expect(calls.value == 1)
        #expect(watcher == nil)
    }

    @Test func `sees the peer's end as something to read`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { close(pair.here) }
        let seen = Box(false)
        let watcher = Watcher(loop: loop, descriptor: pair.here) { if $0.contains(.read) { seen.value = true } }
        watcher.watch(for: .read)
        close(pair.there)
        #expect(loop.turns { seen.value })
        watcher.cancel()
    }

    @Test func `leaves its loop alone once it is gone`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { pair.close() }
        let calls = Box(0)
        do {
            let watcher = Watcher(loop: loop, descriptor: pair.here) { _ in calls.value += 1 }
            watcher.watch(for: .read)
        }
        pair.send()
        for _ in 0..<5 { loop.runOnce(blocking: false) }
        #expect(calls.value == 0)
    }

    @Test func `of a signal is called when it arrives, and no longer when it is gone`() throws {
        let loop = try EventLoop()
        let calls = Box(0)
        do {
            // By default this one is ignored: nothing happens to the process when nobody watches any more.
            let watcher = SignalWatcher(loop: loop, signal: SIGURG) { calls.value += 1 }
            kill(getpid(), SIGURG)
            #expect(loop.turns { calls.value == 1 })
            withExtendedLifetime(watcher) {}
        }
        kill(getpid(), SIGURG)
        for _ in 0..<5 { loop.runOnce(blocking: false) }
        #expect(calls.value == 1)
    }
}

@Suite struct `a timer` {
    @Test func `fires once`() throws {
        let loop = try EventLoop()
        let (fired, later) = (Box(0), Box(false))
        let timer = LoopTimer(loop: loop) { fired.value += 1 }
        let after = LoopTimer(loop: loop) { later.value = true }
        timer.arm(milliseconds: 1)
        after.arm(milliseconds: 40)
        #expect(loop.turns { later.value })
        #expect(fired.value == 1)
        withExtendedLifetime((timer, after)) {}
    }

    @Test func `that is armed again fires at the new time only`() throws {
        let loop = try EventLoop()
        let order = Box<[String]>([])
        let early = LoopTimer(loop: loop) { order.value.append("moved away") }
        let late = LoopTimer(loop: loop) { order.value.append("moved near") }
        let between = LoopTimer(loop: loop) { order.value.append("between") }
        // In the order in which they are due, each from its own moment: however long it takes, none overtakes another.
        late.arm(milliseconds: 3_600_000)
        late.arm(milliseconds: 1)
        between.arm(milliseconds: 40)
        early.arm(milliseconds: 1)
        early.arm(milliseconds: 90)
        #expect(loop.turns { order.value.count == 3 })
        #expect(order.value == ["moved near", "between", "moved away"])
        withExtendedLifetime((early, late, between)) {}
    }

    @Test func `that is cancelled does not fire until it is armed again`() throws {
        let loop = try EventLoop()
        let (fired, later) = (Box(0), Box(false))
        let timer = LoopTimer(loop: loop) { fired.value += 1 }
        let after = LoopTimer(loop: loop) { later.value = true }
        timer.arm(milliseconds: 1)
        timer.cancel()
        after.arm(milliseconds: 30)
        #expect(loop.turns { later.value })
        #expect(fired.value == 0)
        timer.arm(milliseconds: 0)
        #expect(loop.turns { fired.value == 1 })
        withExtendedLifetime((timer, after)) {}
    }

    @Test func `may arm itself while it fires, or let go of itself`() throws {
        let loop = try EventLoop()
        let (fired, own) = (Box(0), Box<LoopTimer?>(nil))
        own.value = LoopTimer(loop: loop) {
            fired.value += 1
            if fired.value < 3 { own.value?.arm(milliseconds: 1) } else { own.value = nil }
        }
        weak let timer = own.value
        own.value?.arm(milliseconds: -5)
        #expect(loop.turns { fired.value == 3 })
        #expect(timer == nil)
    }

    @Test func `keeps what its closure holds until that returns, even if it is replaced there`() throws {
        final class Held { var number = 7 }
        let loop = try EventLoop()
        let (seen, own) = (Box(0), Box<LoopTimer?>(nil))
        weak var held: Held?
        do {
            let only = Held()
            held = only
            own.value = LoopTimer(loop: loop) {
                own.value = LoopTimer(loop: loop) {}
                seen.value = only.number
            }
        }
        own.value?.arm(milliseconds: 0)
        #expect(loop.turns { seen.value == 7 })
        #expect(held == nil)
    }

    @Test func `that is gone does not fire`() throws {
        let loop = try EventLoop()
        let (fired, later) = (Box(0), Box(false))
        do {
            let timer = LoopTimer(loop: loop) { fired.value += 1 }
            timer.arm(milliseconds: 1)
        }
        let after = LoopTimer(loop: loop) { later.value = true }
        after.arm(milliseconds: 30)
        #expect(loop.turns { later.value })
        #expect(fired.value == 0)
        withExtendedLifetime(after) {}
    }
}

@Suite struct `an event in place` {
    @Test func `that is activated fires in a later turn, behind what else is ready`() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        defer { pair.close() }
        // An event that always activates itself again stands for a TLS connection with bytes left inside.
        final class State {
            var (rounds, wasServed) = (0, false)
            let slot = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
            let pair: SocketPair

            init(_ pair: SocketPair) { self.pair = pair }
        }
        let state = State(pair)
        state.slot.initialize(to: FileEvent())
        defer {
            FileEvent.remove(state.slot)
            state.slot.deallocate()
        }
        let watcher = Watcher(loop: loop, descriptor: pair.here) { _ in state.wasServed = true }
        watcher.watch(for: .read)
        let context = Unmanaged.passUnretained(state).toOpaque()
        FileEvent.assign(
            state.slot, loop.base, -1, [],
            { _, _, context in
                guard let context else { return }
                let state = Unmanaged<State>.fromOpaque(context).takeUnretainedValue()
                guard !state.wasServed, state.rounds < 100_000 else { return }
                state.rounds += 1
                if state.rounds == 10 { state.pair.send() }
                FileEvent.activate(state.slot)
            }, context)
        FileEvent.activate(state.slot)
        #expect(loop.turns { state.wasServed })
        #expect(state.rounds < 100_000)
        watcher.cancel()
    }

    @Test func `that fires in the next turn does so behind what becomes ready only then`() throws {
        let loop = try EventLoop()
        let (first, second) = (try SocketPair(), try SocketPair())
        defer {
            first.close()
            second.close()
        }
        let order = Box<[String]>([])
        let slot = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
        slot.initialize(to: FileEvent())
        defer {
            FileEvent.remove(slot)
            slot.deallocate()
        }
        FileEvent.assign(
            slot, loop.base, -1, [],
            { _, _, context in
                guard let context else { return }
                Unmanaged<Box<[String]>>.fromOpaque(context).takeUnretainedValue().value.append("the end of the turn")
            }, Unmanaged.passUnretained(order).toOpaque())
        let watchers = Box<[Watcher]>([])
        watchers.value.append(
            Watcher(loop: loop, descriptor: first.here) { _ in
                order.value.append("the first socket")
                watchers.value[0].cancel()
                FileEvent.fireNextTurn(slot)
                FileEvent.fireNextTurn(slot)
                second.send()
            })
        watchers.value.append(
            Watcher(loop: loop, descriptor: second.here) { _ in
                order.value.append("the second socket")
                watchers.value[1].cancel()
            })
        for watcher in watchers.value { watcher.watch(for: .read) }
        first.send()
        #expect(loop.turns { order.value.count >= 3 })
        for _ in 0..<5 { loop.runOnce(blocking: false) }
        #expect(order.value == ["the first socket", "the second socket", "the end of the turn"])
    }
}
