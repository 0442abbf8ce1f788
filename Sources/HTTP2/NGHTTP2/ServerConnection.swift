import CNGHTTP2

/// One HTTP/2 connection of a client, without its socket: bytes and time in, events and bytes out.
///
///     receive ──▶ nextEvent … nextEvent = nil ──▶ send … send = 0 ──▶ nextEvent … (streams that closed)
///
/// It is a pointer and nothing else, is one thread's, and is destroyed once. Everything it holds comes from its memory.
@safe
public struct ServerConnection: @unchecked Sendable {
    private let session: Session

    /// A connection whose first frame, our SETTINGS, is queued; nil when there is no memory.
    public init?(_ limits: ConnectionLimits, memory: ConnectionMemory, source: ContentSource) {
        guard let session = unsafe Session(isServer: true, limits, memory, source) else { return nil }
        self.session = session
    }

    /// Frees everything; what the streams' places are is the caller's.
    public func destroy() { session.destroy() }

    // MARK: Input

    /// Hands in bytes, which stay where they are until `nextEvent` returns nil; nothing happens before it is called.
    ///
    /// Whoever stops before that hands the last `unread` bytes in again, with more behind them or not.
    public func receive(_ bytes: UnsafeBufferPointer<UInt8>, now microseconds: UInt64) {
        unsafe session.receive(bytes, now: microseconds)
    }

    /// How many bytes of the input no event has come of yet.
    public var unread: Int { unsafe session.state.pointee.input.left }

    /// Whether a field section has begun that has no end yet: nothing else comes from this peer before that (RFC 9113 §6.10).
    public var isInSection: Bool {
        let input = unsafe session.state.pointee.input
        let type = input.frame.type
        guard type == FrameHeader.headers || type == FrameHeader.continuation else { return false }
        return input.frameLeft > 0 || !input.frame.endsSection
    }

    /// What happened next; nil when more input is needed, and when none is taken any longer (`fault`).
    public func nextEvent() -> ServerEvent? {
        repeat {
            if let event = unsafe session.serverEvent() { return unsafe event }
        } while session.advance()
        return nil
    }

    /// Why no more input is taken, if so: what is queued is still sent, and then the connection closed.
    public var fault: ConnectionFault? { unsafe session.state.pointee.fault }

    // MARK: Streams

    /// Gives a stream what its events are told with, and its body is asked of.
    public func setPlace(_ stream: Int32, _ place: UnsafeMutableRawPointer?) {
        if let kept = unsafe session.known(stream) { unsafe kept.pointee.place = place }
    }

    /// Lets a stream send more from now on: its request was let through.
    public func admit(_ stream: Int32) {
        guard unsafe session.known(stream) != nil else { return }
        let window = unsafe Int32(clamping: session.state.pointee.limits.admittedWindow)
        unsafe _ = nghttp2_session_set_local_window_size(session.session, 0, stream, window)
    }

    /// Bytes of a stream's content have left us: it may send as many again, unless it is over.
    public func taken(_ stream: Int32, _ count: Int) { session.taken(stream, count) }

    /// Queues the head of an answer, an interim one (1xx) too, from the bytes of one of HTTP/1.1.
    ///
    /// What HTTP/2 says otherwise is left out, and 101 of a tunnel becomes 200. Unless the answer `ends` here, the source is asked
    /// for its body. False when nothing was queued: the stream is gone, or these bytes are no head.
    public func submitHead(_ stream: Int32, _ head: UnsafeBufferPointer<UInt8>, ends: Bool) -> Bool {
        unsafe session.submitResponse(stream, head, ends: ends)
    }

    /// Gives a stream the lines that follow its body, those that may; before or after its source says that it has ended.
    public func submitTrailers(_ stream: Int32, _ lines: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe session.submitTrailers(stream, lines)
    }

    /// A stream's source has bytes now, or its end.
    public func resume(_ stream: Int32) { session.resume(stream) }

    /// Ends a stream at once; its `closed` follows when the reset was sent.
    public func reset(_ stream: Int32, _ code: ErrorCode) { session.reset(stream, code) }

    /// A request that was told is malformed after all: that counts as one which was refused here.
    public func countMalformed() { session.countMalformed() }

    // MARK: Connection

    /// Queues GOAWAY.
    public func end(_ ending: Ending) { session.end(ending) }

    /// Queues PING; its answer is the event `pong`.
    public func ping() { unsafe _ = nghttp2_submit_ping(session.session, 0, nil) }

    /// The time is over in which the client was to acknowledge our SETTINGS: one that has not is a fault (RFC 9113 §6.5.3).
    public func endAcknowledgement() {
        guard unsafe !session.state.pointee.isAcknowledged else { return }
        session.fail(.settingsTimeout, .settingsTimeout)
    }

    /// Writes queued frames, as many as there is room for, 1 KiB at least; 0 when nothing is to be sent just now.
    public func send(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        unsafe session.send(into: target)
    }

    /// Whether something waits to be sent.
    public var wantsToSend: Bool { session.wantsToSend }

    /// Whether everything is said on both sides: what was written is flushed, and the connection closed.
    public var isOver: Bool { session.isOver }

    /// Whether GOAWAY was queued because the budget of resets is nearly spent: the connection should come to its end.
    public var isNearlySpent: Bool { unsafe session.state.pointee.isEnding }

    /// Streams that were told and are not closed.
    public var openStreams: Int { unsafe session.state.pointee.openCount }

    /// The code of the GOAWAY that was sent last, which says what the client did; nil when none was.
    public var sentGoAway: ErrorCode? { unsafe session.state.pointee.sentGoAway }
}
