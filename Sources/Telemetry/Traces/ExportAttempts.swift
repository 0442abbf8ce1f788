/// What became of an export request (opentelemetry-proto, "OTLP/HTTP Response").
package enum ExportAnswer: Sendable, Equatable {
    case taken
    /// It may be sent again: in so many seconds, where the collector says so.
    case later(afterSeconds: Int?)
    /// It is not to be sent again.
    case refused

    /// By the answer's status.
    package init(status: Int, retryAfterSeconds: Int?) {
        switch status {
        case 200...299: self = .taken
        case 429, 502, 503, 504: self = .later(afterSeconds: retryAfterSeconds)
        default: self = .refused
        }
    }
}

/// How often one export request is sent, and how long is waited in between.
///
/// Twice as long each time, spread so that many gateways do not come back together.
package struct ExportAttempts: Sendable {
    private static let most = 5
    private static let firstWait = 1000
    /// No collector has spans wait for longer: meanwhile the queue behind them fills.
    private static let longestWait = 30_000
    private var made = 0

    package init() {}

    /// Milliseconds until the next attempt; nil where there is none.
    ///
    /// `spread` is a random number from -1 to 1.
    package mutating func next(afterSeconds wanted: Int?, spread: Double) -> Int? {
        made += 1
        guard made < Self.most else { return nil }
        if let wanted { return min(max(wanted, 1) * 1000, Self.longestWait) }
        let wait = Double(min(Self.firstWait << (made - 1), Self.longestWait))
        return Int(wait * (1 + 0.25 * min(max(spread, -1), 1)))
    }
}

/// The body of an export request around its spans: who sends them.
package struct ExportEnvelope: Sendable {
    private let head: [UInt8]
    private static let tail = Array("]}]}]}".utf8)

    /// Of the service of this name, and of this program's version.
    package init(service: String, version: String) {
        var text = SpanText(capacity: 1024)
        text.attributes([
            ("service.name", service), ("service.version", version), ("telemetry.sdk.language", "swift"),
            ("telemetry.sdk.name", "portcullis"), ("telemetry.sdk.version", version),
        ])
        let resource = text.bytes
        text.clear()
        text.scope(name: "portcullis", version: version)
        head =
            Array("{\"resourceSpans\":[{\"resource\":{\"attributes\":[".utf8) + resource
            + Array("]},\"scopeSpans\":[{\"scope\":".utf8) + text.bytes + Array(",\"spans\":[".utf8)
    }

    /// The whole body.
    package func body(of batch: SpanBatch) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(head.count + batch.bytes.count + Self.tail.count)
        body += head
        body += batch.bytes.dropFirst()
        body += Self.tail
        return body
    }
}
