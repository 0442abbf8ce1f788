/// The answers of one verified token to every predicate of the configuration, a bit each, in its owner's memory.
///
/// Borrowed for as long as a judgement takes: nothing is copied, counted or kept.
package struct AnswerBits: ~Escapable {
    private let words: Span<UInt64>

    /// Reads the answers from `words`: the first predicate's is the lowest bit of the first word.
    @_lifetime(copy words)
    package init(_ words: Span<UInt64>) {
        self.words = words
    }

    /// Whether the predicate with this number is answered yes.
    ///
    /// One that the token was never asked is not: a number of another configuration opens nothing.
    package func holds(_ number: Int32) -> Bool {
        let word = Int(number >> 6)
        guard word >= 0, word < words.count else { return false }
        return words[word] >> UInt64(number & 63) & 1 == 1
    }

    /// Whether all of these are answered yes; none of them demands nothing.
    package func allHold(_ numbers: Span<Int32>) -> Bool {
        for index in numbers.indices where !holds(numbers[index]) { return false }
        return true
    }

    /// Whether one of these is answered yes; none of them offers nothing.
    package func oneHolds(_ numbers: Span<Int32>) -> Bool {
        for index in numbers.indices where holds(numbers[index]) { return true }
        return false
    }
}
