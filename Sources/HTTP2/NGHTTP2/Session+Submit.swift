import CNGHTTP2

/// How a connection says that it is about to end.
public enum Ending: Sendable, Equatable {
    /// The peer should open no more streams; those on their way are still taken.
    case announced
    /// Streams behind those already taken will not be looked at; the others end.
    case final(ErrorCode)
}

extension Session {
    /// Keeps lines until the body has ended, or queues them if it has; false when the stream is gone.
    func submitTrailers(_ stream: Int32, _ lines: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let kept = unsafe known(stream), unsafe !kept.pointee.isReset else { return false }
        guard unsafe !kept.pointee.awaitsTrailers else { return unsafe submitTrailers(now: stream, lines) }
        guard unsafe kept.pointee.trailers == nil else { return false }
        let block = unsafe state.pointee.memory.pool.take(max(1, lines.count))
        if let base = lines.baseAddress { unsafe block.copyMemory(from: base, byteCount: lines.count) }
        unsafe kept.pointee.trailers = block
        unsafe kept.pointee.trailersCount = lines.count
        return true
    }

    @discardableResult
    func submitTrailers(now stream: Int32, _ lines: UnsafeBufferPointer<UInt8>) -> Bool {
        var sent = SentHead(unsafe state.pointee.memory)
        guard unsafe sent.addLines(lines, from: 0, LineRules(isTrailers: true)) else {
            reset(stream, .internalError)
            return false
        }
        return unsafe nghttp2_submit_trailer(session, stream, sent.first, sent.count) == 0
    }

    /// Wakes a stream whose source had nothing; nothing happens when it is gone or awake.
    func resume(_ stream: Int32) { unsafe _ = nghttp2_session_resume_data(session, stream) }

    /// Ends a stream; nothing happens when it is gone.
    func reset(_ stream: Int32, _ code: ErrorCode) {
        guard let kept = unsafe known(stream), unsafe !kept.pointee.isReset else { return }
        unsafe kept.pointee.isReset = true
        unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    /// Gives the window of bytes back that were taken from here.
    func taken(_ stream: Int32, _ count: Int) {
        // Of a stream that is over, all of it was given back when that was told.
        guard let kept = unsafe known(stream) else { return }
        let count = unsafe min(count, kept.pointee.outstanding)
        unsafe kept.pointee.outstanding -= count
        unsafe nghttp2_session_consume_stream(session, stream, count)
        unsafe nghttp2_session_consume_connection(session, count)
    }

    /// Queues GOAWAY.
    func end(_ ending: Ending) {
        switch ending {
        case .announced: unsafe _ = nghttp2_submit_shutdown_notice(session)
        case .final(let code): goAway(code)
        }
    }

    func goAway(_ code: ErrorCode) {
        let last = unsafe nghttp2_session_get_last_proc_stream_id(session)
        unsafe nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, nil, 0)
    }
}
