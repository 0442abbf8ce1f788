import Bytes
import CNGHTTP2

extension Session {
    /// The next event that is recorded for a client, in the order in which it happened.
    func clientEvent() -> ClientEvent? {
        if let taken = takeSection(), let event = unsafe clientHead(taken.stream, taken.section, ends: taken.ends) {
            return unsafe event
        }
        if let event = unsafe streamEvent() { return unsafe client(event) }
        if unsafe state.pointee.events.settings {
            unsafe state.pointee.events.settings = false
            return unsafe .settings
        }
        if unsafe state.pointee.events.pong {
            unsafe state.pointee.events.pong = false
            return unsafe .pong
        }
        if unsafe state.pointee.events.goAway {
            unsafe state.pointee.events.goAway = false
            unsafe state.pointee.isEnding = true
            return unsafe .goAway(ErrorCode(rawValue: state.pointee.events.goAwayCode))
        }
        guard let closed = unsafe takeClosed() else { return nil }
        return unsafe .closed(
            stream: closed.stream, place: closed.place, closed.code, mayRepeat: closed.mayRepeat)
    }

    private func clientHead(_ stream: Int32, _ section: ReceivedSection, ends: Bool) -> ClientEvent? {
        guard let kept = unsafe kept(stream), unsafe !kept.pointee.isReset else { return nil }
        let place = unsafe kept.pointee.place
        if section.kind == .trailers {
            guard let event = unsafe trailers(stream, section) else { return nil }
            return unsafe client(event)
        }
        if let fault = section.fault {
            reset(stream, .protocolError)
            return unsafe .malformed(stream: stream, place: place, fault)
        }
        let head = unsafe section.lines.buffer
        // The rebuilt line has its status at a fixed place; those of 1xx are followed by another head.
        if unsafe head[9] == 0x31 {
            guard !ends else {
                reset(stream, .protocolError)
                return unsafe .malformed(stream: stream, place: place, .statusInvalid)
            }
            return unsafe .interim(stream: stream, place: place, head: head)
        }
        unsafe kept.pointee.hasHead = true
        return unsafe .response(stream: stream, place: place, head: head, hasBody: !ends)
    }

    private func client(_ event: StreamEvent) -> ClientEvent {
        switch unsafe event {
        case .content(let stream, let place, let bytes): unsafe .content(stream: stream, place: place, bytes)
        case .trailers(let stream, let place, let lines): unsafe .trailers(stream: stream, place: place, lines)
        case .ended(let stream, let place): unsafe .ended(stream: stream, place: place)
        case .reset(let stream, let place, let code, let byPeer):
            unsafe .reset(stream: stream, place: place, code, byPeer: byPeer)
        }
    }

    /// Streams that may be opened now (H2-77).
    var room: Int {
        guard unsafe !state.pointee.isEnding && state.pointee.fault == nil,
            unsafe nghttp2_session_check_request_allowed(session) != 0
        else { return 0 }
        return unsafe max(0, mostStreams - state.pointee.openCount)
    }

    /// Whether few numbers of streams are left.
    var isNearlySpent: Bool { unsafe nghttp2_session_get_next_stream_id(session) > UInt32(Int32.max - 1 << 20) }

    /// Streams that may be open at once: as many as the peer allows, and no more than when it has said nothing.
    var mostStreams: Int {
        let most = unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        return min(Int(most), ClientConnection.mostStreams)
    }

    /// Queues the head of a request; its stream, or nil when there is no room or the head is none.
    func submitRequest(
        _ head: UnsafeBufferPointer<UInt8>, ends: Bool, opensTunnel: Bool, _ place: UnsafeMutableRawPointer?
    ) -> Int32? {
        guard room > 0 else { return nil }
        let lineEnd = unsafe head.span.firstIndex(of: 0x0d, from: 0, to: head.count)
        let methodEnd = unsafe head.span.firstIndex(of: 0x20, from: 0, to: lineEnd)
        // ` HTTP/1.1` ends the line.
        guard methodEnd > 0, methodEnd + 1 < lineEnd - 9 else { return nil }
        let target = unsafe UnsafeBufferPointer(rebasing: head[(methodEnd + 1)..<(lineEnd - 9)])
        let method = unsafe UnsafeBufferPointer(rebasing: head[..<methodEnd])
        // A fragment is refused by whoever parses a request: ours is parsed by nobody here.
        guard unsafe FieldCheck.isPath(target.span, method: method.span),
            unsafe target.span.firstIndex(of: 0x23, from: 0, to: target.count) == target.count,
            unsafe FieldCheck.isMethod(method.span),
            let authority = unsafe Self.authority(head, from: lineEnd + 2)
        else { return nil }
        var sent = SentHead(unsafe state.pointee.memory)
        let isTLS = unsafe state.pointee.limits.scheme != .http
        if opensTunnel {
            guard sent.add(":method", "CONNECT"), sent.add(":protocol", "websocket") else { return nil }
        } else {
            guard unsafe sent.add(":method", method) else { return nil }
        }
        guard sent.add(":scheme", isTLS ? "https" : "http"), unsafe sent.add(":authority", authority),
            unsafe sent.add(":path", target),
            unsafe sent.addLines(head, from: lineEnd + 2, LineRules(isRequest: true, isTunnel: opensTunnel))
        else { return nil }
        // A peer that would not read it may end the connection, which is others' too (H2-77).
        let most = unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE)
        guard sent.listSize <= Int(most) else { return nil }
        return unsafe submit(sent, ends: ends && !opensTunnel, place)
    }

    private func submit(_ sent: SentHead, ends: Bool, _ place: UnsafeMutableRawPointer?) -> Int32? {
        let block = unsafe state.pointee.memory.pool.take(MemoryLayout<StreamState>.size)
        let kept = unsafe block.bindMemory(to: StreamState.self, capacity: 1)
        // The number is known when it was submitted.
        unsafe kept.initialize(to: StreamState(0))
        unsafe kept.pointee.isSent = false
        unsafe kept.pointee.place = place
        var provider = unsafe provider(kept)
        let stream =
            ends
            ? unsafe nghttp2_submit_request(session, nil, sent.first, sent.count, nil, block)
            : unsafe nghttp2_submit_request(session, nil, sent.first, sent.count, &provider, block)
        guard stream > 0 else {
            unsafe free(kept)
            return nil
        }
        unsafe kept.pointee.stream = stream
        unsafe state.pointee.open.append(kept)
        unsafe state.pointee.openCount += 1
        return stream
    }

    /// The value of the one Host line.
    private static func authority(_ head: UnsafeBufferPointer<UInt8>, from start: Int) -> UnsafeBufferPointer<UInt8>? {
        var line = start
        while line < head.count {
            let end = unsafe head.span.firstIndex(of: 0x0d, from: line, to: head.count)
            if unsafe end - line > 5 && ASCII.equalsIgnoringCase(head.span.extracting(line..<(line + 5)), "host:") {
                var from = line + 5
                while from < end, unsafe head[from] == 0x20 { from += 1 }
                return unsafe UnsafeBufferPointer(rebasing: head[from..<end])
            }
            line = end + 2
        }
        return nil
    }
}
