import TestSupport

extension GatewayProcess {
    /// The value of one series of the metrics page, such as `portcullis_connections{side="client"}`; nil when it is absent.
    func reading(_ series: String) -> Int? {
        let page = (try? admin("/metrics"))?.bodyText ?? ""
        let line = page.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }

    /// Open connections of one side: `client` or `upstream`.
    func connections(_ side: String) -> Int? { reading("portcullis_connections{side=\"\(side)\"}") }

    /// How often something was counted of the one upstream that there is, such as `retried`.
    func upstreamFailures(_ cause: String) throws -> Int {
        let page = try admin("/metrics").bodyText
        let line = page.split(separator: "\n").first {
            $0.hasPrefix("portcullis_upstream_failures_total") && $0.contains("cause=\"\(cause)\"")
        }
        return line.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
    }

    /// Lines of the operator log with this event, so far.
    func lines(_ event: String) -> Int {
        process.errors.now.count { $0.contains("\"event\":\"\(event)\"") }
    }
}

extension RecordingUpstream.Record {
    /// Connections that are over, whoever ended them and however.
    var overConnections: Int { Set(endedConnections + resetConnections).count }
}

/// How a client goes away.
enum Leaving: CaseIterable {
    case end, reset, halfClose

    /// Goes; a client that only stops sending is gone once the gateway has closed its side too.
    func leave(_ client: RawClient) throws {
        switch self {
        case .end: client.close()
        case .reset: client.reset()
        case .halfClose:
            client.finishSending()
            _ = try client.bytesToEnd()
        }
    }
}
