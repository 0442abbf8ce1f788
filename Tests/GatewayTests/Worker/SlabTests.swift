import Testing

@testable import Gateway

@Suite struct `a slab` {
    @Test func `hands out places that are its own, and never move`() {
        var made = 0
        var slab = Slab<Int> {
            made += 1
            return made
        }
        let places = (0..<200).map { _ in slab.take() }
        #expect(Set(places).count == 200)
        #expect(slab.inUse == 200)
        for (index, place) in places.enumerated() { place.pointee = index }
        let more = (0..<500).map { _ in slab.take() }
        #expect(Set(places + more).count == 700)
        #expect(places.enumerated().allSatisfy { $1.pointee == $0 })
        for place in places + more { slab.giveBack(place) }
        #expect(slab.inUse == 0)
        slab.destroy()
    }

    @Test func `hands out what came back, as it was, and makes no more meanwhile`() {
        var made = 0
        var slab = Slab<Int> {
            made += 1
            return 0
        }
        let first = slab.take()
        let block = made
        #expect(block > 1)
        first.pointee = 77
        slab.giveBack(first)
        #expect(slab.take() == first)
        #expect(first.pointee == 77)
        slab.giveBack(first)
        for _ in 0..<10 {
            let places = (0..<block).map { _ in slab.take() }
            for place in places { slab.giveBack(place) }
        }
        #expect(made == block)
        let places = (0...block).map { _ in slab.take() }
        #expect(made == 2 * block)
        for place in places { slab.giveBack(place) }
        slab.destroy()
    }

    /// Whoever came after would share a place with somebody else, and so their bytes.
    @Test func `ends the process when a place comes back twice`() async {
        await #expect(processExitsWith: .failure) {
            var slab = Slab<Int> { 0 }
            let place = slab.take()
            slab.giveBack(place)
            slab.giveBack(place)
        }
    }

    @Test func `shows every place it ever made, and frees what is in them`() {
        final class Thing {}
        weak var last: Thing?
        var slab = Slab<Thing> { Thing() }
        let places = (0..<65).map { _ in slab.take() }
        last = places.last?.pointee
        var seen: [UnsafeMutablePointer<Thing>] = []
        slab.forEachPlace { seen.append($0) }
        #expect(Set(seen).isSuperset(of: places))
        #expect(Set(seen).count == seen.count)
        #expect(seen.count == 128)
        for place in places { slab.giveBack(place) }
        #expect(last != nil)
        slab.destroy()
        #expect(last == nil)
    }
}
