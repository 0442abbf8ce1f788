/// The log for operators: one JSON line per event, `{"time":…,"level":…,"event":…,…}`.
///
/// For what happens seldom: a line allocates. Any thread may write.
package final class OperatorLog: Sendable {
    package let level: LogLevel
    private let clock: @Sendable () -> Timestamp
    private let output: @Sendable (inout LogLine) -> Void

    /// Bytes of one member that are written; the rest is only counted.
    static let fieldLimit = 512

    /// A log that gives each line to `output`, which must leave the line empty or may ignore it.
    package init(
        level: LogLevel, clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        output: @escaping @Sendable (inout LogLine) -> Void
    ) {
        self.level = level
        self.clock = clock
        self.output = output
    }

    /// A log that writes to a sink.
    package convenience init(level: LogLevel, sink: LogSink) {
        self.init(level: level) { sink.submit(&$0) }
    }

    /// A log that writes nothing.
    package static var off: OperatorLog {
        OperatorLog(level: .error) { _ in }
    }

    /// Whether lines of this level are written; ask before gathering fields that cost something.
    package func writes(_ level: LogLevel) -> Bool {
        level >= self.level
    }

    /// Writes one line, unless its level is below the log's.
    package func write(_ level: LogLevel, _ event: LogEvent, _ fields: LogField...) {
        write(level, event, fields)
    }

    /// Writes one line, unless its level is below the log's.
    package func write(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
        guard writes(level) else { return }
        var line = LogLine(capacity: 512)
        line.begin(at: clock())
        line.member("level", level.word)
        line.member("event", text: event.rawValue, limit: Self.fieldLimit)
        for field in fields { line.member(field, limit: Self.fieldLimit) }
        line.end()
        output(&line)
    }
}
