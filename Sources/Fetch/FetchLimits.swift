// SPDX-License-Identifier: Apache-2.0

/// Bounds that no request can widen (OPS-05).
enum FetchLimits {
    /// Bytes of all field lines of an answer.
    static let fieldBytes = 64 * 1024
    /// Time for name, connection and handshake together, when the request has as much.
    static let connectMilliseconds = 5_000
    /// Idle connections kept for reuse; curl's own default collapses with the number of transfers.
    static let idleConnections = 64
    /// Connections to one host: as many as a desk has questions under way, for what comes on top waits within its own
    /// timeout, and a slow server would make honest clients wait behind whoever asks most.
    static let connectionsToHost = 64
    /// Connections altogether.
    static let connections = 256
    /// Seconds of `Retry-After` that a server can ask for.
    static let retryAfterSeconds: Int64 = 86_400
    /// Characters of a DPoP nonce: those of the servers we know have fewer than a hundred.
    static let nonceBytes = 512
}
