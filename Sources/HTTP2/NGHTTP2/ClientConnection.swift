import CNGHTTP2

/// What happened on a connection that we opened.
///
/// Pointers are valid until the next call of `nextEvent`, of any connection with the same memory.
@unsafe
public enum ClientEvent {
    /// A head of 1xx, as that of HTTP/1.1; another follows.
    case interim(stream: Int32, place: UnsafeMutableRawPointer?, head: UnsafeMutableBufferPointer<UInt8>)
    /// The head of the answer, as that of HTTP/1.1, for its parser to read: Content-Length is there only if it was sent.
    case response(
        stream: Int32, place: UnsafeMutableRawPointer?, head: UnsafeMutableBufferPointer<UInt8>, hasBody: Bool)
    /// The head is none: the stream was reset.
    case malformed(stream: Int32, place: UnsafeMutableRawPointer?, HeadFault)
    /// Bytes of a body; they lie in what `receive` was given.
    case content(stream: Int32, place: UnsafeMutableRawPointer?, UnsafeBufferPointer<UInt8>)
    /// Those fields behind the body that may be there, as lines.
    case trailers(stream: Int32, place: UnsafeMutableRawPointer?, UnsafeBufferPointer<UInt8>)
    /// The answer is whole.
    case ended(stream: Int32, place: UnsafeMutableRawPointer?)
    /// The stream was reset by the upstream, or by the library for a fault of the upstream's.
    case reset(stream: Int32, place: UnsafeMutableRawPointer?, ErrorCode, byPeer: Bool)
    /// The stream is over; it may be sent again elsewhere if nothing of it was looked at (H2-78).
    case closed(stream: Int32, place: UnsafeMutableRawPointer?, ErrorCode, mayRepeat: Bool)
    /// The peer has changed what it allows, see `room`.
    case settings
    /// The peer has answered our `ping`.
    case pong
    /// The peer takes no more streams: there is no `room` from now on, and those it will not look at close.
    case goAway(ErrorCode)
}

/// One HTTP/2 connection to an upstream, without its socket: the mirror of `ServerConnection`.
@safe
public struct ClientConnection: @unchecked Sendable {
    let session: Session

    /// A connection whose preface and SETTINGS are queued; nil when there is no memory.
    ///
    /// Of the limits, those that a peer's heads and bodies have hold for an upstream too; its scheme is `https` unless `http` is said.
    public init?(_ limits: ConnectionLimits, memory: ConnectionMemory, source: ContentSource) {
        guard let session = unsafe Session(isServer: false, limits, memory, source) else { return nil }
        self.session = session
    }

    /// Frees everything; what the streams' places are is the caller's.
    public func destroy() { session.destroy() }

    // MARK: Input

    /// Hands in bytes, as `ServerConnection.receive` does.
    public func receive(_ bytes: UnsafeBufferPointer<UInt8>, now microseconds: UInt64) {
        unsafe session.receive(bytes, now: microseconds)
    }

    /// How many bytes of the input no event has come of yet.
    public var unread: Int { unsafe session.state.pointee.input.left }

    /// What happened next; nil when more input is needed, and when none is taken any longer (`fault`).
    public func nextEvent() -> ClientEvent? {
        repeat {
            if let event = unsafe session.clientEvent() { return unsafe event }
        } while session.advance()
        return nil
    }

    /// Why no more input is taken, if so.
    public var fault: ConnectionFault? { unsafe session.state.pointee.fault }

    /// Whether the peer's SETTINGS have come: who has sent something else does not speak HTTP/2 (H2-75).
    public var hasSettings: Bool { unsafe session.state.pointee.hasSettings }

    /// Whether the peer takes extended CONNECT (RFC 8441), known once its SETTINGS have come.
    public var takesTunnels: Bool {
        unsafe nghttp2_session_get_remote_settings(session.session, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    }

    // MARK: Streams

    /// Streams of one connection at once, whatever its peer allows; as many as long as it has said nothing.
    public static let mostStreams = 100

    /// How many streams may be opened now.
    public var room: Int { session.room }

    /// Whether it is to be replaced, because few numbers of streams are left (RFC 9113 §5.1.1, H2-79).
    public var isNearlySpent: Bool { session.isNearlySpent }

    /// How many there may be at once.
    public var mostStreams: Int { session.mostStreams }

    /// Queues the head of a request from the bytes of one of HTTP/1.1; its stream, or nil when there is no room or these are no head.
    ///
    /// Unless the request `ends` here, the source is asked for its body. A WebSocket's handshake can be sent as extended
    /// CONNECT where the peer takes it; an answer of 200 then stands for 101.
    public func submitHead(
        _ head: UnsafeBufferPointer<UInt8>, ends: Bool, opensTunnel: Bool = false, place: UnsafeMutableRawPointer?
    ) -> Int32? {
        unsafe session.submitRequest(head, ends: ends, opensTunnel: opensTunnel, place)
    }

    /// Gives a stream what its events are told with, and its body is asked of; nil before the place goes.
    public func setPlace(_ stream: Int32, _ place: UnsafeMutableRawPointer?) {
        if let kept = unsafe session.known(stream) { unsafe kept.pointee.place = place }
    }

    /// Bytes of a stream's content have left us: it may send as many again, unless it is over.
    public func taken(_ stream: Int32, _ count: Int) { session.taken(stream, count) }

    /// Gives a stream the lines that follow its body, those that may; before or after its source says that it has ended.
    public func submitTrailers(_ stream: Int32, _ lines: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe session.submitTrailers(stream, lines)
    }

    /// A stream's source has bytes now, or its end.
    public func resume(_ stream: Int32) { session.resume(stream) }

    /// Ends a stream at once; its `closed` follows when the reset was sent.
    public func reset(_ stream: Int32, _ code: ErrorCode) { session.reset(stream, code) }

    // MARK: Connection

    /// Queues GOAWAY.
    public func end(_ code: ErrorCode) { session.goAway(code) }

    /// Queues PING; its answer is the event `pong`.
    public func ping() { unsafe _ = nghttp2_submit_ping(session.session, 0, nil) }

    /// Writes queued frames, as many as there is room for, 1 KiB at least; 0 when nothing is to be sent just now.
    public func send(into target: UnsafeMutableBufferPointer<UInt8>) -> Int { unsafe session.send(into: target) }

    /// Whether something waits to be sent.
    public var wantsToSend: Bool { session.wantsToSend }

    /// Whether everything is said on both sides: what was written is flushed, and the connection closed.
    public var isOver: Bool { session.isOver }

    /// Streams that were opened and are not closed.
    public var openStreams: Int { unsafe session.state.pointee.openCount }

    /// The code of the GOAWAY that was sent last, which says what the peer did; nil when none was.
    public var sentGoAway: ErrorCode? { unsafe session.state.pointee.sentGoAway }
}
