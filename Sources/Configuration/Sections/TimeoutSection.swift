import Gateway

/// `timeouts`: how long each thing may take.
enum TimeoutSection {
    /// One row a key: the only list of timeouts, from which shape and translation both come.
    private static let rows: [Row] = [
        Row("request_head", { $0.requestHead = $1 }, "10s", "From a request's first byte to the end of its head."),
        Row("request_body", { $0.requestBody = $1 }, "30s", "Without a byte of a request body."),
        Row("keep_alive", { $0.keepAlive = $1 }, "75s", "An idle client connection."),
        Row(
            "upstream_connect", { $0.upstreamConnect = $1 }, "3s",
            "Connecting to an upstream, its TLS handshake included."),
        Row(
            "upstream_first_byte", { $0.upstreamFirstByte = $1 }, "30s",
            "From the end of a request to the response's head."),
        Row(
            "response_body", { $0.responseBody = $1 }, "1m",
            "Without a byte of a response body, or without one taken by the client."),
        Row("upstream_idle", { $0.upstreamIdle = $1 }, "30s", "An idle connection to an upstream."),
        Row("tunnel_idle", { $0.tunnelIdle = $1 }, "1h", "A WebSocket without a byte in either direction."),
        Row("drain", { $0.drain = $1 }, "30s", "How long SIGTERM waits for requests in flight."),
        Row("key_wait", { $0.keyWait = $1 }, "2s", "How long a request waits for an issuer's keys before 503."),
    ]

    static let shape = ObjectShape(
        noun: "the timeouts",
        keys: rows.map {
            KeyDescription(
                $0.name, .duration(DurationShape(range: 1...86_400_000)), .standard($0.standard), $0.sentence)
        })

    static func translate(_ object: CheckedObject?) -> TimeoutSettings {
        var timeouts = TimeoutSettings()
        for row in rows {
            if let milliseconds = object?.milliseconds(row.name) { row.set(&timeouts, milliseconds) }
        }
        return timeouts
    }

    private typealias Setter = @Sendable (inout TimeoutSettings, Int) -> Void

    private struct Row: Sendable {
        let name: String
        let set: Setter
        let standard: String
        let sentence: String

        init(
            _ name: String, _ set: @escaping Setter, _ standard: String, _ sentence: String
        ) {
            self.name = name
            self.set = set
            self.standard = standard
            self.sentence = sentence
        }
    }
}
