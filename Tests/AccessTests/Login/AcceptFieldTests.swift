import TestSupport
import TestTraits
import Testing

@testable import Access

/// The weights of a field, the slow way: split at commas and semicolons, which stand in no token of this test.
private func slowWeight(of type: String, in value: String) -> Int {
    value.split(separator: ",").compactMap { range -> Int? in
        let parts = range.split(separator: ";").map { $0.trimmingBlanks }
        guard parts.first?.lowercased() == type else { return nil }
        let weights = parts.dropFirst().filter { $0.lowercased().hasPrefix("q=") && $0.count > 2 }
        return weights.last.map { thousandths(of: $0.dropFirst(2)) } ?? 1000
    }.max() ?? 0
}

/// `0.25` as 250; whatever does not begin with 0 is 1.
private func thousandths(of text: Substring) -> Int {
    guard text.first == "0" else { return 1000 }
    guard text.dropFirst().first == "." else { return 0 }
    let digits = text.dropFirst(2).prefix(3).prefix { $0.isNumber }
    return Int(digits.padding(to: 3)) ?? 0
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    fileprivate func padding(to count: Int) -> String { self + String(repeating: "0", count: count - self.count) }
}

@Suite struct `the weights of Accept` {
    private static let types = ["text/html", "application/problem+json", "*/*", "text/plain", "a/b"]

    private func weight(of type: String, in value: String) -> Int {
        value.withBytes { AcceptField.weight(of: type, in: $0.span) }
    }

    /// A media range as clients write them, with or without a weight.
    private func range(_ numbers: inout Numbers) -> String {
        var text = numbers.pick(Self.types)
        if numbers.below(3) == 0 { text = text.uppercased() }
        if numbers.below(4) == 0 { text += ";level=\(numbers.below(3))" }
        switch numbers.below(5) {
        case 0: text += numbers.pick([";q=1", "; q=1.0", ";Q=1.000"])
        case 1: text += ";q=0.\(numbers.below(1000))"
        case 2: text += "; q=0"
        case _: break
        }
        return text
    }

    @Test(.holds("CF-08", "ECO-17"), .refuses("CF-08", "ECO-17"), arguments: 1...6 as ClosedRange<UInt64>)
    func `are what a slow reader finds, whatever stands beside them`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        for _ in 0..<500 {
            let ranges = (0..<numbers.below(6)).map { _ in range(&numbers) }
            let value = ranges.joined(separator: numbers.pick([",", ", ", " , "]))
            for type in ["text/html", "application/problem+json"] {
                let slow = slowWeight(of: type, in: value)
                guard weight(of: type, in: value) == slow else {
                    Issue.record("\(type) in `\(value)` is wanted by \(slow)")
                    return
                }
            }
        }
    }

    @Test(.holds("CF-08"), arguments: 1...3 as ClosedRange<UInt64>)
    func `do not depend on the order of the ranges`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        for _ in 0..<200 {
            let ranges = (0..<5).map { _ in range(&numbers) }
            let (forth, back) = (ranges.joined(separator: ","), ranges.reversed().joined(separator: ","))
            #expect(weight(of: "text/html", in: forth) == weight(of: "text/html", in: back), "\(forth)")
        }
    }

    @Test(.refuses("CF-08")) func `of any bytes are between nothing and all`() {
        var numbers = Numbers(seed: 8)
        let pieces = ["text/html", "/", ";", "q", "=", "0", ".", "9", ",", " ", "\t", "\"", "é", "text", "html"]
        for _ in 0..<3000 {
            let value = (0..<numbers.below(20)).map { _ in numbers.pick(pieces) }.joined()
            let weight = weight(of: "text/html", in: value)
            #expect((0...1000).contains(weight), "\(value)")
            if !value.lowercased().contains("text/html") { #expect(weight == 0, "\(value)") }
        }
    }
}
