/// One worker's end of a log: lines are gathered here and handed to the sink many at once.
///
/// Call `finishLine()` after each line and `flush()` at the end of a loop turn; a busy turn then costs one hand-over,
/// and a quiet gateway's lines are not late.
package struct LogWriter: ~Copyable {
    /// Where the worker builds its lines.
    package var line: LogLine
    private let sink: LogSink
    private let threshold: Int

    /// A writer that hands over no later than after `threshold` bytes.
    package init(sink: LogSink, threshold: Int = 24 * 1024) {
        self.sink = sink
        self.threshold = threshold
        // Room for the lines that pass the threshold, so that the storage never grows in ordinary use.
        line = LogLine(capacity: threshold + 8 * 1024)
    }

    /// Ends the line and hands all over if many bytes have gathered.
    package mutating func finishLine() {
        line.end()
        if line.count >= threshold { sink.submit(&line) }
    }

    /// Hands over what has gathered.
    package mutating func flush() {
        if line.count > 0 { sink.submit(&line) }
    }
}
