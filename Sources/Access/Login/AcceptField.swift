import Bytes

/// What a reader wants to have in an answer, by the weights of its `Accept` (RFC 9110 §12.4.2, §12.5.1).
package enum AcceptField {
    /// Whether a page is wanted, and no problem in JSON more than that.
    package static func wantsPage(_ value: Span<UInt8>) -> Bool {
        let page = weight(of: "text/html", in: value)
        return page > 0 && page >= weight(of: "application/problem+json", in: value)
    }

    /// Whether a problem in JSON is wanted (RFC 9457).
    package static func wantsProblem(_ value: Span<UInt8>) -> Bool {
        weight(of: "application/problem+json", in: value) > 0
    }

    /// How much this media type is wanted, in thousandths; 0 where the field does not name it, or says that it is not.
    ///
    /// Looked for by its slash: every request's `Accept` comes here, and one of 31 KB is not compared at each of its bytes.
    package static func weight(of text: String, in value: Span<UInt8>) -> Int {
        let wanted = text.utf8.span
        let slash = wanted.firstIndex(of: UInt8(ascii: "/"), from: 0, to: wanted.count)
        precondition(slash > 0 && slash < wanted.count, "a media type has a slash")
        var best = 0
        var place = 0
        while best < 1000 {
            place = value.firstIndex(of: UInt8(ascii: "/"), from: place, to: value.count)
            let start = place - slash
            guard start + wanted.count <= value.count else { return best }
            // A field of nothing but slashes is told by what stands before each.
            if start >= 0, value[place - 1] | 0x20 == wanted[slash - 1] {
                let end = start + wanted.count
                if isWhole(start..<end, in: value), ASCII.equalsIgnoringCase(value.extracting(start..<end), wanted) {
                    let weight = weight(in: value, from: end)
                    best = max(best, weight.thousandths)
                    // No byte is looked at twice.
                    place = max(place, weight.end - 1)
                }
            }
            place += 1
        }
        return best
    }

    /// Whether no longer name begins before the range or ends behind it: `text/htmlx` is another type than `text/html`.
    private static func isWhole(_ range: Range<Int>, in value: Span<UInt8>) -> Bool {
        (range.lowerBound == 0 || !ASCII.isToken(value[range.lowerBound - 1]))
            && (range.upperBound == value.count || !ASCII.isToken(value[range.upperBound]))
    }

    /// The weight among the parameters that follow, 1000 where there is none, and where they end.
    private static func weight(
        in value: Span<UInt8>, from start: Int
    ) -> (thousandths: Int, end: Int) {
        var place = start
        var thousandths = 1000
        while place < value.count, value[place] != UInt8(ascii: ",") {
            guard value[place] == UInt8(ascii: ";") else {
                place += 1
                continue
            }
            place += 1
            while place < value.count, value[place] == 0x20 || value[place] == 0x09 { place += 1 }
            guard place + 2 < value.count, value[place] | 0x20 == UInt8(ascii: "q"),
                value[place + 1] == UInt8(ascii: "=")
            else { continue }
            thousandths = number(value, at: place + 2)
        }
        return (thousandths, place)
    }

    /// `0.5` as 500; what is no weight counts as none, which is 1.
    private static func number(_ value: Span<UInt8>, at start: Int) -> Int {
        guard value[start] == UInt8(ascii: "0") else { return 1000 }
        guard start + 1 < value.count, value[start + 1] == UInt8(ascii: ".") else { return 0 }
        var thousandths = 0
        var unit = 100
        for place in (start + 2)..<min(start + 5, value.count) {
            guard ASCII.isDigit(value[place]) else { break }
            thousandths += Int(value[place] - UInt8(ascii: "0")) * unit
            unit /= 10
        }
        return thousandths
    }
}
