import TestSupport
import TestTraits
import Testing

@testable import Gateway

/// A wheel with numbered entries.
private final class Clockwork {
    var wheel = TimeoutWheel()
    let entries: UnsafeMutablePointer<Timeout>
    let count: Int

    init(_ count: Int) {
        self.count = count
        entries = .allocate(capacity: count)
        entries.initialize(repeating: Timeout(of: .client), count: count)
    }

    deinit {
        wheel.destroy()
        entries.deallocate()
    }

    func set(_ number: Int, ticks: Int) {
        wheel.set(entries + number, milliseconds: ticks * TimeoutWheel.tickMilliseconds)
    }

    /// What fires in the next tick; `during` sees each before the next is asked for.
    func tick(during: (Int) -> Void = { _ in }) -> [Int] {
        wheel.tick()
        var fired: [Int] = []
        while let entry = wheel.nextDue() {
            fired.append(entry - entries)
            during(entry - entries)
        }
        return fired
    }

    /// After how many ticks each entry fires, within so many.
    func firings(ticks: Int) -> [Int: Int] {
        var firings: [Int: Int] = [:]
        for tick in 1...ticks {
            for number in self.tick() { #expect(firings.updateValue(tick, forKey: number) == nil, "fires once") }
        }
        return firings
    }
}

@Suite struct `the timeout wheel` {
    // One tick later than asked: the tick in progress has partly passed already.
    @Test(arguments: [
        (0, 1), (1, 2), (99, 2), (100, 2), (101, 3), (1000, 11), (102_200, 1023), (102_300, 1024), (102_400, 1025),
        (102_500, 1026), (204_800, 2049), (300_000, 3001), (3_600_000, 36_001),
    ])
    func `fires at its tick, and once, also beyond a turn of the wheel`(milliseconds: Int, tick: Int) {
        let clock = Clockwork(1)
        clock.wheel.set(clock.entries, milliseconds: milliseconds)
        #expect(clock.firings(ticks: tick + 1030) == [0: tick])
    }

    @Test(.holds("HTTP-66")) func `what is set while it is behind counts from the time that it is`() {
        let clock = Clockwork(3)
        clock.set(0, ticks: 0)
        clock.set(1, ticks: 0)
        // Ten ticks in which nobody asked for what is due.
        for _ in 0..<10 { clock.wheel.tick() }
        #expect(clock.wheel.nextDue() != nil)
        clock.set(2, ticks: 5)
        #expect(clock.wheel.nextDue() != nil)
        #expect(clock.wheel.nextDue() == nil)
        #expect(clock.firings(ticks: 20) == [2: 6])
    }

    @Test func `fires nothing that was never set`() {
        #expect(Clockwork(3).firings(ticks: 2100) == [:])
    }

    @Test func `fires each of many at one tick`() {
        let clock = Clockwork(100)
        for number in 0..<100 { clock.set(number, ticks: 5) }
        let firings = clock.firings(ticks: 10)
        #expect(firings.count == 100)
        #expect(Set(firings.values) == [6])
    }

    @Test func `follows a deadline that moves away, and away again`() {
        let clock = Clockwork(1)
        clock.set(0, ticks: 3)
        for _ in 0..<50 {
            #expect(clock.tick() == [])
            clock.set(0, ticks: 3)
        }
        #expect(clock.firings(ticks: 2000) == [0: 4])
    }

    @Test func `follows a deadline that comes nearer`() {
        let clock = Clockwork(2)
        clock.set(0, ticks: 2000)
        clock.set(1, ticks: 500)
        clock.set(0, ticks: 900)
        clock.set(0, ticks: 10)
        #expect(clock.firings(ticks: 3000) == [0: 11, 1: 501])
    }

    @Test func `does not fire what was cleared, until it is set again`() {
        let clock = Clockwork(3)
        for number in 0..<3 { clock.set(number, ticks: 5) }
        clock.wheel.clear(clock.entries)
        clock.wheel.clear(clock.entries + 1)
        clock.set(1, ticks: 8)
        #expect(clock.firings(ticks: 1100) == [1: 9, 2: 6])
        clock.set(0, ticks: 1)
        #expect(clock.firings(ticks: 1100) == [0: 2])
    }

