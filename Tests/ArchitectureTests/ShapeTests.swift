import TestTraits
import Testing

@Suite struct `the shape of the code` {
    static let all = SourceTree.sources + SourceTree.tests

    /// The owner has chosen no licence, so a line that names one would grant what nobody granted.
    @Test func `no file claims a licence`() {
        #expect(Self.all.count > 40)
        let claim = "SPDX-" + "License-Identifier"
        for file in Self.all + SourceTree.headers {
            #expect(!file.lines.prefix(5).contains { $0.contains(claim) }, "\(file)")
        }
    }

    @Test func `no file is longer than 500 lines`() {
        for file in Self.all {
            #expect(file.lines.count <= 501, "\(file) has \(file.lines.count) lines")
        }
    }

    @Test func `no function is longer than 80 lines`() {
        var count = 0
        for file in Self.all {
            for function in FunctionLength.functions(in: file) {
                count += 1
                #expect(function.lines <= 80, "\(file):\(function.line) has \(function.lines) lines")
            }
        }
        #expect(count > 200, "the counter of functions found next to nothing: it is broken")
    }

    @Test func `nothing is called after what everything is`() {
        let words = ["Util", "Helper", "Common", "Manager", "Misc", "Impl"]
        let declaration = #/\b(?:struct|class|enum|protocol|actor|typealias|extension)\s+`?(\w+)/#
        for file in SourceTree.sources {
            let names =
                file.path.split(separator: "/").flatMap { $0.split { ".+".contains($0) } }.map(String.init)
                + file.code.matches(of: declaration).map { String($0.1) }
            for name in names {
                // `Implicit` and `commonName` are words of the field; `HTTPHelper` and `Manager` are not.
                for word in words {
                    let isNamedSo =
                        name.hasSuffix(word) || name.hasSuffix(word + "s") || name.lowercased() == word.lowercased()
                    #expect(!isNamedSo, "\(name) in \(file)")
                }
                #expect(
                    !["Core", "core", "Models", "Extensions", "utils", "helpers"].contains(name), "\(name) in \(file)")
            }
        }
    }

    @Test func `the word for danger stands only at C libraries, at vectors, and where routes and records stand`() {
        let fenced = [
            "Sources/Bytes/ByteVectors.swift", "Sources/Crypto/OpenSSL", "Sources/EventLoop", "Sources/Transport",
            "Sources/Fetch", "Sources/Compression",
            // The library, and the values that carry its pointers and the caller's.
            "Sources/HTTP2/NGHTTP2",
            "Sources/Configuration/YAML",
            // Read in place on every request's way, by a pointer of their own each.
            "Sources/Access/Memory/FixedList.swift", "Sources/Access/Memory/FixedValue.swift",
            "Sources/Access/Route/FixedBytes.swift", "Sources/Access/Route/PredicateList.swift",
            "Sources/Access/Route/RouteTable.swift", "Sources/Access/Route/RightsPolicy.swift",
            // Bytes are copied in one piece.
            "Sources/Bytes/Copying.swift",
            // Written by all threads at once, without a lock.
            "Sources/Rates/BucketTable.swift",
        ]
        // Memory that is counted by hand, because a request that passes may neither allocate nor count references.
        let counted = [
            "AttachedBlock", "BehindStorage", "RecentCredentials", "RecordSlots", "SessionState", "TokenRecord",
        ].map { "Sources/Access/Memory/\($0).swift" }
        for file in SourceTree.sources where !(fenced + counted).contains(where: file.isIn) {
            for (number, line) in file.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                #expect(!words.contains("unsafe"), "\(file):\(number + 1)")
            }
        }
    }

    @Test func `what hostile input reaches is not forced`() {
        for file in SourceTree.sources {
            for word in ["fatalError(", "try!", "as!", "unsafeBitCast(", "assertionFailure(", "unsafelyUnwrapped"]
            where word != "unsafeBitCast(" || !file.isIn("Sources/Bytes/ByteVectors.swift") {
                #expect(!file.code.contains(word), "\(word) in \(file)")
            }
        }
    }

    @Test func `no test waits by sleeping`() {
        // The one instrument, whose comment says what it is for.
        let instrument = "Tests/Support/Wire/Dawdling.swift"
        #expect(SourceTree.file(instrument)?.code.contains("poll(nil") == true)
        for file in SourceTree.tests {
            for word in ["Task.sleep", "usleep(", "nanosleep(", "Thread.sleep", "poll(nil", "select(0"]
            where word != "poll(nil" || file.path != instrument {
                #expect(!file.code.contains(word), "\(word) in \(file)")
            }
        }
    }

    /// A second spelling could be changed alone: then logins lead to paths that are forwarded, or queries are logged.
    @Test func `the gateway's own paths are spelt at one place`() throws {
        let literal = "\"/.portcullis"
        // The log is on a floor that sees no sessions, and has its own spelling; with the slash, as the place has it not.
        let redaction = "Sources/Telemetry/Log/QueryRedaction.swift"
        let spelling = SourceTree.sources.filter { $0.text.contains(literal) }.map(\.path)
        #expect(spelling == ["Sources/Sessions/OwnPaths.swift", redaction])
        #expect(try #require(SourceTree.file(redaction)).text.contains(literal + "/\".utf8"))
    }

    /// The gateway starts threads: whoever verifies a signature must not find that a library beside it has begun to work.
    @Test func `cryptography starts no thread, and keeps nothing for the whole process`() {
        let files = SourceTree.sources.filter { $0.isIn("Sources/Crypto") }
        #expect(files.count > 20)
        for file in files {
            for word in ["pthread", "Thread", "Task", "static let shared", "static var shared"] {
                #expect(!file.code.contains(word), "\(word) in \(file)")
            }
        }
    }

    @Test(.refuses("OPS-10")) func `security takes its randomness from the system alone`() {
        for file in SourceTree.sources
        where !file.isIn("Sources/Crypto") && !file.isIn("Sources/Transport/TLS/TicketKeys.swift") {
            for word in ["drand48", "srand(", "rand()", "random()", "SystemRandomNumberGenerator", "RAND_"] {
                #expect(!file.code.contains(word), "\(word) in \(file)")
            }
        }
    }
}

