import HTTPMessage
import TestSupport
import TestTraits
import Testing

@Suite struct `path policy` {
    private func refusal(of path: String, allowing: PathAllowances = []) -> PathRefusal? {
        PathPolicy.refusal(of: Array(path.utf8).span, allowing: allowing)
    }

    private func canonical(_ path: String, mergingSlashes: Bool = false) -> String {
        var output: [UInt8] = []
        PathPolicy.appendCanonical(Array(path.utf8).span, mergingSlashes: mergingSlashes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        .holds("HTTP-56"),
        arguments: [
            "/", "", "/a/b%20c", "/a%2Bb", "//a//", "/.well-known/x", "/a.b/..c/c../...", "/a...b", "/.a",
            "/-_~!$&'()*+,=:@", "/caf%C3%A9", "/%41",
            "/%e2%82%ac", "/%F0%9F%98%80", "/a%25", "/a%25zz", "/a%25z", "/%25/x", "/%C3%A9/%C3%A9", "/%21", "/....",
            "/%2e%2e%2e", "/a%7E", "/%23", "/%3F",
            "/%5B", "/%7B", "/%25%20",
        ])
    func `an unambiguous path is accepted`(path: String) {
        #expect(refusal(of: path) == nil)
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: [
            ("/public/..%2fadmin", PathRefusal.encodedSlash), ("/a%2Fb", .encodedSlash), ("/%2f", .encodedSlash),
            ("/a\\b", .backslash), ("/a%5cb", .backslash), ("/a%5Cb", .backslash), ("/..\\admin", .backslash),
            ("/a%00", .nul), ("/%00/b", .nul), ("/a\u{0}", .nul),
            ("/a%0d", .controlOctet), ("/a%0A", .controlOctet), ("/a%09", .controlOctet), ("/a%1f", .controlOctet),
            ("/a%7F", .controlOctet),
            ("/a b", .controlOctet), ("/a\tb", .controlOctet), ("/a\u{7f}", .controlOctet),
            ("/.", .dotSegment), ("/..", .dotSegment), ("/./a", .dotSegment), ("/../a", .dotSegment),
            ("/a/..", .dotSegment), ("/a/.", .dotSegment),
            ("/a/../b", .dotSegment), ("/public/%2e%2e/admin", .dotSegment), ("/%2E/a", .dotSegment),
            ("/.%2e/a", .dotSegment), ("/%2e./a", .dotSegment),
            ("/%2e", .dotSegment), ("/a/.%2E", .dotSegment), ("//../a", .dotSegment), ("..", .dotSegment),
            (".", .dotSegment), ("../a", .dotSegment),
            ("/a%252fb", .doubleEncoding), ("/%252e%252e/a", .doubleEncoding),
            ("/%25%32%65", .doubleEncoding), ("/%25%32e", .doubleEncoding), ("/%252%65", .doubleEncoding),
            ("/a%2500", .doubleEncoding), ("/a%25Ab", .doubleEncoding),
            ("/a%zz", .invalidEscape), ("/a%", .invalidEscape), ("/a%4", .invalidEscape),
            ("/%u002e%u002e/", .invalidEscape), ("/a%4g", .invalidEscape),
            ("/a%%41", .invalidEscape), ("/%-1", .invalidEscape), ("/% 41", .invalidEscape),
            ("/public/..;/admin", .semicolon), ("/a;b", .semicolon), ("/a;", .semicolon), ("/;", .semicolon),
            ("/a%3Bb", .semicolon), ("/a%3b", .semicolon),
            ("/\u{e9}", .nonASCII), ("/a/\u{ff0e}\u{ff0e}/b", .nonASCII),
            ("/%c0%ae%c0%ae/", .nonASCII), ("/%c0%af", .nonASCII), ("/%e0%80%af", .nonASCII), ("/%ff", .nonASCII),
            ("/%c3", .nonASCII), ("/%c3/a", .nonASCII),
            ("/%c3a", .nonASCII), ("/%a9", .nonASCII), ("/%ed%a0%80", .nonASCII), ("/%f5%80%80%80", .nonASCII),
            ("/%f0%80%80%af", .nonASCII),
            ("/%c3%2e", .nonASCII), ("/%f4%90%80%80", .nonASCII), ("/%e2%82", .nonASCII),
            ("/a#b", .fragment), ("#", .fragment),
        ])
    func `an ambiguous path is refused`(path: String, cause: PathRefusal) {
        #expect(refusal(of: path) == cause)
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: [
            // Decoded three times: `/../`, `/./`, NUL and a line feed.
            ("/a/%25%2532e%25%2532e/b", PathRefusal.dotSegment), ("/%25%2532e", .dotSegment),
            ("/a%25%25300", .nul), ("/%25%25300a", .nul), ("/%25%2530a", .controlOctet),
            ("/x%25%2535c..%25%2533bx", .dotSegment),
            // Escapes of escapes of escapes: nobody decodes so often.
            ("/%25%2532525252525252525252541", .doubleEncoding),
        ])
    func `no allowance lets an escape through that others put together`(path: String, cause: PathRefusal) {
        let all: PathAllowances = [.encodedSlash, .backslash, .doubleEncoding, .semicolon, .nonASCII]
        #expect(refusal(of: path, allowing: all) == cause)
        #expect(refusal(of: path) == .doubleEncoding)
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: [
            "/%c0%ae%c0%ae/a", "/a%c0%afb", "/%e0%80%ae", "/%f0%80%80%af", "/%c1%9c",
            // Overlong forms behind a second decoding.
            "/a/%25c0%25ae%25c0%25ae/b", "/a%25%2563%2530%25%2561%2566..",
        ])
    func `no allowance lets overlong forms of dots and slashes through`(path: String) {
        let all: PathAllowances = [.encodedSlash, .backslash, .doubleEncoding, .semicolon, .nonASCII]
        #expect(refusal(of: path, allowing: all) == .nonASCII)
        // Without one of the two it is refused for what it needs it for, or for this.
        #expect(refusal(of: path, allowing: .doubleEncoding) == .nonASCII)
        #expect(refusal(of: path, allowing: .nonASCII) != nil)
    }

    @Test(
        .holds("HTTP-56"), .refuses("HTTP-56"),
        arguments: [
            ("/a%2Fb", PathAllowances.encodedSlash), ("/a\\b%5c", .backslash), ("/a%252fb", .doubleEncoding),
            ("/a;b=c;d", .semicolon), ("/a%3b", .semicolon),
            ("/\u{e9}", .nonASCII), ("/%ff/%e0", .nonASCII), ("/%25252541", .doubleEncoding),
            ("/a%255cb%253bc", .doubleEncoding), ("/%c3", .nonASCII),
        ])
    func `a relaxation lets through what it names and nothing else`(path: String, allowance: PathAllowances) {
        #expect(refusal(of: path) != nil)
        #expect(refusal(of: path, allowing: allowance) == nil)
        let others: PathAllowances = [.encodedSlash, .backslash, .doubleEncoding, .semicolon, .nonASCII]
        #expect(refusal(of: path, allowing: others.subtracting(allowance)) != nil)
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: ["/%c0%af", "/a%c1%a1b", "/%e0%80%af", "/%f0%80%80%af", "/%C0%AE%c0%ae/a", "/\u{41}%c0%80"])
    func `no relaxation lets an overlong form of a character through`(path: String) {
        #expect(refusal(of: path) == .nonASCII)
        #expect(refusal(of: path, allowing: .nonASCII) == .nonASCII)
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            ("/a%2fb", "/a/b"), ("/a\\b%5cc", "/a/b/c"), ("/a;x=1/b;y", "/a/b"), ("/;/admin/x", "/admin/x"),
            ("/%2561dmin%252fx", "/admin/x"), ("//a//b/", "/a/b/"), ("/admin%c0%afsecret", "/admin/secret"),
            ("/%e0%80%afa", "/a"), ("/a%3b%2fb", "/a/b"), ("/\u{e9}", "/\u{e9}"), ("/a%25", "/a%"),
        ])
    func `the loosest reading takes every liberty at once`(path: String, reading: String) {
        var output: [UInt8] = []
        LoosestReading.append(Array(path.utf8).span, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == reading)
    }

