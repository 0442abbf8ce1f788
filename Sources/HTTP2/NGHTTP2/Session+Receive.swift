import CNGHTTP2

extension Session {
    /// Gives the library more input, at most to the end of a frame; false when there is none left, or none is taken.
    func advance() -> Bool {
        guard unsafe state.pointee.fault == nil, unsafe state.pointee.input.left > 0 else {
            // What has come of a section that has no end yet cannot stay where the next one begins.
            if unsafe state.pointee.isSectionTold { releaseSection() }
            let pool = unsafe state.pointee.memory.pool
            unsafe state.pointee.section?.lines.detach(pool)
            unsafe state.pointee.section?.aside.detach(pool)
            return false
        }
        let left = unsafe state.pointee.input.left
        let preface = unsafe state.pointee.input.prefaceLeft
        if preface > 0 {
            unsafe state.pointee.input.prefaceLeft -= min(preface, left)
            unsafe give(state.pointee.input.take(min(preface, left)))
        } else if unsafe state.pointee.input.frameLeft > 0 {
            feedPayload()
        } else if unsafe state.pointee.input.headerCount == 0, left >= FrameHeader.count {
            let offset = unsafe state.pointee.input.offset
            // Nine bytes are there.
            let header = unsafe state.pointee.input.bytes.span.extracting(offset..<(offset + FrameHeader.count))
            guard begin(FrameHeader(header)) else { return false }
            feedPayload(headerCount: FrameHeader.count)
        } else {
            collectHeader()
        }
        return true
    }

    /// Keeps a byte of a header that comes in pieces, and gives it to the library when it is whole.
    private func collectHeader() {
        let count = unsafe state.pointee.input.headerCount
        unsafe state.pointee.input.header[count] = state.pointee.input.take(1)[0]
        guard count + 1 == FrameHeader.count else {
            unsafe state.pointee.input.headerCount = count + 1
            return
        }
        unsafe state.pointee.input.headerCount = 0
        let header = unsafe state.pointee.input.header
        guard begin(FrameHeader(header.span)) else { return }
        let queued = unsafe nghttp2_session_get_outbound_queue_size(session)
        unsafe header.span.withUnsafeBufferPointer { unsafe give($0) }
        if unsafe state.pointee.input.frameLeft == 0 { endFrame(queued) } else { noteReset(queued) }
    }

    /// Gives as much of a frame's payload as there is, with the header if that lies before it.
    private func feedPayload(headerCount: Int = 0) {
        let queued = unsafe nghttp2_session_get_outbound_queue_size(session)
        let count = unsafe min(state.pointee.input.frameLeft, state.pointee.input.left - headerCount)
        unsafe state.pointee.input.frameLeft -= count
        let bytes = unsafe state.pointee.input.take(headerCount + count)
        let type = unsafe state.pointee.input.frame.type
        if type == FrameHeader.headers || type == FrameHeader.continuation {
            guard unsafe state.pointee.tableUpdates.accepts(bytes.span.extracting(headerCount...)) else {
                return fail(.calm(.sectionTooLarge), .enhanceYourCalm)
            }
        }
        unsafe give(bytes)
        if unsafe state.pointee.input.frameLeft == 0 { endFrame(queued) } else { noteReset(queued) }
    }

    private func give(_ bytes: UnsafeBufferPointer<UInt8>) {
        // Fatal when negative: there is no GOAWAY then unless one is queued already.
        let result = unsafe nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
        if result < 0 { fail(.library(Int32(truncatingIfNeeded: result)), nil) }
    }

    // MARK: Budgets

    /// Looks at a frame before the library does; false when the connection is at its end.
    private func begin(_ frame: FrameHeader) -> Bool {
        unsafe state.pointee.input.frame = frame
        unsafe state.pointee.input.frameLeft = frame.length
        unsafe state.pointee.frameHasContent = false
        guard frame.type != FrameHeader.pushPromise else {
            // We have said that we take none; the library would hold the peer to that only once it has acknowledged it.
            fail(.pushPromise, .protocolError)
            return false
        }
        if unsafe frame.type == FrameHeader.headers && state.pointee.isServer, !acceptNumber(frame.stream) {
            return false
        }
        guard
            unsafe state.pointee.isServer || frame.type == FrameHeader.headers
                || frame.type == FrameHeader.continuation
        else { return true }
        switch frame.type {
        case FrameHeader.headers, FrameHeader.continuation:
            let limits = unsafe state.pointee.limits
            if frame.type == FrameHeader.headers { unsafe state.pointee.tableUpdates.begin(frame) }
            switch unsafe state.pointee.sectionCount.add(frame, limits: limits) {
            case .fine: break
            case .tooLarge: unsafe state.pointee.section?.fail(.listTooLarge)
            case .endless:
                fail(.calm(.sectionTooLarge), .enhanceYourCalm)
                return false
            }
        case FrameHeader.resetStream: return beginReset(frame.stream)
        case FrameHeader.windowUpdate where frame.stream != 0: return beginWindowUpdate(frame.stream)
        default: break
        }
        guard frame.isCheap else { return true }
        return unsafe spend(state.pointee.budget.cheapFrame(at: state.pointee.now))
    }

