/// How long one connection of a client may go on: so many streams, and so much time (H2-59).
///
/// What a connection has gathered is bounded by that, and clients come to each process in turn. A connection that is not
/// asked anything ends by itself before; one whose streams go on is left to them.
public struct ConnectionLife: Sendable {
    /// Streams of the longest life.
    public static let mostStreams = 10_000
    /// Seconds of the longest life.
    public static let mostSeconds = 3600

    private var streamsLeft: Int
    private let end: UInt64

    /// A life that begins now, in microseconds of a clock that only advances.
    ///
    /// By up to a tenth it is shorter, as `random` says: connections that began together must not end together.
    public init(
        begunAt now: UInt64, random: UInt64, streams: Int = ConnectionLife.mostStreams,
        seconds: Int = ConnectionLife.mostSeconds
    ) {
        streamsLeft = max(1, streams - streams / 10 * Int(random & 0xffff) / 0xffff)
        let microseconds = UInt64(max(1, seconds)) * 1_000_000
        end = now &+ microseconds - microseconds / 10 * (random >> 16 & 0xffff) / 0xffff
    }

    /// Counts a stream that was opened; whether the connection should end with it.
    public mutating func isSpent(byStreamAt now: UInt64) -> Bool {
        streamsLeft -= 1
        return streamsLeft <= 0 || now >= end
    }
}
