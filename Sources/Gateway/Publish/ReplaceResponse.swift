import Access
import HTTP1
import HTTPMessage
import Pages
import Transport

extension Worker {
    /// What of a response that nobody gets is read all the same, in bytes: more than that costs more than a connection.
    static let drainLimit = 64 << 10
}

/// Pages of ours in the place of responses of an upstream, where the route names their statuses.
extension WorkerRef {
    /// Whether a page of ours is shown in the place of a response of the route's upstream.
    func replaces(_ status: UInt16, _ exchange: ExchangeRef) -> Bool {
        guard exchange.pointee.reader.isNavigation, let route = exchange.pointee.findings.route else { return false }
        return route.pointee.settings.replacedStatuses.contains(status)
    }

    /// Answers with a page in the place of the upstream's response, whose head is in `pointee.scratch.responseHead` and of which
    /// `count` bytes are there.
    ///
    /// Nothing of that is left but the status, the time after which to ask again, and what a 405 has to say.
    func replaceResponse(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int
    ) {
        let status = pointee.scratch.responseHead.pointee.status
        let retry = retryAfter(bytes)
        var fields = retry.fields
        // RFC 9110 §15.5.6: a 405 says what would be allowed.
        if status == 405 { fields += allowedMethods(bytes) }
        exchange.pointee.upstream = nil
        dropResponse(upstream, exchange, count - pointee.scratch.responseHead.pointee.length)
        let topic = PageTopic(upstreamStatus: status)
        exchange.pointee.replacedBy = topic
        let isAgain = status == 408 || status == 429 || status >= 500
        answerPage(
            exchange, status: status, topic,
            isAgain && exchange.pointee.method == .get ? [.sameAgain] : [], fields: fields,
            notBefore: retry.seconds)
    }

    /// Reads what is left of a replaced response, and gives its connection back to the pool.
    func drain(_ upstream: UpstreamRef) {
        let count = upstream.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
        switch count {
        case 1...: drained(upstream, count)
        case ByteStream.wantsRead: break
        case ByteStream.wantsWrite: upstream.startWriting()
        default: closeUpstream(upstream)
        }
    }

    /// So much more of it has come; bytes behind it would be somebody else's response (HTTP-40).
    private func drained(_ upstream: UpstreamRef, _ count: Int) {
        upstream.pointee.draining -= count
        if upstream.pointee.draining == 0 { return release(upstream, isReusable: true) }
        if upstream.pointee.draining < 0 { closeUpstream(upstream) }
    }

    /// Keeps the connection of a response that nobody gets, where its rest is short and its length is known.
    ///
    /// Not one that is for one client's connection: it would be read still when that has ended.
    private func dropResponse(_ upstream: UpstreamRef, _ exchange: ExchangeRef, _ count: Int) {
        upstream.pointee.exchange = nil
        upstream.pointee.input.release(to: &pointee.connections.buffers)
        guard let length = bodyLength, length <= Worker.drainLimit, pointee.scratch.responseHead.pointee.keepAlive,
            exchange.pointee.request.isComplete, !upstream.pointee.hasOutput, !pointee.listening.isDraining,
            !upstream.pointee.isShared, upstream.pointee.owner == nil
        else {
            if !exchange.pointee.request.isComplete { upstream.resetOnClose() }
            return closeUpstream(upstream)
        }
        upstream.pointee.state = .draining
        upstream.pointee.draining = length
        setTimeout(upstream.timeout, pointee.policy.timeouts.upstreamIdle)
        upstream.startReading()
        drained(upstream, count)
    }

    /// How long the response's body is, where its head says it.
    private var bodyLength: Int? {
        switch pointee.scratch.responseHead.pointee.framing {
        case .none: 0
        case .length(let length): Int(clamping: length)
        case .chunked, .untilClose: nil
        }
    }

    private func retryAfter(_ bytes: UnsafeMutablePointer<UInt8>) -> (fields: [(String, String)], seconds: Int) {
        let place = pointee.scratch.responseHead.pointee.fields.firstIndex(of: .retryAfter)
        guard place >= 0 else { return ([], 0) }
        let text = text(pointee.scratch.responseHead.pointee.fields[place].value, bytes)
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return ([], 0)
        }
        return ([("Retry-After", text)], Int(text) ?? 0)
    }

    private func allowedMethods(_ bytes: UnsafeMutablePointer<UInt8>) -> [(String, String)] {
        let head = pointee.scratch.responseHead
        return (0..<head.pointee.fields.count).compactMap { index in
            let field = head.pointee.fields[index]
            return field.id == .allow ? ("Allow", text(field.value, bytes)) : nil
        }
    }

    private func text(_ range: ByteRange, _ bytes: UnsafeMutablePointer<UInt8>) -> String {
        String(
            decoding: UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count)), as: UTF8.self)
    }
}
