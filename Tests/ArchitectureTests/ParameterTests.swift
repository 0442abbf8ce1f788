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

/// How many members a value stores: what needs more is several values.
enum StoredMembers {
    /// The stored members of the type with this name, by name and type as far as it is said; nil where it is not declared.
    ///
    /// `code` has its comments and strings blanked; members are looked for at the indentation of the type's own.
    static func of(_ type: String, in code: String) -> [(name: String, type: String)]? {
        guard let declaration = ["struct \(type) {", "struct \(type): "].first(where: code.contains),
            let start = code.firstRange(of: declaration)
        else { return nil }
        let body = code[start.upperBound...].split(separator: "\n").prefix { $0 != "}" }
        let member = #/^ {4}(?:[a-z]+(?:\(set\))? )*?(?:let|var) (\w+)(?:: ([\w.<>?\[\]]+))?(.*)$/#
        return body.compactMap { line in
            guard !line.contains(" static "), let found = line.firstMatch(of: member) else { return nil }
            // What has a body is computed.
            let isComputed = found.3.contains("{") && !found.3.contains("=")
            return isComputed ? nil : (String(found.1), found.2.map(String.init) ?? "")
        }
    }

    /// The same of a type that is declared in one of the sources.
    static func of(_ type: String) -> [(name: String, type: String)]? {
        SourceTree.sources.lazy.compactMap { of(type, in: $0.code) }.first
    }
}

@Suite struct `the worker` {
    @Test func `has twelve parts at most, and each of them twenty-five members at most`() throws {
        let parts = try #require(StoredMembers.of("Worker"))
        #expect((8...12).contains(parts.count), "\(parts)")
        for part in parts where part.type != "Int" {
            let members = try #require(StoredMembers.of(part.type), "\(part)")
            #expect((1...25).contains(members.count), "\(part): \(members.map(\.name))")
        }
    }

    @Test func `has its members counted as they stand`() {
        let code = SwiftCode.blanked(
            """
            struct Other {
                let no = 0
            }
            /// A part.
            package struct Part {
                static let limit = 8
                package private(set) var one: [Int] = [] // let not: Int
                private let two: UnsafeMutablePointer<Int>?
                var three = { 1 }()
                var four: Int { 1 }
                struct Inner {
                    var six = 0
                }
                init() {
                    let seven = 0
                }
            }
            let eight = 0
            """)
        #expect(StoredMembers.of("Part", in: code)?.map(\.name) == ["one", "two", "three"])
    }
}
