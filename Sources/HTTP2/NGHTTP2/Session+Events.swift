import CNGHTTP2

/// What happened on a stream behind its head, whichever side of the connection is ours.
@unsafe
enum StreamEvent {
    case content(Int32, UnsafeMutableRawPointer?, UnsafeBufferPointer<UInt8>)
    case trailers(Int32, UnsafeMutableRawPointer?, UnsafeBufferPointer<UInt8>)
    case ended(Int32, UnsafeMutableRawPointer?)
    case reset(Int32, UnsafeMutableRawPointer?, ErrorCode, byPeer: Bool)
}

/// A stream that is over, and what was kept of it.
@unsafe
struct ClosedStream {
    let stream: Int32
    let place: UnsafeMutableRawPointer?
    let code: ErrorCode
    /// Whether nothing of it was looked at, so that it may be sent again.
    let mayRepeat: Bool
}

extension Session {
    func receive(_ bytes: UnsafeBufferPointer<UInt8>, now: UInt64) {
        unsafe state.pointee.now = now
        unsafe state.pointee.input.bytes = bytes
        unsafe state.pointee.input.offset = 0
    }

    /// The section that has ended and was not told yet, with its stream and whether that has ended too.
    ///
    /// Its lines stay until the next call: nobody is told of two heads at a time.
    func takeSection() -> (stream: Int32, section: ReceivedSection, ends: Bool)? {
        if unsafe state.pointee.isSectionTold { releaseSection() }
        guard unsafe state.pointee.events.head, let section = unsafe state.pointee.section else { return nil }
        unsafe state.pointee.events.head = false
        unsafe state.pointee.isSectionTold = true
        return unsafe (state.pointee.events.headStream, section, state.pointee.events.headEnds)
    }

    /// Forgets the section, told or given up.
    func releaseSection() {
        let pool = unsafe state.pointee.memory.pool
        unsafe state.pointee.section?.lines.release(pool)
        unsafe state.pointee.section?.aside.release(pool)
        unsafe state.pointee.section = nil
        unsafe state.pointee.isSectionTold = false
    }

    /// Trailers become their lines, and the stream's end; a reset where they are none.
    func trailers(_ stream: Int32, _ section: ReceivedSection) -> StreamEvent? {
        guard let kept = unsafe kept(stream), unsafe !kept.pointee.isReset else { return nil }
        guard section.fault == nil else {
            reset(stream, .protocolError)
            countMalformed()
            return unsafe .reset(stream, kept.pointee.place, .protocolError, byPeer: false)
        }
        unsafe state.pointee.events.ended = stream
        countDropped(section.droppedCount)
        guard section.lines.count > 0 else { return nil }
        return unsafe .trailers(stream, kept.pointee.place, UnsafeBufferPointer(section.lines.buffer))
    }

    private func countDropped(_ count: Int) {
        guard count > 0 else { return }
        let memory = unsafe state.pointee.memory.state
        if unsafe state.pointee.isServer {
            unsafe memory.pointee.trailers.ofRequests &+= UInt64(count)
        } else {
            unsafe memory.pointee.trailers.ofResponses &+= UInt64(count)
        }
    }

    /// The next of the events behind a head.
    func streamEvent() -> StreamEvent? {
        let count = unsafe state.pointee.events.contentCount
        if count > 0 {
            unsafe state.pointee.events.contentCount = 0
            let stream = unsafe state.pointee.events.contentStream
            if let kept = unsafe kept(stream) {
                let bytes = unsafe UnsafeBufferPointer(start: state.pointee.events.content, count: count)
                return unsafe .content(stream, kept.pointee.place, bytes)
            }
        }
        let ended = unsafe state.pointee.events.ended
        if ended != 0 {
            unsafe state.pointee.events.ended = 0
            return unsafe .ended(ended, place(ended))
        }
        let reset = unsafe state.pointee.events.reset
        guard reset != 0 else { return nil }
        unsafe state.pointee.events.reset = 0
        return unsafe .reset(
            reset, place(reset), ErrorCode(rawValue: state.pointee.events.resetCode),
            byPeer: state.pointee.events.resetByPeer)
    }

    /// What is kept of a stream, also when it has closed and that was not told yet: its last frame ends it at once.
    func kept(_ stream: Int32) -> UnsafeMutablePointer<StreamState>? {
        unsafe known(stream) ?? state.pointee.closed.find(stream)
    }

    private func place(_ stream: Int32) -> UnsafeMutableRawPointer? { unsafe kept(stream)?.pointee.place }

    /// A stream that has closed, freed by this, with its whole window given back to the connection.
    func takeClosed() -> ClosedStream? {
        guard let kept = unsafe state.pointee.closed.removeFirst() else { return nil }
        let closed = unsafe ClosedStream(
            stream: kept.pointee.stream, place: kept.pointee.place, code: ErrorCode(rawValue: kept.pointee.code),
            mayRepeat: !kept.pointee.isSent
                || !kept.pointee.hasHead && kept.pointee.code == ErrorCode.refusedStream.rawValue)
        let outstanding = unsafe kept.pointee.outstanding
        if outstanding > 0 { unsafe nghttp2_session_consume_connection(session, outstanding) }
        unsafe free(kept)
        return unsafe closed
    }
}
