import Access
import Bytes
import HTTP2
import HTTPMessage
import Telemetry

/// Fields behind an answer's content: passed by list where the next hop can carry them, dropped elsewhere, and never merged
/// with the head (H2-50).
extension WorkerRef {
    /// Whether the client of the request in `pointee.scratch.head` takes trailers: one of HTTP/2 does, one of HTTP/1.1 that says so
    /// (RFC 9110 §6.5.1).
    func takesTrailers(_ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        guard !client.pointee.part.isStream else { return true }
        let head = pointee.scratch.head
        let index = head.pointee.fields.firstIndex(of: .te)
        guard index >= 0, head.pointee.fields.count(of: .te) == 1 else { return false }
        let range = head.pointee.fields[index].value
        let list = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        var position = 0
        while let member = CommaList.next(in: list.span, from: &position) {
            if ASCII.equalsIgnoringCase(list.span.extracting(member.range), "trailers") { return true }
        }
        return false
    }

    /// Ends the content of an answer that ends with its stream or connection, with the trailers that may follow it.
    func putEnd(_ upstream: UpstreamRef, _ exchange: ExchangeRef, into writer: inout HeadWriter) {
        if let stream = exchange.pointee.client.pointee.part.stream {
            // They are the core's until the stream's content has left.
            var lines = writer
            putTrailers(upstream, exchange, into: &lines)
            guard !lines.isFull else { return dropTrailers(of: upstream, for: .tooLarge) }
            guard lines.count > 0 else { return }
            let bytes = UnsafeBufferPointer(start: UnsafePointer(lines.base), count: lines.count)
            let core = stream.pointee.session.pointee.core
            stream.pointee.hasTrailers = core.submitTrailers(stream.pointee.number, bytes)
            return
        }
        let takesTrailers = exchange.pointee.takesTrailers && exchange.pointee.sendsChunks
        if !takesTrailers { dropTrailers(of: upstream, for: .notCarried) }
        guard exchange.pointee.sendsChunks else { return }
        writer.put("0\r\n")
        if takesTrailers { putTrailers(upstream, exchange, into: &writer) }
        writer.put("\r\n")
    }

    /// Writes those of the upstream's trailers that may reach a client.
    private func putTrailers(_ upstream: UpstreamRef, _ exchange: ExchangeRef, into writer: inout HeadWriter) {
        guard let stream = upstream.stream, !stream.pointee.trailers.isEmpty else { return }
        let trailers = stream.pointee.trailers
        put(
            trailers: UnsafeBufferPointer(start: UnsafePointer(trailers.bytes), count: trailers.count),
            exchange.pointee.findings.route, from: .upstream, into: &writer)
    }

    /// Takes a piece of what is behind the last chunk of an answer of HTTP/1.1, and gives it to a client of HTTP/2 when it is whole;
    /// false where a piece cannot be kept (H2-48).
    ///
    /// To a client of HTTP/1.1 nothing of it goes (HTTP-33).
    ///
    /// - Parameter content: what is about to be sent, behind which the lines are put together.
    func passTrailers(
        _ lines: UnsafeBufferPointer<UInt8>, of exchange: ExchangeRef, behind content: HeadWriter
    ) -> Bool {
        guard let stream = exchange.pointee.client.pointee.part.stream, let first = lines.baseAddress else {
            return true
        }
        var text = lines
        let isWhole = exchange.pointee.response.isComplete
        if !isWhole || !exchange.pointee.responseTrailers.isEmpty {
            guard exchange.pointee.responseTrailers.append(first, lines.count, from: &pointee.connections.buffers)
            else {
                return false
            }
            let kept = exchange.pointee.responseTrailers
            text = UnsafeBufferPointer(start: UnsafePointer(kept.bytes), count: kept.count)
        }
        guard isWhole else { return true }
        var writer = HeadWriter(content.space, capacity: content.capacity - content.count)
        put(trailers: text, exchange.pointee.findings.route, from: .upstream, into: &writer)
        guard !writer.isFull else {
            dropTrailers(text, .response, .tooLarge)
            return true
        }
        guard writer.count > 0 else { return true }
        let bytes = UnsafeBufferPointer(start: UnsafePointer(writer.base), count: writer.count)
        let core = stream.pointee.session.pointee.core
        stream.pointee.hasTrailers = core.submitTrailers(stream.pointee.number, bytes)
        return true
    }

