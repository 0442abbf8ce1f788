import HTTPMessage

/// The `traceparent` and `tracestate` fields of a request (W3C Trace Context §3): the first line is one of the former, the
/// lines behind it are of the latter.
enum TraceContextFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let lines = input.split(separator: 0x0a, omittingEmptySubsequences: false)
        let parent = TraceParent(Array(lines[0]).span)
        hold(parent == SecondTraceReader.parent(StrictRequest.latin1(Array(lines[0]))), "ids stand where all find them")
        if let parent {
            let text = parent.text
            let written = text.indices.map { text[$0] }
            hold(TraceParent(written.span) == parent, "what is written is read as it was meant")
            hold(parent.traceID != 0 && parent.spanID != 0, "zeros name nothing")
        }
        let all = SecondTraceReader.members(lines.dropFirst().map { StrictRequest.latin1(Array($0)) })
        var state = TraceState()
        var end = lines[0].count
        var isList = true
        for line in lines.dropFirst() {
            let range = ByteRange(from: end + 1, to: end + 1 + line.count)
            end = range.end
            guard state.read(range, of: input.span) else {
                isList = false
                break
            }
        }
        hold(isList == (all != nil), "a list is one to a reader of text")
        guard isList, let all else { return .refused }
        hold(members(state, input) == all, "members are what stands between commas")
        state.fit(behind: 27, ofKey: Array("portcullis".utf8).span, in: input.span)
        let kept = members(state, input)
        hold(kept.reduce(27) { $0 + $1.utf8.count + 1 } <= 512 && kept.count < 32, "what is passed on is bounded")
        hold(!kept.contains { $0.hasPrefix("portcullis=") }, "ours is said once")
        var rest = all[...]
        for member in kept {
            guard let place = rest.firstIndex(of: member) else {
                hold(false, "members stay in their order")
                continue
            }
            rest = rest[(place + 1)...]
        }
        let others = all.filter { !$0.hasPrefix("portcullis=") }
        if others.count < 32, others.reduce(27, { $0 + $1.utf8.count + 1 }) <= 512 {
            hold(kept == others, "what fits is passed on")
        }
        return parent == nil ? .refused : .accepted
    }

    private static func members(_ state: TraceState, _ input: [UInt8]) -> [String] {
        (0..<state.count).map { StrictRequest.latin1(Array(input[state[$0].range])) }
    }
}

/// A second reader of both fields, which cuts them into texts.
private enum SecondTraceReader {
    static func parent(_ field: String) -> TraceParent? {
        let parts = StrictHead.split(field, at: "-", most: 4)
        guard parts.count >= 4, parts.prefix(4).map(\.utf8.count) == [2, 32, 16, 2] else { return nil }
        guard parts.prefix(4).allSatisfy({ $0.utf8.allSatisfy(isDigit) }), parts[0] != "ff" else { return nil }
        guard parts[0] != "00" || parts.count == 4 else { return nil }
        guard let trace = UInt128(parts[1], radix: 16), let span = UInt64(parts[2], radix: 16),
            let flags = UInt8(parts[3], radix: 16), trace != 0, span != 0
        else { return nil }
        return TraceParent(traceID: trace, spanID: span, isSampled: flags % 2 == 1)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }

    /// Nil where one of the members is none, a key comes again, or there are too many.
    static func members(_ lines: [String]) -> [String]? {
        var members: [String] = []
        var keys: Set<String> = []
        for line in lines {
            for piece in StrictHead.split(line, at: ",", most: .max) {
                let member = trimmed(piece)
                if member.isEmpty { continue }
                let parts = StrictHead.split(member, at: "=", most: 1)
                guard parts.count == 2, isKey(parts[0]), isValue(parts[1]), keys.insert(parts[0]).inserted else {
                    return nil
                }
                members.append(member)
            }
        }
        return members.count <= 32 ? members : nil
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        let front = text.unicodeScalars.drop(while: isBlank)
        return String(String.UnicodeScalarView(front.reversed().drop(while: isBlank).reversed()))
    }

    private static func isKey(_ key: String) -> Bool {
        let parts = StrictHead.split(key, at: "@", most: .max)
        switch parts.count {
        case 1: return isName(parts[0], 256, digit: false)
        case 2: return isName(parts[0], 241, digit: true) && isName(parts[1], 14, digit: false)
        default: return false
        }
    }

    private static func isName(_ name: String, _ most: Int, digit: Bool) -> Bool {
        let digits = Set("0123456789".utf8)
        let letters = Set("abcdefghijklmnopqrstuvwxyz".utf8)
        guard let first = name.utf8.first, name.utf8.count <= most else { return false }
        guard letters.contains(first) || digit && digits.contains(first) else { return false }
        return name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || Set("_-*/".utf8).contains($0) }
    }

    private static func isValue(_ value: String) -> Bool {
        (1...256).contains(value.utf8.count) && value.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != 0x3d }
    }
}
