@testable import SharedState

/// The log of endings as a store keeps it, with a clock of its own: answers what the follower asks.
struct ModelLog {
    private(set) var lines: [(place: LogPlace, fields: [StoreReply])] = []
    private var last = LogPlace(milliseconds: 0, sequence: 0)
    /// Milliseconds since 1970.
    var clock: Int64 = Sample.now * 1000

    /// Writes a line; its place is behind the last one, whatever the clock says.
    @discardableResult
    mutating func write(_ line: StoreLogLine) -> LogPlace {
        write([
            "k".bytes, line.kind.rawValue.bytes, "n".bytes, line.suffix, "g".bytes, "\(line.generation)".bytes,
        ])
    }

    @discardableResult
    mutating func write(_ fields: [[UInt8]]) -> LogPlace {
        let now = LogPlace(milliseconds: UInt64(clock), sequence: 0)
        last =
            now > last ? now : LogPlace(milliseconds: last.milliseconds, sequence: last.sequence + 1)
        lines.append((last, fields.map { .bytes($0) }))
        return last
    }

    /// Keeps the newest lines alone.
    mutating func trim(to count: Int) { lines.removeFirst(max(0, lines.count - count)) }

    /// Forgets the log and its places.
    mutating func flush() {
        lines = []
        last = LogPlace(milliseconds: 0, sequence: 0)
    }

    /// Becomes a replica that has not got the newest lines.
    mutating func lose(_ count: Int) {
        lines.removeLast(min(count, lines.count))
        last = lines.last?.place ?? LogPlace(milliseconds: 0, sequence: 0)
    }

    /// The question as it stands while the store holds it: the end of the log is the one that it has now.
    func held(_ question: StoreQuestion) -> StoreQuestion {
        guard question.arguments.last == "$".bytes else { return question }
        return StoreQuestion(
            key: question.key, arguments: question.arguments.dropLast() + [last.text],
            changesNothing: question.changesNothing)
    }

    /// The answer; nil where the store holds the question until a line comes.
    func answer(_ question: StoreQuestion) -> StoreReply? {
        let words = question.arguments
        switch String(decoding: words[0], as: UTF8.self) {
        case "TIME":
            return .array([.bytes("\(clock / 1000)".bytes), .bytes("\(clock % 1000 * 1000)".bytes)])
        case "XREAD":
            guard let after = LogPlace(words[7]), let limit = Int(String(decoding: words[2], as: UTF8.self)) else {
                return .error("ERR Invalid stream ID specified as stream command argument".bytes)
            }
            let found = lines.filter { $0.place > after }.prefix(limit)
            if found.isEmpty { return nil }
            return .array([.array([.bytes(words[6]), .array(found.map(entry))])])
        case "XRANGE": return .array(lines.filter { LogPlace(words[2]) == $0.place }.map(entry))
        default: return .error("ERR unknown command".bytes)
        }
    }

    private func entry(_ line: (place: LogPlace, fields: [StoreReply])) -> StoreReply {
        .array([.bytes(line.place.text), .array(line.fields)])
    }
}
