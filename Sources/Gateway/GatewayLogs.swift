import Telemetry

/// Where the operator log and the access log go; one destination named twice is one sink.
struct GatewayLogs {
    let operatorLog: OperatorLog
    /// Nil when no access log is written.
    let access: LogSink?
    /// Nil when no audit log is written.
    let audit: LogSink?
    /// Whether no other log goes where the audit log does.
    let isAuditAlone: Bool
    private let operatorSink: LogSink?

    init(_ settings: LogSettings, audit destination: LogSettings.Destination = .off) throws(GatewayFailure) {
        operatorSink = try GatewayLogs.sink(settings.operatorDestination)
        operatorLog = operatorSink.map { OperatorLog(level: settings.level, sink: $0) } ?? OperatorLog.off
        access =
            settings.accessDestination == settings.operatorDestination
            ? operatorSink : try GatewayLogs.sink(settings.accessDestination)
        // Two sinks at one pipe could write into each other's lines.
        switch destination {
        case settings.operatorDestination: audit = operatorSink
        case settings.accessDestination: audit = access
        case _: audit = try GatewayLogs.sink(destination)
        }
        isAuditAlone = destination != settings.operatorDestination && destination != settings.accessDestination
    }

    func attach(to registry: MetricsRegistry) {
        if let operatorSink { registry.attach(log: "operator", operatorSink) }
        if let access { registry.attach(log: "access", access) }
        if let audit { registry.attach(log: "audit", audit) }
    }

    /// A writer of access lines for one worker, at a place of its own; nil when no access log is written.
    func makeWriter() -> UnsafeMutablePointer<LogWriter>? {
        guard let sink = access else { return nil }
        let place = UnsafeMutablePointer<LogWriter>.allocate(capacity: 1)
        place.initialize(to: LogWriter(sink: sink))
        return place
    }

    /// Opens the files anew, for somebody moved them away to keep them.
    func reopen() {
        for sink in [operatorSink, access, isAuditAlone ? audit : nil].compactMap(\.self) {
            sink.reopen { [operatorLog] refusal in
                if let refusal { operatorLog.write(.error, .logNotReopened, LogField(.reason, "\(refusal)")) }
            }
        }
    }

    /// Writes what waits, within a bounded time.
    func finish() {
        audit?.stop(milliseconds: 1000)
        access?.stop(milliseconds: 1000)
        operatorSink?.stop(milliseconds: 1000)
    }

    private static func sink(_ destination: LogSettings.Destination) throws(GatewayFailure) -> LogSink? {
        do throws(LogRefusal) {
            switch destination {
            case .off: return nil
            case .standardOutput: return try LogSink(descriptor: 1)
            case .standardError: return try LogSink(descriptor: 2)
            case .file(let path): return try LogSink.appending(to: path)
            }
        } catch {
            throw GatewayFailure("a log could not be opened", "\(error)")
        }
    }
}
