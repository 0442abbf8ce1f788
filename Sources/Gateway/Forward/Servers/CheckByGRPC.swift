import Access
import HTTP2
import Transport

typealias GRPCCheckRef = UnsafeMutablePointer<GRPCCheck>

/// A server that is asked by gRPC whether it is well, on a connection of its own.
struct GRPCCheck {
    /// Bytes that may come on it: SETTINGS, an answer and its fields have room many times.
    static let most = 64 << 10

    let core: HTTP2.ClientConnection
    /// What is yet to be sent behind the head.
    fileprivate var question: ArraySlice<UInt8>
    fileprivate var answer = GRPCHealthAnswer()
    fileprivate var received = 0

    fileprivate init(_ core: HTTP2.ClientConnection, _ question: [UInt8]) {
        self.core = core
        self.question = question[...]
    }

    fileprivate static var source: ContentSource {
        ContentSource(
            available: { place, most in
                let count = place.assumingMemoryBound(to: GRPCCheck.self).pointee.question.count
                return count == 0 ? .ended(trailersFollow: false) : .bytes(count, ends: count <= most)
            },
            copy: { place, target, count in
                let check = place.assumingMemoryBound(to: GRPCCheck.self)
                for (index, byte) in check.pointee.question.prefix(count).enumerated() { target[index] = byte }
                check.pointee.question = check.pointee.question.dropFirst(count)
            })
    }
}

extension GRPCCheckRef {
    /// Frees it with its connection's frames.
    func end() {
        pointee.core.destroy()
        deinitialize(count: 1)
        deallocate()
    }
}

/// Asks servers whether they are well by gRPC's own protocol for that (H2-92).
extension WorkerRef {
    /// The connection is open: the call.
    func sendGRPCCheck(_ upstream: UpstreamRef, about service: String, host: String, _ timeout: Int) {
        let isSecure = upstream.pointee.stream.tls != nil
        // Whoever has not agreed on HTTP/2 cannot be asked so.
        guard !isSecure || upstream.pointee.stream.speaksHTTP2 else { return closeUpstream(upstream) }
        var limits = ConnectionLimits()
        limits.scheme = isSecure ? .https : .http
        guard let memory = pointee.connections.http2.frames.memory,
            let core = HTTP2.ClientConnection(limits, memory: memory, source: GRPCCheck.source)
        else { return closeUpstream(upstream) }
        let check = GRPCCheckRef.allocate(capacity: 1)
        check.initialize(to: GRPCCheck(core, GRPCHealthAnswer.question(about: service)))
        upstream.pointee.part = .grpcCheck(check)
        let head = Array(
            ("POST \(GRPCHealthAnswer.path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/grpc\r\n"
                + "TE: trailers\r\ngrpc-timeout: \(timeout)m\r\nUser-Agent: portcullis\r\n\r\n").utf8)
        let stream = head.withUnsafeBufferPointer {
            core.submitHead($0, ends: false, place: UnsafeMutableRawPointer(check))
        }
        guard stream != nil else { return closeUpstream(upstream) }
        flushGRPCCheck(upstream, check)
    }

    /// Sends what there is to be sent: the call, and what HTTP/2 owes its peer.
    func flushGRPCCheck(_ upstream: UpstreamRef, _ check: GRPCCheckRef) {
        let output = withUnsafeMutablePointer(to: &upstream.pointee.output) { $0 }
        let core = check.pointee.core
        switch writeFrames(to: upstream.pointee.stream, output, { core.send(into: $0) }) {
        case .none: closeUpstream(upstream)
        case .some: upstream.startWriting()
        case .all: upstream.stopWriting()
        }
    }

    /// Something of the answer has come.
    func readGRPCCheck(_ upstream: UpstreamRef, _ check: GRPCCheckRef) {
        let bytes = pointee.connections.http2.frames.bytes
        let count = upstream.pointee.stream.read(into: bytes, capacity: Frames.recordSize)
        if count == ByteStream.wantsRead { return }
        if count == ByteStream.wantsWrite { return upstream.startWriting() }
        guard count > 0 else { return closeUpstream(upstream) }
        check.pointee.received += count
        guard check.pointee.received <= GRPCCheck.most else { return closeUpstream(upstream) }
        let core = check.pointee.core
        core.receive(UnsafeBufferPointer(start: bytes, count: count), now: clock.microseconds())
        while let event = core.nextEvent() {
            if let isWell = follow(event, check) { return endGRPCCheck(upstream, check, isWell: isWell) }
        }
        guard core.fault == nil else { return closeUpstream(upstream) }
        flushGRPCCheck(upstream, check)
    }

    /// What an event makes of the check; nil where it goes on.
    private func follow(_ event: ClientEvent, _ check: GRPCCheckRef) -> Bool? {
        switch event {
        case .response(_, _, let head, let hasBody):
            check.pointee.answer.head(UnsafeBufferPointer(head).span)
            // An answer of a head alone has no message.
            return hasBody ? nil : false
        case .content(let stream, _, let bytes):
            check.pointee.answer.content(bytes.span)
            check.pointee.core.taken(stream, bytes.count)
            return check.pointee.answer.isTooLong ? false : nil
        case .trailers(_, _, let lines):
            check.pointee.answer.trailers(lines.span)
            return nil
        case .ended: return check.pointee.answer.isServing
        case .malformed, .reset, .closed: return false
        case .interim, .settings, .pong, .goAway: return nil
        }
    }

    private func endGRPCCheck(_ upstream: UpstreamRef, _ check: GRPCCheckRef, isWell: Bool) {
        check.end()
        upstream.pointee.part = .check(isWell: isWell)
        closeUpstream(upstream)
    }
}