    @Test func `forgets what was removed, first, middle and last of a slot`() {
        for removed in 0..<5 {
            let clock = Clockwork(5)
            for number in 0..<5 { clock.set(number, ticks: 7) }
            clock.wheel.remove(clock.entries + removed)
            // The memory may be another connection's by now.
            clock.entries[removed] = Timeout(of: .client)
            clock.wheel.remove(clock.entries + removed)
            #expect(Set(clock.firings(ticks: 1100).keys) == Set(0..<5).subtracting([removed]))
        }
    }

    @Test func `lets entries be removed, set and cleared while others fire`() {
        let clock = Clockwork(40)
        for number in 0..<40 { clock.set(number, ticks: 2) }
        var (removed, fired): (Set<Int>, [Int]) = ([], [])
        func disturb(_ number: Int) {
            fired.append(number)
            let other = (number + 7) % 40
            if !fired.contains(other) {
                if number % 2 == 0 {
                    clock.wheel.remove(clock.entries + other)
                } else {
                    clock.wheel.clear(clock.entries + other)
                }
                removed.insert(other)
            }
            // Set anew while its tick is not over: fires in a later one.
            if number % 5 == 0 { clock.set(number, ticks: 0) }
        }
        #expect(clock.tick() == [])
        #expect(clock.tick() == [])
        let now = clock.tick(during: disturb)
        #expect(!removed.isEmpty)
        #expect(Set(now).isDisjoint(with: removed))
        #expect(Set(now).union(removed) == Set(0..<40))
        #expect(Set(clock.tick()) == Set(now.filter { $0 % 5 == 0 }))
        #expect(clock.firings(ticks: 1100) == [:])
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `fires as a list of deadlines would`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        let clock = Clockwork(30)
        var (now, deadlines): (Int, [Int: Int]) = (0, [:])
        for _ in 0..<12_000 {
            for _ in 0..<numbers.below(4) {
                let number = numbers.below(30)
                switch numbers.below(6) {
                case 0:
                    clock.wheel.clear(clock.entries + number)
                    deadlines[number] = nil
                case 1:
                    clock.wheel.remove(clock.entries + number)
                    deadlines[number] = nil
                default:
                    let ticks = numbers.pick([0, 1, 2, 5, 30, 100, 700, 1022, 1023, 1024, 1025, 2600])
                    clock.set(number, ticks: ticks)
                    deadlines[number] = now + ticks + 1
                }
            }
            now += 1
            let due = Set(deadlines.filter { $0.value == now }.keys)
            #expect(Set(clock.tick()) == due)
            for number in due { deadlines[number] = nil }
        }
    }

    @Test(.holds("HTTP-66")) func `finds the entry that waited longest, and moves on those that began to wait anew`() {
        let clockwork = Clockwork(40)
        for number in 0..<40 { clockwork.set(number, ticks: 100 + number) }
        // The first ten begin anew; they are still linked where they were.
        for number in 0..<10 { clockwork.set(number, ticks: 500 + number) }
        clockwork.wheel.clear(clockwork.entries + 10)
        var looks = 0
        func earliest(_ limit: Int = .max, from tick: UInt32 = 0, where isWanted: (Int) -> Bool = { _ in true }) -> Int?
        {
            clockwork.wheel.earliest(from: tick, atMost: limit) {
                looks += 1
                return isWanted($0 - clockwork.entries)
            }.map { $0 - clockwork.entries }
        }
        #expect(earliest() == 11)
        #expect(looks == 1, "those that moved are not looked at")
        #expect(earliest { $0 < 10 } == 0)
        #expect(earliest { $0 % 7 == 0 && $0 > 20 } == 21)
        #expect(earliest(3) { $0 == 30 } == nil, "not within so many looks")
        #expect(earliest(from: (clockwork.entries + 30).pointee.deadline) == 30)
        #expect(earliest { _ in false } == nil)
        // Whoever was moved on fires when it should, and nobody twice.
        let firings = clockwork.firings(ticks: 700)
        #expect(firings.count == 39)
        for number in 0..<10 { #expect(firings[number] == 501 + number) }
        for number in 11..<40 { #expect(firings[number] == 101 + number) }
    }

    @Test(.holds("HTTP-66")) func `finds one that waits for longer than the wheel's span`() {
        let clockwork = Clockwork(2)
        clockwork.set(1, ticks: 3000)
        #expect(clockwork.wheel.earliest(from: 0, atMost: .max) { _ in true } == clockwork.entries + 1)
        for _ in 0..<2999 { #expect(clockwork.tick().isEmpty) }
    }
}
