import HTTPMessage
import TestTraits
import Testing

@Suite struct `names in connection` {
    /// Fills a set with the members of a list, and asks it for names that stand behind the list.
    private func answers(_ list: [String], asked: [String]) -> [Bool] {
        var names = ConnectionNames()
        var bytes: [UInt8] = []
        var places: [ByteRange] = []
        for text in list + asked {
            places.append(ByteRange(from: bytes.count, to: bytes.count + text.utf8.count))
            bytes += Array(text.utf8)
        }
        for place in places.prefix(list.count) {
            let hadRoom = names.insert(place, of: bytes.span)
            #expect(hadRoom)
        }
        let count = names.count
        #expect(count == Set(list.map { $0.lowercased() }).count)
        var answers: [Bool] = []
        for place in places.suffix(asked.count) {
            answers.append(names.contains(bytes.span.extracting(place), in: bytes.span))
        }
        return answers
    }

    @Test(.holds("HTTP-43"), .refuses("HTTP-43")) func `a name is found whatever its case, and nothing else is`() {
        let asked = [
            "x-hop", "X-HOP", "X-Hop2", "X-Ho", "Y-Hop", "", "A", "a", "X-Longer-Than-Eight", "x-longer-than-EIGHT",
        ]
        let found = answers(["X-Hop", "a", "X-Longer-Than-Eight"], asked: asked)
        #expect(found == [true, true, false, false, false, false, true, true, true, true])
        #expect(answers([], asked: ["a", ""]) == [false, false])
    }

    @Test(.holds("HTTP-43"), .refuses("HTTP-43"))
    func `as many names as a head may list are all found, in whatever order they come`() {
        let listed = (0..<ConnectionNames.capacity).map {
            "X-\(($0 * 37) % 64)-\(String(repeating: "n", count: $0 % 11))"
        }
        let strange = (64..<200).map { "X-\($0)-\(String(repeating: "n", count: $0 % 11))" }
        #expect(answers(listed, asked: listed.reversed()).allSatisfy { $0 })
        #expect(answers(listed.sorted(), asked: listed.map { $0.uppercased() }).allSatisfy { $0 })
        #expect(answers(listed, asked: strange).allSatisfy { !$0 })
    }

    @Test(.holds("HTTP-43"), .refuses("HTTP-43"))
    func `a name that is listed twice takes one place, and what is full takes no more`() {
        var names = ConnectionNames()
        let text = Array((0...ConnectionNames.capacity).map { String($0 + 100) }.joined().utf8)
        var hadRoom: [Bool] = []
        for index in (0..<ConnectionNames.capacity).flatMap({ [$0, $0] }) + [ConnectionNames.capacity] {
            hadRoom.append(names.insert(ByteRange(start: Int32(index * 3), count: 3), of: text.span))
        }
        #expect(hadRoom == Array(repeating: true, count: 2 * ConnectionNames.capacity) + [false])
        let full = (names.count, names.contains(text.span.extracting(0..<3), in: text.span))
        #expect(full == (ConnectionNames.capacity, true))
        names.clear()
        let empty = (names.count, names.contains(text.span.extracting(0..<3), in: text.span))
        #expect(empty == (0, false))
    }
}
