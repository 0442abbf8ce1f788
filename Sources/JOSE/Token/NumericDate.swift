public import JSON

/// Seconds since 1970, possibly with a fraction (RFC 7519 §2).
public struct NumericDate: Sendable, Equatable {
    /// The seconds as written.
    public let seconds: Double

    /// Nil unless `value` is a finite JSON number from 0 to 2^53 (JOSE-27).
    ///
    /// A number beyond 2^53 no longer tells one second from the next; a string is not a date however it reads.
    public init?(_ value: JSONValue) {
        guard let seconds = value.number, seconds >= 0, seconds <= 9_007_199_254_740_992 else { return nil }
        self.seconds = seconds
    }

    /// The last whole second not after it.
    public var floor: Int64 { Int64(seconds.rounded(.down)) }

    /// The first whole second not before it.
    public var ceiling: Int64 { Int64(seconds.rounded(.up)) }
}
