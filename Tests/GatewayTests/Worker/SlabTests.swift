import Testing

@testable import Gateway

@Suite struct `a slab` {
    @Test func `hands out places that are its own, and never move`() {
        var slab = Slab<Int>()
        let places = (0..<200).map { slab.take($0) }
        #expect(Set(places).count == 200)
        #expect(slab.inUse == 200)
        let more = (0..<500).map { slab.take(1000 + $0) }
        #expect(Set(places + more).count == 700)
        #expect(places.enumerated().allSatisfy { $1.pointee == $0 })
        for place in places + more { slab.giveBack(place) }
        #expect(slab.inUse == 0)
    }

    @Test func `hands out what came back, with a value that is another, and makes no more places meanwhile`() {
        var slab = Slab<[UInt8]>()
        let first = slab.take([77])
        slab.giveBack(first)
        #expect(slab.take([78]) == first)
        #expect(first.pointee == [78])
        slab.giveBack(first)
        var seen: Set<UnsafeMutablePointer<[UInt8]>> = []
        for _ in 0..<10 {
            let places = (0..<64).map { _ in slab.take([]) }
            seen.formUnion(places)
            for place in places { slab.giveBack(place) }
        }
        #expect(seen.count == 64)
    }

    /// Whoever came after would share a place with somebody else, and so their bytes.
    @Test func `ends the process when a place comes back twice`() async {
        await #expect(processExitsWith: .failure) {
            var slab = Slab<Int>()
            let place = slab.take(0)
            slab.giveBack(place)
            slab.giveBack(place)
        }
    }

    @Test func `ends the process when a place comes back that was retired`() async {
        await #expect(processExitsWith: .failure) {
            var slab = Slab<Int>()
            let place = slab.take(0)
            slab.retire(place)
            slab.giveBack(place)
        }
    }

    @Test func `holds no value where a place is free`() {
        final class Thing {}
        var slab = Slab<Thing>()
        weak var thing: Thing?
        let place: UnsafeMutablePointer<Thing>
        do {
            let made = Thing()
            thing = made
            place = slab.take(made)
        }
        #expect(thing != nil)
        slab.giveBack(place)
        #expect(thing == nil)
    }

    @Test func `keeps the value of a retired place, and the place, until that is ended`() {
        final class Thing {}
        var slab = Slab<Thing>()
        weak var thing: Thing?
        let place: UnsafeMutablePointer<Thing>
        do {
            let made = Thing()
            thing = made
            place = slab.take(made)
        }
        slab.retire(place)
        #expect(thing != nil && place.pointee === thing)
        #expect(!slab.isInUse(place) && slab.inUse == 0)
        let others = (0..<100).map { _ in slab.take(Thing()) }
        #expect(!others.contains(place))
        slab.endRetired()
        #expect(thing == nil)
        #expect(slab.take(Thing()) == place)
        // Of those that are not retired none is ended.
        slab.endRetired()
        #expect(slab.inUse == 101)
    }

    @Test func `shows the places that are in use alone, while they come back`() {
        var slab = Slab<Int>()
        let places = (0..<65).map { slab.take($0) }
        slab.giveBack(places[3])
        slab.retire(places[5])
        var seen: [Int] = []
        let copy = slab
        copy.forEachInUse { place in
            seen.append(place.pointee)
            if place.pointee == 10 { slab.giveBack(places[11]) }
            if place.pointee == 12 { slab.retire(places[12]) }
        }
        #expect(seen == (0..<65).filter { ![3, 5, 11].contains($0) })
        #expect(slab.inUse == 61)
    }
}
