import Access
import Gateway

/// `timeouts`: how long each thing may take.
enum TimeoutSection {
    /// As long as a timeout may be, of all routes or of one.
    static let range = 1...86_400_000

    private static let table = SettingTable(
        "the timeouts", defaults: TimeoutSettings(),
        [
            .milliseconds(
                "request_head", \.requestHead, range, "From a request's first byte to the end of its head."),
            .milliseconds("request_body", \.requestBody, range, "Without a byte of a request body."),
            .milliseconds("keep_alive", \.keepAlive, range, "An idle client connection."),
            .milliseconds(
                "upstream_connect", \.upstreamConnect, range,
                "Connecting to an upstream, its TLS handshake included."),
            .milliseconds(
                "upstream_first_byte", \.upstreamFirstByte, range,
                "From the end of a request to the response's head."),
            .milliseconds(
                "response_body", \.responseBody, range,
                "Without a byte of a response body, or without one taken by the client."),
            .milliseconds("upstream_idle", \.upstreamIdle, range, "An idle connection to an upstream."),
            .milliseconds("tunnel_idle", \.tunnelIdle, range, "A WebSocket without a byte in either direction."),
            .milliseconds(
                "drain_delay", \.drainDelay, 0...3_600_000,
                "How long SIGTERM lets everything go on while /readyz already says 503."),
            .milliseconds("drain", \.drain, range, "How long SIGTERM waits for requests in flight."),
            .milliseconds(
                "key_wait", \.keyWait, range, "How long a request waits for an issuer's keys before 503."),
        ])
    static let shape = table.shape

    static func translate(_ object: CheckedObject?) -> TimeoutSettings {
        var timeouts = TimeoutSettings()
        table.read(object, into: &timeouts)
        return timeouts
    }
}
