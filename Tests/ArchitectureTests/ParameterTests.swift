import Testing

/// How many parameters functions and initialisers have: what needs more is several values, or properties with defaults.
enum Parameters {
    /// As many as one may have.
    static let most = 8

    /// The number of parameters of each function and initialiser in a text whose comments and strings are blanked.
    static func counts(in code: String) -> [Int] {
        let heads = #/(?:^|[^.\w])(?:init[?!]?|func\s+(?:`[^`]*`|[^\s(<`]+))\s*(?:<[^()]*>)?\(/#
        return code.matches(of: heads).map { count(of: code[$0.range.upperBound...].utf8) }
    }

    /// The number of parameters behind an opening parenthesis.
    private static func count(of text: Substring.UTF8View) -> Int {
        var (depth, angles, commas, isEmpty) = (1, 0, 0, true)
        var last: UInt8 = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "<"): angles += 1
            case UInt8(ascii: ">") where last != UInt8(ascii: "-"): angles -= 1
            case UInt8(ascii: ",") where depth == 1 && angles == 0: commas += 1
            default: break
            }
            if depth == 0 { break }
            if byte > UInt8(ascii: " ") { isEmpty = false }
            last = byte
        }
        return isEmpty ? 0 : commas + 1
    }
}

@Suite struct `each function and each initialiser` {
    @Test func `has eight parameters at most`() {
        for file in SourceTree.sources {
            let most = Parameters.counts(in: file.code).max() ?? 0
            #expect(most <= Parameters.most, "\(file)")
        }
    }

    @Test func `is counted as it stands`() {
        let code = SwiftCode.blanked(
            """
            init() {}
            init?<A, B>(a: A = (1, 2), b: [A: B], c: Dictionary<A, B>, _ d: (A, B) -> Void = { _, _ in }) {}
            func `one, two`(_ a: String = "x, y") { self.init(a, b, c) }
            func + (left: A, right: A) {}
            func nine(a: A, b: A, c: A, d: A, e: A,
                f: A, /* , */ g: A, h: A, i: A) -> (A, A) {}
            """)
        #expect(Parameters.counts(in: code) == [0, 4, 1, 2, 9])
    }
}
