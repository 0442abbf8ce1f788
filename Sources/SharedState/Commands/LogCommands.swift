/// A place in the log of endings: what the store calls a line, and in which order lines are.
struct LogPlace: Sendable, Hashable, Comparable {
    let milliseconds: UInt64
    let sequence: UInt64

    init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    /// The place that a text such as `1526919030474-55` says; nil for any other spelling.
    init?(_ text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = LogPlace.number(parts[0]), let sequence = LogPlace.number(parts[1])
        else { return nil }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    /// The place behind which all lines are that are written at a time or later.
    init(before milliseconds: Int64) {
        self.init(milliseconds: UInt64(max(1, milliseconds) - 1), sequence: .max)
    }

    var text: [UInt8] { Array("\(milliseconds)-\(sequence)".utf8) }

    static func < (one: LogPlace, other: LogPlace) -> Bool {
        (one.milliseconds, one.sequence) < (other.milliseconds, other.sequence)
    }

    /// Digits alone, in one spelling.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard digits.count <= 20, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.count == 1 || digits.first != 0x30
        else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}

/// Reads the lines behind a place of the log, and waits a moment for the first where there is none.
///
/// A connection that asks this answers nothing else meanwhile: it is the follower's own.
struct ReadLog: StoreCommand {
    /// One line as it was read.
    struct Entry: Sendable, Equatable {
        let place: LogPlace
        /// Nil for what another release, or a stranger, wrote.
        let line: StoreLogLine?
    }

    let key: StoreName
    /// Nil for the end of the log.
    let after: LogPlace?
    /// How long the store waits for a line.
    let wait: TimeToLive
    let changesNothing = true

    /// Lines that are read at once.
    static let limit = 256

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { arguments }

    var arguments: [[UInt8]] {
        [
            .word("XREAD"), .word("COUNT"), StoreNumber.text(ReadLog.limit), .word("BLOCK"), wait.argument,
            .word("STREAMS"), key.bytes, after?.text ?? .word("$"),
        ]
    }

    /// The lines in their order, each behind the one before; none when none came.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [Entry] {
        if case .null = reply { return [] }
        guard case .array(let streams) = reply else { throw StoreRefusal(reply) }
        guard streams.count == 1, let stream = streams[0].array, stream.count == 2, stream[0].bytes == key.bytes,
            let lines = stream[1].array, !lines.isEmpty, lines.count <= ReadLog.limit
        else { throw .unexpected }
        var entries: [Entry] = []
        for line in lines {
            guard let parts = line.array, parts.count == 2, let place = parts[0].bytes.flatMap(LogPlace.init),
                entries.last.map({ place > $0.place }) ?? after.map({ place > $0 }) ?? true
            else { throw .unexpected }
            entries.append(Entry(place: place, line: StoreLogLine(fields: parts[1])))
        }
        return entries
    }
}

/// Asks whether a line is still in the log: if it is, none behind it was taken away.
struct FindLogLine: StoreCommand {
    let key: StoreName
    let place: LogPlace
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { arguments }

    var arguments: [[UInt8]] { [.word("XRANGE"), key.bytes, place.text, place.text] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Bool {
        guard case .array(let lines) = reply else { throw StoreRefusal(reply) }
        guard let line = lines.first else { return false }
        guard lines.count == 1, let parts = line.array, parts.count == 2,
            parts[0].bytes.flatMap(LogPlace.init) == place
        else { throw .unexpected }
        return true
    }
}