    /// Gives an upstream the fields behind a request's content, where the route says so.
    func passTrailers(_ lines: UnsafeBufferPointer<UInt8>, of stream: StreamRef) {
        guard let exchange = stream.pointee.client?.pointee.exchange, exchange.pointee.trailers.isEmpty,
            let route = exchange.pointee.findings.route
        else { return }
        guard route.pointee.isGRPC || route.pointee.passesRequestTrailers else {
            return dropTrailers(lines, .request, .notEnabled)
        }
        guard exchange.pointee.upstream?.pointee.pool.pointee.version != .http1 else {
            return dropTrailers(lines, .request, .notCarried)
        }
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        put(trailers: lines, route, from: .client, into: &writer)
        guard !writer.isFull else { return dropTrailers(lines, .request, .tooLarge) }
        guard writer.count > 0 else { return }
        // They are kept for a stream that is yet to be opened, be it because the first was refused.
        guard exchange.pointee.trailers.append(writer.base, writer.count, from: &pointee.connections.buffers),
            let upstream = exchange.pointee.upstream?.stream
        else { return }
        let bytes = UnsafeBufferPointer(start: UnsafePointer(writer.base), count: writer.count)
        _ = upstream.pointee.session.pointee.core.submitTrailers(upstream.pointee.number, bytes)
    }

    /// Who wrote trailers.
    private enum Side { case client, upstream }

    /// Writes those of the lines that may pass: none that only the gateway sets, and none that frames, routes, authorises or
    /// describes a message; nor one that the route removes or sets itself (ECO-70).
    private func put(
        trailers text: UnsafeBufferPointer<UInt8>, _ route: FixedValue<Route>?, from side: Side,
        into writer: inout HeadWriter
    ) {
        let changes = route?.pointee.fields
        var line = 0
        while line < text.count {
            let end = text.span.firstIndex(of: 0x0A, from: line, to: text.count) + 1
            let colon = text.span.firstIndex(of: UInt8(ascii: ":"), from: line, to: min(end, text.count))
            guard end <= text.count, colon < end else { return }
            let name = UnsafeBufferPointer(rebasing: text[line..<colon])
            let isDropped =
                changes.map {
                    side == .client
                        ? $0.pointee.dropsRequestField(name.span) : $0.pointee.dropsResponseField(name.span)
                } ?? false
            let reason: TrailerDropReason?
            if isDropped {
                reason = .route
            } else if !TrailerRules.passes(name.span) {
                reason = .forbidden
            } else {
                reason = pointee.policy.routes.reservedNames.pointee.contains(name.span) ? .reserved : nil
            }
            if let reason {
                pointee.journal.metrics.countTrailers(side == .client ? .request : .response, reason, 1)
            } else {
                writer.put(UnsafeBufferPointer(rebasing: text[line..<end]))
            }
            line = end
        }
    }

    // MARK: What is counted of those that do not pass

    /// Counts all of these lines as dropped.
    private func dropTrailers(
        _ lines: UnsafeBufferPointer<UInt8>, _ direction: TrailerDirection, _ reason: TrailerDropReason
    ) {
        pointee.journal.metrics.countTrailers(direction, reason, lines.count { $0 == 0x0A })
    }

    /// The same of those that an upstream has sent by HTTP/2.
    private func dropTrailers(of upstream: UpstreamRef, for reason: TrailerDropReason) {
        guard let stream = upstream.stream, !stream.pointee.trailers.isEmpty else { return }
        let trailers = stream.pointee.trailers
        dropTrailers(UnsafeBufferPointer(start: trailers.bytes, count: trailers.count), .response, reason)
    }

    /// Counts those behind the chunks of HTTP/1.1, of which no request's pass, and no answer's to HTTP/1.1 (HTTP-33).
    func countTrailersInChunks(_ exchange: ExchangeRef) {
        pointee.journal.metrics.countTrailers(.request, .notCarried, exchange.pointee.request.trailerLines)
        guard !exchange.pointee.client.pointee.part.isStream else { return }
        pointee.journal.metrics.countTrailers(.response, .notCarried, exchange.pointee.response.trailerLines)
    }

    /// Shows what was counted of those that messages of HTTP/2 were rebuilt without.
    func showTrailers() {
        guard let tally = pointee.connections.http2.frames.memory?.droppedTrailers else { return }
        pointee.journal.metrics.setTrailers(.request, to: tally.ofRequests)
        pointee.journal.metrics.setTrailers(.response, to: tally.ofResponses)
    }
}
