import CNGHTTP2

/// The functions that the library calls: they record, and call nothing that could come back here.
enum SessionCallbacks {
    /// Puts all of them into a table.
    static func set(_ table: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(table) { _, frame, user in
            guard let frame = unsafe frame, let user = unsafe user else { return 0 }
            unsafe Session(opaque: user).beginSection(frame.pointee)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(table) {
            _, _, name, nameCount, value, valueCount, _, user in
            guard let user = unsafe user else { return 0 }
            return unsafe Session(opaque: user).add(
                UnsafeBufferPointer(start: name, count: nameCount), UnsafeBufferPointer(start: value, count: valueCount)
            )
        }
        unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(table) {
            _, _, name, nameCount, _, valueCount, _, user in
            guard let user = unsafe user else { return 0 }
            // The library goes on without the field: the fault makes the whole of the section malformed (H2-21).
            return unsafe Session(opaque: user).addInvalid(
                UnsafeBufferPointer(start: name, count: nameCount), valueCount)
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(table) { _, frame, user in
            guard let frame = unsafe frame, let user = unsafe user else { return 0 }
            unsafe Session(opaque: user).received(frame.pointee)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table) { _, _, stream, bytes, count, user in
            guard let user = unsafe user else { return 0 }
            unsafe Session(opaque: user).receivedContent(stream, bytes, count)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(table) { _, stream, code, user in
            guard let user = unsafe user else { return 0 }
            unsafe Session(opaque: user).closed(stream, code)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(table) { _, frame, user in
            guard let frame = unsafe frame, let user = unsafe user else { return 0 }
            unsafe Session(opaque: user).sent(frame.pointee)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_send_data_callback(table) { _, _, header, count, source, user in
            guard let user = unsafe user, let header = unsafe header, let stream = unsafe source?.pointee.ptr else {
                return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
            }
            return unsafe Session(opaque: user).write(header, count, stream.assumingMemoryBound(to: StreamState.self))
        }
        unsafe nghttp2_session_callbacks_set_data_source_read_length_callback(table) {
            _, _, _, connection, stream, most, user in
            guard let user = unsafe user else { return 1 }
            let window = Int(min(connection, stream))
            return unsafe Session(opaque: user).frameSize(window: window, most: Int(most))
        }
    }
}

extension Session {
    // MARK: Sections

    func beginSection(_ frame: nghttp2_frame) {
        let stream = unsafe frame.hd.stream_id
        // Of a section that the library gave up in its middle.
        releaseSection()
        var lines = HeadText()
        var aside = HeadText()
        let memory = unsafe state.pointee.memory.state
        let pool = unsafe memory.pointee.pool
        unsafe lines.begin(in: memory.pointee.lines)
        unsafe aside.begin(in: memory.pointee.aside)
        unsafe state.pointee.section = ReceivedSection(
            kind(of: stream, frame), SectionBounds(state.pointee.limits), lines: lines, aside: aside, pool)
        unsafe state.pointee.sectionStream = stream
    }

    private func kind(of stream: Int32, _ frame: nghttp2_frame) -> SectionKind {
        if unsafe frame.headers.cat == NGHTTP2_HCAT_REQUEST { return .request }
        if unsafe state.pointee.isServer { return .trailers }
        return unsafe known(stream)?.pointee.hasHead == true ? .trailers : .response
    }

    func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Int32 {
        unsafe state.pointee.section?.add(name.span, value.span)
        return answerToField()
    }

    func addInvalid(_ name: UnsafeBufferPointer<UInt8>, _ valueCount: Int) -> Int32 {
        let isName = unsafe FieldCheck.isName(name.span) || name.first == 0x3a
        unsafe state.pointee.section?.count(name.count &+ valueCount)
        unsafe state.pointee.section?.fail(isName ? .fieldValueMalformed : .fieldNameMalformed)
        return answerToField()
    }

    /// Ends a client's connection at ten times as many fields as there may be.
    ///
    /// A section of sixty thousand references of a byte would else cost milliseconds though nobody looks at them, for the
    /// library decodes a section to its end. An upstream's connection is others' too: there its stream ends alone.
    private func answerToField() -> Int32 {
        guard unsafe state.pointee.section?.isEndless == true else { return 0 }
        guard unsafe state.pointee.isServer else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
        spend(.oversizedHeads)
        return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
    }

    // MARK: Frames

    func received(_ frame: nghttp2_frame) {
        let stream = unsafe frame.hd.stream_id
        let ends = unsafe frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch unsafe nghttp2_frame_type(UInt32(frame.hd.type)) {
        case NGHTTP2_HEADERS: receivedSection(stream, ends: ends)
        case NGHTTP2_DATA:
            if ends, unsafe known(stream) != nil { unsafe state.pointee.events.ended = stream }
        case NGHTTP2_RST_STREAM:
            unsafe tallyReset(frame.rst_stream.error_code, isSent: false)
            guard let kept = unsafe known(stream), unsafe !kept.pointee.isReset else { return }
            unsafe kept.pointee.isReset = true
            unsafe state.pointee.events.reset = stream
            unsafe state.pointee.events.resetCode = frame.rst_stream.error_code
            unsafe state.pointee.events.resetByPeer = true
        case NGHTTP2_PING:
            let isAnswer = unsafe frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
            if isAnswer { unsafe state.pointee.events.pong = true }
        case NGHTTP2_GOAWAY:
            unsafe state.pointee.events.goAway = true
            unsafe state.pointee.events.goAwayCode = frame.goaway.error_code
            unsafe state.pointee.events.goAwayLast = frame.goaway.last_stream_id
        case NGHTTP2_SETTINGS:
            let isAnswer = unsafe frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
            guard !isAnswer else {
                unsafe state.pointee.isAcknowledged = true
                return
            }
            unsafe state.pointee.events.settings = true
            unsafe state.pointee.hasSettings = true
            // They may have made every stream's window another.
            windowGrew(0)
        case NGHTTP2_WINDOW_UPDATE:
            windowGrew(stream)
            guard unsafe state.pointee.isServer else { return }
            unsafe spend(state.pointee.budget.windowUpdate(at: state.pointee.now))
        default: break
        }
    }

    private func receivedSection(_ stream: Int32, ends: Bool) {
        guard unsafe state.pointee.sectionStream == stream, let kind = unsafe state.pointee.section?.kind else {
            return
        }
        unsafe state.pointee.section?.finish()
        if kind == .request {
            let kept = unsafe keep(stream)
            unsafe kept.pointee.isTunnel = state.pointee.section?.isTunnel == true
            // Streams take turns: none waits until another's download has ended (H2-46).
            var turns = nghttp2_extpri(urgency: 3, inc: 1)
            unsafe nghttp2_session_change_extpri_stream_priority(session, stream, &turns, 1)
        }
        unsafe state.pointee.events.head = true
        unsafe state.pointee.events.headStream = stream
        unsafe state.pointee.events.headEnds = ends
    }

    func receivedContent(_ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) {
        guard count > 0 else { return }
        unsafe state.pointee.frameHasContent = true
        guard let kept = unsafe known(stream), unsafe !kept.pointee.isReset else {
            // Nobody will say that it was taken.
            unsafe nghttp2_session_consume_connection(session, count)
            return
        }
        unsafe kept.pointee.outstanding += count
        unsafe state.pointee.events.content = bytes
        unsafe state.pointee.events.contentCount = count
        unsafe state.pointee.events.contentStream = stream
    }

    func closed(_ stream: Int32, _ code: UInt32) {
        guard let kept = unsafe known(stream) else { return }
        unsafe kept.pointee.code = code
        unsafe state.pointee.open.remove(kept)
        unsafe state.pointee.closed.append(kept)
        unsafe state.pointee.openCount -= 1
    }

    func sent(_ frame: nghttp2_frame) {
        let type = unsafe frame.hd.type
        if type == FrameHeader.goAway {
            unsafe noteGoAway(ErrorCode(rawValue: frame.goaway.error_code))
        }
        if type == FrameHeader.resetStream { unsafe tallyReset(frame.rst_stream.error_code, isSent: true) }
        guard type <= FrameHeader.headers else { return }
        guard unsafe state.pointee.isServer else {
            if let kept = unsafe known(frame.hd.stream_id) { unsafe kept.pointee.isSent = true }
            return
        }
        if type == FrameHeader.data {
            unsafe state.pointee.budget.contentSent(frame.hd.length, isDribbled: state.pointee.isDribbled)
        }
        guard unsafe frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
        let stream = unsafe frame.hd.stream_id
        // The answer is whole and the request is not: nobody needs the rest of it (RFC 9113 §8.1).
        guard unsafe nghttp2_session_get_stream_remote_close(session, stream) == 0,
            let kept = unsafe known(stream), unsafe !kept.pointee.isTunnel
        else { return }
        unsafe nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, ErrorCode.noError.rawValue)
    }

    /// Notes why the peer was told that the connection ends.
    ///
    /// What the library says by itself would else be counted nowhere: it goes on to take input, and reads none of it.
    private func noteGoAway(_ code: ErrorCode) {
        unsafe state.pointee.sentGoAway = code
        guard unsafe state.pointee.isServer && state.pointee.fault == nil, code != .noError else { return }
        unsafe state.pointee.fault = .told(code)
    }

    private func tallyReset(_ code: UInt32, isSent: Bool) {
        guard unsafe state.pointee.isServer else { return }
        let memory = unsafe state.pointee.memory.state
        if isSent {
            unsafe memory.pointee.resets.countSent(code)
        } else {
            unsafe memory.pointee.resets.countReceived(code)
        }
    }
}