    @Test(.holds("HTTP-56"), .refuses("HTTP-56")) func `a long path is decoded twice at most, a short one four times`()
    {
        for (levels, length, isFine) in [
            (1, 4096, true), (3, 4096, true), (4, 4096, false), (1, 8000, true), (2, 8000, false),
        ] {
            let escape = "%" + String(repeating: "25", count: levels) + "41"
            let path = "/" + String(repeating: "a", count: length - 1 - escape.utf8.count) + escape
            #expect(
                refusal(of: path, allowing: .doubleEncoding) == (isFine ? nil : .doubleEncoding), "\(levels), \(length)"
            )
        }
    }

    @Test(.holds("HTTP-57"), arguments: ["/a%2fb;x/c%c0%afd//e", "/%61%2541;y", "//////", "/;aaaa", ""])
    func `a reading ends early where no more of it is asked for`(path: String) {
        let bytes = Array(path.utf8)
        var loosest: [UInt8] = []
        LoosestReading.append(bytes.span, to: &loosest)
        for limit in 0...12 {
            var (part, form): ([UInt8], [UInt8]) = ([], [])
            #expect(
                LoosestReading.all(of: bytes.span, cuttingParameters: false) { decoded, _ in
                    if part.isEmpty { LoosestReading.append(decoded: decoded.span, upTo: limit, to: &part) }
                    return true
                })
            #expect(loosest.starts(with: part) && part.count >= min(limit, loosest.count))
            PathPolicy.appendCanonical(bytes.span, mergingSlashes: true, upTo: limit, to: &form)
            let whole = Array(canonical(path, mergingSlashes: true).utf8)
            #expect(whole.starts(with: form) && form.count >= min(limit, whole.count))
        }
    }

    @Test(.holds("HTTP-57")) func `a reading that differs by a decoding alone is told once`() {
        var told: [String] = []
        let path = Array("/a;x/b%2541%25;c".utf8)
        #expect(
            LoosestReading.all(of: path.span, cuttingParameters: true) { decoded, _ in
                told.append(String(decoding: decoded, as: UTF8.self))
                return true
            })
        #expect(told == ["/a;x/bA%;c", "/a", "/a/bA%"])
        #expect(!LoosestReading.all(of: path.span, cuttingParameters: true) { decoded, _ in decoded.count > 2 })
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            ("/a", []), ("/a%2fb", []), ("/a;x/b", ["/a", "/a/b"]), ("/a;%2Fx", ["/a"]), ("/a%3bx/b", ["/a", "/a/b"]),
            ("/a%253b/x", ["/a", "/a/x"]), ("/a;%2fq/b%3b%252fc", ["/a", "/a/b%3b%252fc", "/a/b"]),
            ("/;/a/b", ["/", "//a/b", "/b"]),
        ] as [(String, Set<String>)])
    func `some readers cut more off at a semicolon`(path: String, readings: Set<String>) {
        let others = LoosestReading.others(of: Array(path.utf8).span, cuttingParameters: true)
        #expect(readings.isSubset(of: others.map { String(decoding: $0, as: UTF8.self) }), "\(others)")
        #expect(readings.isEmpty == others.isEmpty)
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            ("/a", []), ("/a;b//c", []), ("//x", ["/"]), ("//x/a", ["/a"]), ("/%2Fx/a", ["/a"]),
            ("//x%2Fa", ["/", "/a"]),
            (#"/\x\a"#, [#"\a"#]), ("/%255Cx/a", ["/a"]), ("/", []), ("///", ["/"]), ("/;/x/a", []), ("/a%3Fb", ["/a"]),
            ("/a%2523b", ["/a"]),
        ] as [(String, Set<String>)])
    func `some readers take what begins with two slashes for an authority`(path: String, readings: Set<String>) {
        let others = LoosestReading.others(of: Array(path.utf8).span, cuttingParameters: false)
        #expect(Set(others.map { String(decoding: $0, as: UTF8.self) }) == readings)
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: [
            ("/a/..%2fb", PathRefusal.dotSegment), ("/a%2f../b", .dotSegment), ("/..\\a", .dotSegment),
            ("/a\\..", .dotSegment), ("/a%5c..%5cb", .dotSegment),
            ("/..;/a", .dotSegment), ("/..;x=y", .dotSegment), ("/.;/a", .dotSegment), ("/%2e%2e;a/b", .dotSegment),
            ("/%252e%252e/a", .dotSegment),
            ("/%25252e./a", .dotSegment), ("/a%252f..", .dotSegment), ("/a/%252e", .dotSegment),
            ("/a%255c../b", .dotSegment), ("/..%3bx/a", .dotSegment),
            ("/a%2500", .nul), ("/%00", .nul), ("/a%250d", .controlOctet), ("/a%0a", .controlOctet),
            ("/a%25257f", .controlOctet),
            ("/..", .dotSegment), ("/a#b", .fragment), ("/%zz", .invalidEscape), ("/a b", .controlOctet),
            ("/a;\u{0}", .nul),
            ("/\u{e9}/../a", .dotSegment), ("/a;b/../c", .dotSegment),
        ])
    func `no relaxation lets NUL, controls or dot segments through`(path: String, cause: PathRefusal) {
        let all: PathAllowances = [.encodedSlash, .backslash, .doubleEncoding, .semicolon, .nonASCII]
        #expect(refusal(of: path, allowing: all) == cause)
    }

    @Test(.holds("HTTP-56"), .refuses("HTTP-56"))
    func `parameters do not make a segment longer, the next one starts anew`() {
        #expect(refusal(of: "/a;../b", allowing: .semicolon) == nil)
        #expect(refusal(of: "/a;x/b;y/c", allowing: .semicolon) == nil)
        #expect(refusal(of: "/;/..", allowing: .semicolon) == .dotSegment)
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            ("/a/b", "/a/b"), ("/%61%2D%5f%7e", "/a-_~"), ("/a%2bb", "/a%2Bb"), ("/caf%c3%a9", "/caf%C3%A9"),
            ("/%41b", "/Ab"), ("/a%20", "/a%20"),
            ("", ""), ("/a%25", "/a%25"), ("//a///b//", "//a///b//"), ("/A", "/A"), ("/a%zz%", "/a%zz%"),
        ])
    func `the form that routes match decodes what is unreserved`(path: String, form: String) {
        #expect(canonical(path) == form)
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            ("//admin", "/admin"), ("/a//b///c", "/a/b/c"), ("/", "/"), ("///", "/"), ("/a/", "/a/"), ("/a//", "/a/"),
            ("a//b", "a/b"), ("", ""),
        ])
    func `runs of slashes are merged when asked`(path: String, form: String) {
        #expect(canonical(path, mergingSlashes: true) == form)
        #expect(canonical(path) == path)
    }

    /// The form that routes match, by the letter: a byte at a time, with nothing remembered but the last.
    private func plainly(_ path: [UInt8], mergingSlashes: Bool) -> [UInt8] {
        func value(_ place: Int) -> Int? {
            place < path.count ? Int(String(decoding: [path[place]], as: UTF8.self), radix: 16) : nil
        }
        var output: [UInt8] = []
        var index = 0
        while index < path.count {
            defer { index += 1 }
            guard path[index] == UInt8(ascii: "%"), let high = value(index + 1), let low = value(index + 2) else {
                let isDoubled = path[index] == UInt8(ascii: "/") && index > 0 && path[index - 1] == UInt8(ascii: "/")
                if !(mergingSlashes && isDoubled) { output.append(path[index]) }
                continue
            }
            let byte = UInt8(high << 4 | low)
            let text = String(decoding: [byte], as: UTF8.self)
            let isUnreserved = byte < 0x80 && (text.first?.isLetter == true || text.first?.isNumber == true)
            if isUnreserved || "-._~".utf8.contains(byte) {
                output.append(byte)
            } else {
                output += "%\(String(high, radix: 16))\(String(low, radix: 16))".uppercased().utf8
            }
            index += 2
        }
        return output
    }

    /// What a path is when nothing in it is an escape any more, decoded again and again.
    private func decodedToTheEnd(_ path: [UInt8]) -> [UInt8] {
        var path = path
        while true {
            var next: [UInt8] = []
            var index = 0
            while index < path.count {
                let digits = String(decoding: path[index...].dropFirst().prefix(2), as: UTF8.self)
                let isEscape = path[index] == UInt8(ascii: "%") && digits.utf8.count == 2 && !digits.hasPrefix("+")
                if isEscape, let byte = UInt8(digits, radix: 16) {
                    next.append(byte)
                    index += 3
                } else {
                    next.append(path[index])
                    index += 1
                }
            }
            guard next != path else { return path }
            path = next
        }
    }

    @Test(.holds("HTTP-55"))
    func `however odd a path and wherever it is cut, its readings are those of a plain reader`() {
        let units: [[UInt8]] =
            [
                "/", "//", "a", "%41", "%2f", "%2F", "%", "%%", "%4", "%25", "%2541", "%25%34%31", ";", "%C3%9F",
                "bcdefghijklmnop",
            ].map { Array($0.utf8) } + [[0xDF], [0xC5, 0xBF]]
        var numbers = Numbers(seed: 55)
        for _ in 0..<300 {
            let whole = (0..<12).flatMap { _ in units.randomElement(using: &numbers) ?? [] }
            for cut in 0...whole.count {
                let path = Array(whole[..<cut])
                for merges in [false, true] {
                    var form: [UInt8] = []
                    PathPolicy.appendCanonical(path.span, mergingSlashes: merges, to: &form)
                    #expect(form == plainly(path, mergingSlashes: merges), "\(path)")
                }
                var told: [[UInt8]] = []
                _ = LoosestReading.all(of: path.span, cuttingParameters: false) { decoded, _ in
                    told.append(decoded)
                    return false
                }
                #expect(told == [decodedToTheEnd(path)], "\(path)")
            }
        }
    }

    @Test(.holds("HTTP-57")) func `the readings of a path begin as those that are told of its beginning`() {
        let units = [
            "/", "a", "0", "%2f", "%5C", "%", "%25", "%2541", "%25%34%31", "%252f", "%25252F", "%25%2532F", "%2535",
            "%25253B", "%253b", "%3B", ";", ";x", "%3f", "%2523", "//", "%C3%9F", "%25C3%259F", "%E2%84%AA",
        ].map { Array($0.utf8) }
        let all: PathAllowances = [.encodedSlash, .backslash, .doubleEncoding, .semicolon, .nonASCII]
        func readings(_ path: [UInt8], isWhole: Bool) -> [(decoded: [UInt8], isWhole: Bool)] {
            var told: [([UInt8], Bool)] = []
            _ = LoosestReading.all(of: path.span, isWhole: isWhole, cuttingParameters: true) { decoded, isWhole in
                told.append((decoded, isWhole))
                return true
            }
            return told
        }
        var numbers = SystemRandomNumberGenerator()
        var accepted = 0
        while accepted < 200 {
            let path: [UInt8] = [0x2f] + (0..<24).flatMap { _ in units.randomElement(using: &numbers) ?? [] }
            guard PathPolicy.refusal(of: path.span, allowing: all) == nil else { continue }
            accepted += 1
            let whole = readings(path, isWhole: true)
            for cut in 0...path.count {
                let told = readings(Array(path[..<cut]), isWhole: false)
                for reading in whole {
                    #expect(
                        told.contains {
                            $0.isWhole
                                ? $0.decoded == reading.decoded
                                : reading.decoded.starts(with: $0.decoded.dropLast(LoosestReading.unsettled))
                        }, "\(String(decoding: path, as: UTF8.self)) at \(cut): \(reading)")
                }
            }
        }
    }

    @Test(.holds("HTTP-55")) func `the canonical form of a canonical form is itself`() {
        for path in ["/%61//b%2fc", "/%c3%a9%7E", "/a%2520"] {
            let once = canonical(path, mergingSlashes: true)
            #expect(canonical(once, mergingSlashes: true) == once)
        }
    }

    @Test func `canonical text is appended behind what is there`() {
        var output: [UInt8] = [0x2f]
        PathPolicy.appendCanonical(Array("/a".utf8).span, mergingSlashes: true, to: &output)
        #expect(output == Array("//a".utf8))
    }
}
