/// The audit log: one JSON line per event, `{"time":…,"event":…,"event_id":…,…}`, for whoever has to say later who did
/// what.
///
/// A stream of its own. Nothing is written for a request that passes, so that a line may allocate. Any thread may write;
/// whoever does is never held up, for `LogSink` loses and counts what its destination does not take.
package final class AuditLog: Sendable {
    private let clock: @Sendable () -> Timestamp
    private let eventID: @Sendable () -> String
    private let output: @Sendable (inout LogLine) -> Void

    /// Bytes of one member that are written; the rest is only counted.
    static let fieldLimit = 512

    /// A log that gives each line to `output`, which must leave the line empty or may ignore it.
    ///
    /// `eventID` names a line among all that there ever were.
    package init(
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now, eventID: @escaping @Sendable () -> String,
        output: @escaping @Sendable (inout LogLine) -> Void
    ) {
        self.clock = clock
        self.eventID = eventID
        self.output = output
    }

    /// Writes one line, whose members stand in the order of `AuditFieldName`.
    package func write(_ event: AuditEvent, _ fields: [AuditField]) {
        var line = LogLine(capacity: 1024)
        line.begin(at: clock())
        line.member("event", text: event.rawValue, limit: Self.fieldLimit)
        line.member("event_id", text: eventID(), limit: Self.fieldLimit)
        for name in AuditFieldName.allCases {
            guard let field = fields.first(where: { $0.name == name }) else { continue }
            line.member(named: name.rawValue, field.value, limit: Self.fieldLimit)
        }
        line.end()
        output(&line)
    }
}
