import Bytes
import TestSupport
import Testing

@testable import Access

@Suite struct `a list of texts` {
    private static let texts = ["", "a", "A", "ab", "longer than its neighbours", "é", "a"]

    @Test func `gives back each text, in its order`() {
        let list = TextList(Self.texts)
        let texts = (0..<list.count).map { String(copying: list[$0]) }
        #expect(texts == Self.texts)
    }

    @Test func `finds the first of this very text, and no other`() {
        let list = TextList(Self.texts)
        for text in Self.texts + ["b", "abc", "LONGER", "É", " a"] {
            let found = Array(text.utf8).withUnsafeBufferPointer { list.firstIndex(of: $0.span) }
            #expect(found == Self.texts.firstIndex(of: text), "\(text)")
        }
    }

    @Test func `finds a text in any case of its ASCII letters, and in no other case`() {
        let list = TextList(["Mixed-Case", "ÉTÉ"])
        for (text, isThere) in [
            ("mixed-case", true), ("MIXED-CASE", true), ("mixed_case", false), ("mixed-cas", false), ("été", false),
            ("ÉtÉ", true), ("", false),
        ] {
            let found = Array(text.utf8).withUnsafeBufferPointer { list.containsIgnoringCase($0.span) }
            #expect(found == isThere, "\(text)")
        }
    }

    @Test func `that is empty has nothing in it`() {
        let list = TextList([])
        let count = list.count
        let (index, isThere) = (list.firstIndex(of: Span()), list.containsIgnoringCase(Span()))
        #expect(count == 0)
        #expect(index == nil && !isThere)
    }
}