@Suite struct `the reader of Swift` {
    @Test(arguments: [
        ("a // b\nc", "a     \nc"), ("a /* { /* } */ { */ b", "a                   b"),
        (#"f("{") }"#, #"f(" ") }"#), (#""\"{" }"#, #""   " }"#), (##"#""""# }"##, ##"""  " }"##),
        (##"#"\"# }"##, ##"""  " }"##), ("\"\"\"\n{\n\"\"\" }", "\"  \n \n  \" }"),
        (#""a\(f("}"))b" {"#, #""            " {"#), ("#/{\"/# }", "        }"), ("`a { b` {", "`     ` {"),
    ])
    func `blanks what is no code, and nothing else`(text: String, expected: String) {
        let found = SwiftCode.blanked(text)
        #expect(found.utf8.count == text.utf8.count)
        #expect(found.filter { !" \n\"#`".contains($0) } == expected.filter { !" \n\"#`".contains($0) })
    }

    @Test func `counts a function's lines to its last brace, not a requirement's`() {
        let text = """
            protocol P {
                func a()
                func b() -> Int
            }
            func c(
                _ x: () -> Void = { }
            ) throws
                -> Int
            {
                "}"
            }
            """
        let found = FunctionLength.functions(in: SourceFile(path: "x", text: text))
        #expect(found.map(\.line) == [5])
        #expect(found.map(\.lines) == [7])
    }
}

/// A counter of braces.
enum FunctionLength {
    struct Function {
        let line: Int
        let lines: Int
    }

    static func functions(in file: SourceFile) -> [Function] {
        let code = Array(file.code.utf8)
        let text = file.code
        var found: [Function] = []
        for match in text.matches(of: #/(?:\bfunc\b| init\b(?=[?!<(])|\bdeinit\b)/#) {
            let start = text.utf8.distance(from: text.startIndex, to: match.range.lowerBound)
            guard let opening = bodyStart(code, from: start) else { continue }
            let end = matching(code, opening)
            let line = code[..<start].count { $0 == 0x0A } + 1
            found.append(Function(line: line, lines: code[start...min(end, code.count - 1)].count { $0 == 0x0A } + 1))
        }
        return found
    }

    /// The brace that opens the body of the declaration at `start`; nil when it has none, as in a protocol.
    private static func bodyStart(_ code: [UInt8], from start: Int) -> Int? {
        var depth = 0
        var index = start
        while index < code.count {
            switch code[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "{") where depth == 0: return index
            case UInt8(ascii: "}") where depth == 0: return nil
            case 0x0A where depth == 0 && index + 1 < code.count:
                // A requirement ends with its line, unless the next goes on with it.
                let next = code[(index + 1)...].drop { $0 == 0x20 || $0 == 0x0A }
                let goesOn = ["{", "->", "where", "throws", "async"].contains { next.starts(with: $0.utf8) }
                if !goesOn { return nil }
            default: break
            }
            index += 1
        }
        return nil
    }

    private static func matching(_ code: [UInt8], _ opening: Int) -> Int {
        var depth = 0
        for index in opening..<code.count {
            if code[index] == UInt8(ascii: "{") { depth += 1 }
            if code[index] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return index }
        }
        return code.count - 1
    }
}
