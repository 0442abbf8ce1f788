/// The codes of RST_STREAM and GOAWAY (RFC 9113 §7).
public struct ErrorCode: RawRepresentable, Sendable, Equatable {
    /// The number on the wire.
    public let rawValue: UInt32

    /// A code by its number, known or not.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Nothing was wrong.
    public static let noError = ErrorCode(rawValue: 0)
    /// The peer broke the protocol.
    public static let protocolError = ErrorCode(rawValue: 1)
    /// Something broke on the way, of ours or the upstream's.
    public static let internalError = ErrorCode(rawValue: 2)
    /// Our SETTINGS were not acknowledged in time.
    public static let settingsTimeout = ErrorCode(rawValue: 4)
    /// Nothing was done for the stream; it may be sent again.
    public static let refusedStream = ErrorCode(rawValue: 7)
    /// Nobody waits for the stream any longer.
    public static let cancel = ErrorCode(rawValue: 8)
    /// The peer does what costs it nothing and us something.
    public static let enhanceYourCalm = ErrorCode(rawValue: 11)
}
