import Testing

@testable import Access

@Suite struct `a list of predicates` {
    @Test(arguments: [[], [0], [63, 64, 0], Array(0..<200)] as [[Int32]])
    func `lends the numbers that it was made of`(numbers: [Int32]) {
        let list = PredicateList(numbers)
        let lent = list.numbers
        #expect(lent.indices.map { lent[$0] } == numbers)
        list.destroy()
    }
}

@Suite struct `bytes of a configuration` {
    @Test(arguments: ["", "a", "X-User-Id: "]) func `are lent as they were written`(text: String) {
        let bytes = FixedBytes(text)
        let lent = bytes.span
        #expect(lent.indices.map { lent[$0] } == Array(text.utf8))
        #expect(Array(bytes.buffer) == Array(text.utf8))
        bytes.destroy()
    }
}
