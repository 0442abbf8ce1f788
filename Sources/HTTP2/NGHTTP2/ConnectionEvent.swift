import CNGHTTP2

/// Why a connection takes no more input; its GOAWAY is queued, if the library could make one.
public enum ConnectionFault: Sendable, Equatable {
    /// The client was told to calm down: answers already begun may end within a second.
    case calm(CalmCause)
    /// A stream has a number that was passed over, and so can never be opened (RFC 9113 §5.1.1).
    case streamNumber
    /// A promise came, which nobody may make us (RFC 9113 §8.4).
    case pushPromise
    /// The client has not acknowledged our SETTINGS (RFC 9113 §6.5.3).
    case settingsTimeout
    /// The library has told the peer so, with this code: of an error of its own (RFC 9113 §7), or of a rule that the peer broke.
    case told(ErrorCode)
    /// The library cannot go on, with its number for the cause.
    case library(Int32)

    /// Whether it is no fault of the peer's: there was no memory, or the library failed.
    public var isOwn: Bool {
        switch self {
        case .told(let code): code == .internalError
        case .library(let number): Self.ownFailures.contains(number)
        case .calm, .streamNumber, .pushPromise, .settingsTimeout: false
        }
    }

    private static let ownFailures = [
        NGHTTP2_ERR_NOMEM.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue, NGHTTP2_ERR_INVALID_STATE.rawValue,
    ]
}

/// What happened on a connection that a client opened.
///
/// Pointers are valid until the next call of `nextEvent`, of any connection with the same memory. A `place` is what
/// `setPlace` has given the stream.
@unsafe
public enum ServerEvent {
    /// A request, as the head of HTTP/1.1 that says the same; it has no Transfer-Encoding, and Content-Length only if sent.
    ///
    /// Without a body the stream has ended with it. Of a tunnel, an extended CONNECT, the head is a WebSocket handshake whose
    /// last line is the key: 24 bytes that end four before the head's end, for the caller to replace.
    case request(stream: Int32, head: UnsafeMutableBufferPointer<UInt8>, hasBody: Bool, isTunnel: Bool)
    /// A request whose head is not acceptable: it is answered like one that is, with a refusal. Of the head there are the lines
    /// before the fault.
    case refused(stream: Int32, HeadFault, head: UnsafeMutableBufferPointer<UInt8>, hasBody: Bool)
    /// A head that breaks a rule of HTTP/2: the library has reset its stream, of which nothing else is told.
    case malformed(stream: Int32)
    /// Bytes of a body; they lie in what `receive` was given.
    case content(stream: Int32, place: UnsafeMutableRawPointer?, UnsafeBufferPointer<UInt8>)
    /// Those fields behind the body that may be there, as lines.
    case trailers(stream: Int32, place: UnsafeMutableRawPointer?, UnsafeBufferPointer<UInt8>)
    /// The client has sent all of it.
    case ended(stream: Int32, place: UnsafeMutableRawPointer?)
    /// The stream was reset by the client, or by the library for a fault of the client's: nothing can be sent there.
    case reset(stream: Int32, place: UnsafeMutableRawPointer?, ErrorCode, byPeer: Bool)
    /// The stream is over, for whatever reason: its number means nothing any longer.
    case closed(stream: Int32, place: UnsafeMutableRawPointer?, ErrorCode)
    /// The peer has answered our `ping`.
    case pong
    /// The client opens no more streams, and goes when those it has are over.
    case goAway(ErrorCode)
}