    /// Looks at the number of a stream: it rises, or the stream is one that was opened.
    ///
    /// The library takes a section for a number below the last one for late trailers, and ignores it. We remember the last
    /// numbers that were passed over; a stream there is the connection's end.
    private func acceptNumber(_ stream: Int32) -> Bool {
        switch unsafe state.pointee.numbers.order(of: stream) {
        case .next: return true
        case .passedOver:
            fail(.streamNumber, .protocolError)
            return false
        case .earlier:
            guard unsafe known(stream) == nil else { return true }
            return unsafe spend(state.pointee.budget.cheapFrame(at: state.pointee.now))
        }
    }

    /// A reset of a stream whose answer is not whole counts as such; one of no stream is a frame that carries nothing.
    private func beginReset(_ stream: Int32) -> Bool {
        switch unsafe nghttp2_session_get_stream_local_close(session, stream) {
        case 0: return countReset()
        case 1: return true
        default: return unsafe spend(state.pointee.budget.cheapFrame(at: state.pointee.now))
        }
    }

    /// The window of a stream that is over enlarges nothing, and the library says nothing of it; some clients send one such by habit.
    private func beginWindowUpdate(_ stream: Int32) -> Bool {
        guard unsafe known(stream) == nil else { return true }
        return unsafe spend(state.pointee.budget.windowUpdate(at: state.pointee.now))
    }

    /// A head or trailers were malformed: that counts, whether a status or a reset is the answer.
    func countMalformed() {
        if unsafe state.pointee.isServer { _ = countReset() }
    }

    private func countReset() -> Bool {
        let now = unsafe state.pointee.now
        guard unsafe spend(state.pointee.budget.streamReset(at: now)) else { return false }
        if unsafe !state.pointee.isEnding && state.pointee.budget.isNearlySpent(at: now) {
            unsafe state.pointee.isEnding = true
            end(.announced)
        }
        return true
    }

    /// Whether there was enough; ends the connection's input where there was not.
    @discardableResult
    func spend(_ cause: CalmCause?) -> Bool {
        guard let cause else { return true }
        fail(.calm(cause), .enhanceYourCalm)
        return false
    }

    /// The library has taken the last byte of a frame, and had so many frames queued before.
    private func endFrame(_ queued: Int) {
        noteReset(queued)
        let frame = unsafe state.pointee.input.frame
        guard frame.type == FrameHeader.data, frame.length > 0, !frame.endsStream,
            unsafe state.pointee.isServer && !state.pointee.frameHasContent
        else { return }
        // Padding and nothing else.
        unsafe spend(state.pointee.budget.cheapFrame(at: state.pointee.now))
    }

    /// Notes a stream that the library has reset for what the peer sent on it.
    ///
    /// It has no callback for most of them ("made you reset"). But a frame of these types makes it queue nothing else than a
    /// reset or the connection's end, so that the queue tells.
    private func noteReset(_ queued: Int) {
        let frame = unsafe state.pointee.input.frame
        guard frame.type <= FrameHeader.headers || frame.type >= FrameHeader.windowUpdate,
            unsafe nghttp2_session_get_outbound_queue_size(session) > queued
        else { return }
        let stream = unsafe known(frame.stream)
        // DATA of a stream that is over only gives its window back.
        guard unsafe frame.type != FrameHeader.data || stream != nil else { return }
        if let stream = unsafe stream, unsafe !stream.pointee.isReset {
            unsafe stream.pointee.isReset = true
            unsafe state.pointee.events.reset = frame.stream
            unsafe state.pointee.events.resetCode = ErrorCode.protocolError.rawValue
            unsafe state.pointee.events.resetByPeer = false
        }
        guard unsafe state.pointee.isServer else { return }
        if unsafe state.pointee.sectionStream == frame.stream && state.pointee.section?.fault?.isTooLarge == true {
            unsafe spend(state.pointee.budget.oversizedHead())
        } else if unsafe countReset() && stream == nil {
            noteMalformed(frame.stream)
        }
    }

    /// Notes a request that the library has refused at its head: nobody is told of its stream, and the log is to say why it
    /// was reset (H2-35).
    ///
    /// A section that is the end of the connection was no request either, and that end is told by itself.
    private func noteMalformed(_ stream: Int32) {
        let type = unsafe state.pointee.input.frame.type
        guard type == FrameHeader.headers || type == FrameHeader.continuation,
            unsafe state.pointee.sectionStream == stream && state.pointee.section?.kind == .request,
            unsafe state.pointee.fault == nil
        else { return }
        unsafe state.pointee.events.malformed = stream
        // Once, whatever else comes for that stream before its reset has left.
        unsafe state.pointee.sectionStream = 0
    }
}
