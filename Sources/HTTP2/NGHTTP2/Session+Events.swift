import CNGHTTP2

extension Session {
    func receive(_ bytes: UnsafeBufferPointer<UInt8>, now: UInt64) {
        unsafe state.pointee.now = now
        unsafe state.pointee.input.bytes = bytes
        unsafe state.pointee.input.offset = 0
    }

    /// The next event that is recorded for a server, in the order in which it happened.
    func serverEvent() -> ServerEvent? {
        if unsafe state.pointee.events.head {
            unsafe state.pointee.events.head = false
            if let event = unsafe serverHead() { return unsafe event }
        }
        if let event = unsafe serverBody() { return unsafe event }
        if unsafe state.pointee.events.pong {
            unsafe state.pointee.events.pong = false
            return unsafe .pong
        }
        if unsafe state.pointee.events.goAway {
            unsafe state.pointee.events.goAway = false
            return unsafe .goAway(ErrorCode(rawValue: state.pointee.events.goAwayCode))
        }
        guard let closed = unsafe takeClosed() else { return nil }
        return unsafe .closed(stream: closed.stream, place: closed.place, ErrorCode(rawValue: closed.code))
    }

    private func serverHead() -> ServerEvent? {
        let stream = unsafe state.pointee.events.headStream
        let hasBody = unsafe !state.pointee.events.headEnds
        guard let section = unsafe state.pointee.section else { return nil }
        let pool = unsafe state.pointee.memory.pool
        unsafe state.pointee.section?.aside.release(pool)
        if section.kind == .trailers { return unsafe serverTrailers(stream, section) }
        if let fault = section.fault {
            if fault.isTooLarge { unsafe spend(state.pointee.budget.oversizedHead()) } else { countMalformed() }
            return unsafe .refused(stream: stream, fault, hasBody: hasBody)
        }
        return unsafe .request(
            stream: stream, head: section.lines.buffer, hasBody: hasBody, isTunnel: section.isTunnel)
    }

    private func serverTrailers(_ stream: Int32, _ section: ReceivedSection) -> ServerEvent? {
        guard let kept = unsafe known(stream), unsafe !kept.pointee.isReset else { return nil }
        guard section.fault == nil else {
            reset(stream, .protocolError)
            countMalformed()
            return unsafe .reset(stream: stream, place: kept.pointee.place, .protocolError, byPeer: false)
        }
        unsafe state.pointee.events.ended = stream
        guard section.lines.count > 0 else { return nil }
        return unsafe .trailers(
            stream: stream, place: kept.pointee.place, UnsafeBufferPointer(section.lines.buffer))
    }

    private func serverBody() -> ServerEvent? {
        let events = unsafe state.pointee.events
        if events.contentCount > 0 {
            unsafe state.pointee.events.contentCount = 0
            if let kept = unsafe known(events.contentStream) {
                let bytes = unsafe UnsafeBufferPointer(start: events.content, count: events.contentCount)
                return unsafe .content(stream: events.contentStream, place: kept.pointee.place, bytes)
            }
        }
        if events.ended != 0 {
            unsafe state.pointee.events.ended = 0
            return unsafe .ended(stream: events.ended, place: place(events.ended))
        }
        guard events.reset != 0 else { return nil }
        unsafe state.pointee.events.reset = 0
        let code = ErrorCode(rawValue: events.resetCode)
        return unsafe .reset(
            stream: events.reset, place: place(events.reset), code, byPeer: events.resetByPeer)
    }

    /// What a stream was given, also when it has closed since and that was not told yet.
    private func place(_ stream: Int32) -> UnsafeMutableRawPointer? {
        if let kept = unsafe known(stream) { return unsafe kept.pointee.place }
        var closed = unsafe state.pointee.closed.first
        while let kept = unsafe closed {
            if unsafe kept.pointee.stream == stream { return unsafe kept.pointee.place }
            unsafe closed = kept.pointee.next
        }
        return nil
    }

    /// A stream that has closed, freed by this, with its whole window given back to the connection.
    func takeClosed() -> (stream: Int32, place: UnsafeMutableRawPointer?, code: UInt32)? {
        guard let kept = unsafe state.pointee.closed.removeFirst() else { return nil }
        let (stream, place, code) = unsafe (kept.pointee.stream, kept.pointee.place, kept.pointee.code)
        let outstanding = unsafe kept.pointee.outstanding
        if outstanding > 0 { unsafe nghttp2_session_consume_connection(session, outstanding) }
        unsafe free(kept)
        return unsafe (stream, place, code)
    }
}
