import Testing

/// What is `public` or `package` is there for somebody: code that only its own tests call proves nothing and is read,
/// kept and trusted all the same.
@Suite struct `what the sources open to other files` {
    /// What no other file of the sources names, and why it is open all the same.
    private static let reasons: [String: String] = [
        "Sources/Access/Memory/TokenRecord.swift: upstreamTokens": "an inlinable function may use no less",
        "Sources/Access/RefusedWords.swift: appendInterpolation": "an interpolated text calls it",
        "Sources/Access/RefusedWords.swift: appendLiteral": "an interpolated text calls it",
        "Sources/EventLoop/EventLoop.swift: asUnownedSerialExecutor": "SerialExecutor demands it",
        "Sources/EventLoop/EventLoop.swift: enqueue": "SerialExecutor demands it",
        "Sources/EventLoop/EventLoop.swift: checkIsolated": "SerialExecutor demands it",
        "Sources/EventLoop/EventLoop.swift: isIsolatingCurrentContext": "SerialExecutor demands it",
        "Sources/EventLoop/EventLoop.swift: isInLoop": "tests of three modules ask on which thread they are called",
        "Sources/EventLoop/EventLoop.swift: runOnce": "tests of two modules turn a loop by hand, in place of waiting",
        "Sources/HTTP2/Budget/ConnectionLife.swift: mostSeconds": "the default of a public function's argument",
        "Sources/HTTPMessage/Grammars/ForwardedField.swift: maximumElements": "a fuzzer holds the reader to it",
        "Sources/OAuth/Discovery/ServerEndpoint.swift: mutualTLSAlias": "a fuzzer holds the reader to it",
        "Sources/RESP/ServerRefusal.swift: isNotExecuted": "a fuzzer holds the reader to it",
        "Sources/Telemetry/Log/LogSink.swift: defaultLimit": "the default of a package function's argument",
        "Sources/Transport/TLS/TicketKeys.swift: monotonicSeconds": "the default of a public function's argument",
    ]

    private static let found = OpenDeclarations.unused(in: SourceTree.sources)

    @Test func `is named by another of their files`() {
        #expect(Self.found.subtracting(Self.reasons.keys).sorted() == [])
    }

    @Test func `is excepted only as long as nobody names it`() {
        #expect(Set(Self.reasons.keys).subtracting(Self.found).sorted() == [])
    }

    @Test func `is found at all`() {
        let count = SourceTree.sources.reduce(0) { $0 + OpenDeclarations.declared(in: $1.code).count }
        #expect(count > 1500, "the reader of declarations found next to nothing: it is broken")
    }
}

@Suite struct `the reader of open declarations` {
    private static let declaring = """
        public struct Place {
            public let seen = 1
            package static func lonely() { lonely() }
            package private(set) var inText = 0
            @discardableResult public nonisolated(unsafe) static var said: Int { 2 }
            let closed = 3
        }
        package enum Nobody {}
        extension Nobody {}
        package enum Inferred {}
        public let inferred = Inferred()
        """
    private static let naming = #"""
        // lonely Nobody
        func use(_ place: Place) -> String { "said \(place.inText)" + String(place.seen) + "\(inferred)" }
        """#

    @Test func `finds members that one file alone names, and types that nothing names`() {
        let files = [
            SourceFile(path: "A", text: Self.declaring), SourceFile(path: "B", text: Self.naming),
        ]
        #expect(OpenDeclarations.unused(in: files) == ["A: lonely", "A: said", "A: Nobody"])
    }

    @Test func `reads what is declared, by name and kind`() {
        let found = OpenDeclarations.declared(in: Self.declaring)
        #expect(
            found.map(\.name)
                == ["Place", "seen", "lonely", "inText", "said", "Nobody", "Inferred", "inferred"])
        #expect(found.filter(\.isType).map(\.name) == ["Place", "Nobody", "Inferred"])
    }
}

/// A reader of `public` and `package` declarations that goes by words.
///
/// What it reports, nobody uses; but a word that stands elsewhere for something else hides what is dead. Members must be
/// named by another file, since otherwise they could be closed. Types must be named beside their declaration and
/// their extensions: that others take their values without ever writing the name is what inference is for.
enum OpenDeclarations {
    struct Declaration {
        let name: String
        let isType: Bool
    }

    /// `path: name` of each declaration that nobody uses.
    static func unused(in files: [SourceFile]) -> Set<String> {
        var declarations: [(path: String, declaration: Declaration)] = []
        var naming: [String: Int] = [:]
        var mentions: [String: Int] = [:]
        for file in files {
            let code = file.code
            for declaration in declared(in: code) { declarations.append((file.path, declaration)) }
            let counts = words(of: code).merging(words(of: interpolations(in: file)), uniquingKeysWith: +)
            for (word, count) in counts {
                naming[word, default: 0] += 1
                mentions[word, default: 0] += count
            }
            for match in code.matches(of: typeName) { mentions[String(match.1), default: 0] -= 1 }
        }
        var unused: Set<String> = []
        for (path, declaration) in declarations {
            let isUsed =
                declaration.isType ? mentions[declaration.name, default: 0] > 0 : naming[declaration.name] != 1
            if !isUsed { unused.insert("\(path): \(declaration.name)") }
        }
        return unused
    }

    /// The declarations of a code without comments and strings, one a line at most.
    static func declared(in code: String) -> [Declaration] {
        var found: [Declaration] = []
        for line in code.split(separator: "\n") where line.contains("public ") || line.contains("package ") {
            guard !line.contains("import "), let match = line.firstMatch(of: declaration) else { continue }
            found.append(
                Declaration(name: String(match.2), isType: !["func", "var", "let"].contains(String(match.1))))
        }
        return found
    }

    /// The access, then any modifiers, then what it is and its name.
    private static var declaration: Regex<(Substring, Substring, Substring)> {
        #/
        \b(?:public|package)\s+(?:\w+(?:\(\w+\))?\s+)*?
        (func|var|let|struct|class|enum|protocol|actor|typealias)\s+`?(\w+)
        /#
    }

    /// A type where it is declared or extended: no use of it.
    private static var typeName: Regex<(Substring, Substring)> {
        #/\b(?:struct|class|enum|protocol|actor|typealias|extension)\s+(?:\w+\.)*(\w+)/#
    }

    private static func words(of text: String) -> [String: Int] {
        var counts: [String: Int] = [:]
        for word in text.utf8.split(whereSeparator: { !isWord($0) }) {
            counts[String(Substring(word)), default: 0] += 1
        }
        return counts
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// What stands behind an interpolation's beginning, to its line's end: rather a word too many than one too few.
    private static func interpolations(in file: SourceFile) -> String {
        var text = ""
        for line in file.lines where line.utf8.contains(UInt8(ascii: "\\")) {
            guard let beginning = line.firstMatch(of: #/\\#*\(/#) else { continue }
            text.append(contentsOf: line[beginning.range.upperBound...])
            text.append("\n")
        }
        return text
    }
}
