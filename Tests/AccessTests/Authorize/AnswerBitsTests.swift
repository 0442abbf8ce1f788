import Access
import TestTraits
import Testing

@Suite struct `the answers of a token` {
    /// Yes to the first, the last of the first word and the first of the second.
    private let words: [UInt64] = [1 << 0 | 1 << 63, 1 << 0]

    private func holds(_ number: Int32, in words: [UInt64]) -> Bool {
        AnswerBits(words.span).holds(number)
    }

    private func allHold(_ numbers: [Int32], in words: [UInt64]) -> Bool {
        AnswerBits(words.span).allHold(numbers.span)
    }

    private func oneHolds(_ numbers: [Int32], in words: [UInt64]) -> Bool {
        AnswerBits(words.span).oneHolds(numbers.span)
    }

    @Test func `are each a bit of their own, across words`() {
        for number in 0..<Int32(128) {
            #expect(holds(number, in: words) == [0, 63, 64].contains(number), "\(number)")
        }
    }

    @Test(
        .refuses("RS-19"),
        arguments: [128, 129, 191, 192, 6400, .max, -1, -64, -65, .min] as [Int32])
    func `are no to what was never asked, whatever was answered`(number: Int32) {
        #expect(!holds(number, in: [.max, .max]))
        #expect(!allHold([0, number], in: [.max, .max]))
        #expect(!oneHolds([number], in: [.max, .max]))
        #expect(oneHolds([number, 0], in: [.max, .max]))
    }

    @Test(
        .holds("RS-19"), .refuses("RS-19"),
        arguments: [
            ([0], true, true), ([63], true, true), ([64], true, true), ([1], false, false), ([62], false, false),
            ([65], false, false), ([0, 63, 64], true, true), ([0, 63, 65], false, true), ([1, 64], false, true),
            ([65, 0], false, true), ([1, 2, 127], false, false),
        ] as [([Int32], Bool, Bool)])
    func `hold all together, or one of them, as they are asked`(numbers: [Int32], all: Bool, one: Bool) {
        #expect(allHold(numbers, in: words) == all)
        #expect(oneHolds(numbers, in: words) == one)
    }

    @Test func `are demanded by nobody where the list is empty, and offered to nobody`() {
        #expect(allHold([], in: [0]))
        #expect(allHold([], in: []))
        #expect(!oneHolds([], in: [.max]), "a route that accepts no issuer accepts no token")
    }

    @Test func `of a configuration without predicates are none`() {
        #expect(!holds(0, in: []))
        #expect(!allHold([0], in: []))
        #expect(!oneHolds([0], in: []))
    }
}
