import Bytes
import CNGHTTP2

extension Session {
    /// The next event that is recorded for a server, in the order in which it happened.
    func serverEvent() -> ServerEvent? {
        if let taken = takeSection(), let event = unsafe serverHead(taken.stream, taken.section, ends: taken.ends) {
            return unsafe event
        }
        let malformed = unsafe state.pointee.events.malformed
        if malformed != 0 {
            unsafe state.pointee.events.malformed = 0
            return unsafe .malformed(stream: malformed)
        }
        if let event = unsafe streamEvent() { return unsafe server(event) }
        if unsafe state.pointee.events.pong {
            unsafe state.pointee.events.pong = false
            return unsafe .pong
        }
        if unsafe state.pointee.events.goAway {
            unsafe state.pointee.events.goAway = false
            return unsafe .goAway(ErrorCode(rawValue: state.pointee.events.goAwayCode))
        }
        guard let closed = unsafe takeClosed() else { return nil }
        return unsafe .closed(stream: closed.stream, place: closed.place, closed.code)
    }

    private func serverHead(_ stream: Int32, _ section: ReceivedSection, ends: Bool) -> ServerEvent? {
        if section.kind == .trailers {
            guard let event = unsafe trailers(stream, section) else { return nil }
            return unsafe server(event)
        }
        if let fault = section.fault {
            if fault.isTooLarge { unsafe spend(state.pointee.budget.oversizedHead()) } else { countMalformed() }
            return unsafe .refused(stream: stream, fault, head: section.lines.buffer, hasBody: !ends)
        }
        return unsafe .request(
            stream: stream, head: section.lines.buffer, hasBody: !ends, isTunnel: section.isTunnel)
    }

    private func server(_ event: StreamEvent) -> ServerEvent {
        switch unsafe event {
        case .content(let stream, let place, let bytes): unsafe .content(stream: stream, place: place, bytes)
        case .trailers(let stream, let place, let lines): unsafe .trailers(stream: stream, place: place, lines)
        case .ended(let stream, let place): unsafe .ended(stream: stream, place: place)
        case .reset(let stream, let place, let code, let byPeer):
            unsafe .reset(stream: stream, place: place, code, byPeer: byPeer)
        }
    }

    /// Queues the head of an answer; false when the stream is gone or the head is none.
    func submitResponse(_ stream: Int32, _ head: UnsafeBufferPointer<UInt8>, ends: Bool) -> Bool {
        guard let kept = unsafe known(stream), unsafe !kept.pointee.isReset && !kept.pointee.hasHead else {
            return false
        }
        // `HTTP/1.1 200`, then perhaps a reason.
        guard head.count >= 14, let status = unsafe Self.status(head) else { return false }
        let isTunnel = unsafe kept.pointee.isTunnel
        guard status != 101 || isTunnel else { return false }
        let lineEnd = unsafe head.span.firstIndex(of: 0x0a, from: 0, to: head.count)
        var sent = SentHead(unsafe state.pointee.memory)
        let added =
            status == 101
            ? Self.switched.withUTF8Buffer { unsafe sent.add(":status", $0) }
            : unsafe sent.add(":status", UnsafeBufferPointer(rebasing: head[9..<12]))
        guard added, unsafe sent.addLines(head, from: lineEnd + 1, LineRules(isTunnel: isTunnel)) else { return false }
        if status < 200, status != 101 {
            return unsafe nghttp2_submit_headers(session, 0, stream, nil, sent.first, sent.count, nil) == 0
        }
        unsafe kept.pointee.hasHead = true
        unsafe kept.pointee.isTunnel = status == 101
        guard !ends else { return unsafe nghttp2_submit_response(session, stream, sent.first, sent.count, nil) == 0 }
        var provider = unsafe provider(kept)
        return unsafe nghttp2_submit_response(session, stream, sent.first, sent.count, &provider) == 0
    }

    private static let switched: StaticString = "200"

    private static func status(_ head: UnsafeBufferPointer<UInt8>) -> Int? {
        var status = 0
        for index in 9..<12 {
            guard unsafe ASCII.isDigit(head[index]) else { return nil }
            status = unsafe status * 10 + Int(head[index] - 0x30)
        }
        return status >= 100 ? status : nil
    }
}
