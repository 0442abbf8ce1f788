import Access
import EventLoop
import HTTP1
import HTTP2
import HTTPMessage
import Telemetry
import Transport

/// From readable bytes to the start of an exchange.
extension WorkerRef {
    func clientReadable(_ client: ClientRef) {
        switch client.pointee.state {
        case .closed: client.stopReading()
        case .awaitingProxyHeader: readProxyHeader(client)
        // The answer before is taken first: what follows waits in the kernel, and so does the peer's end.
        case .awaitingHead:
            // A handshake takes as long as many requests.
            if client.pointee.isHandshaking { sendRequests() }
            if !client.pointee.hasOutput { readHead(client) } else { client.stopReading() }
            if client.pointee.isHandshaking, !client.pointee.stream.isHandshaking { endHandshake(client) }
        case .exchanging: readDuringExchange(client)
        case .discardingBody: readDiscarded(client)
        case .lingering: linger(client)
        case .tunnelling: tunnelFromClient(client)
        case .multiplexing: receiveFrames(client)
        }
        // What TLS holds already makes no socket readable: look again in the loop's next turn.
        if client.pointee.isReading, client.pointee.stream.hasBufferedBytes {
            FileEvent.activate(client.readEvent, .read)
        }
    }

    /// Reads at the start of a message, into the scratch when nothing of it is at hand yet.
    private func readHead(_ client: ClientRef) {
        if client.pointee.isHeadTimed, client.pointee.stream.awaitsHello { seeClearText(client) }
        if client.pointee.input.isEmpty {
            let count = client.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
            guard count > 0 else { return clientReadStopped(client, count) }
            guard !client.pointee.part.isUndecided || readsHTTP1(client, pointee.scratch.read, count, isKept: false)
            else {
                return
            }
            understand(client, pointee.scratch.read, count, isKept: false)
        } else {
            guard receiveMore(client) else { return }
            let input = client.pointee.input
            guard !client.pointee.part.isUndecided || readsHTTP1(client, input.bytes, input.count, isKept: true) else {
                return
            }
            understand(client, client.pointee.input.bytes, client.pointee.input.count, isKept: true)
        }
        runInput(client)
    }

    /// Appends what the socket has to the client's input; false when that was nothing.
    private func receiveMore(_ client: ClientRef) -> Bool {
        // Near the bound byte by byte: the next size of memory is for what is no head (HTTP-66).
        let isNearBound = client.pointee.input.count > Scratch.headBytes - 4096
        guard client.pointee.input.reserve(isNearBound ? 1 : 4096, from: &pointee.connections.buffers) else {
            closeClient(client)
            return false
        }
        let input = client.pointee.input
        let count = client.read(into: input.space, capacity: min(input.room, Scratch.readCapacity))
        guard count > 0 else {
            clientReadStopped(client, count)
            return false
        }
        client.pointee.input.end += count
        return true
    }

    /// Nothing was read at the start of a message: not now, the peer's end, or a broken connection.
    private func clientReadStopped(_ client: ClientRef, _ outcome: Int) {
        switch outcome {
        case ByteStream.wantsRead: break
        case ByteStream.wantsWrite: client.startWriting()
        default:
            if client.pointee.stream.isHandshaking {
                handshakeFailed(client, HandshakeReason(outcome == ByteStream.failed ? .take() : .closed))
            }
            closeClient(client)
        }
    }

    /// Reads the head in `bytes`, the first `count` of which are at hand; `isKept` says that they are the input's.
    func understand(_ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool) {
        let span = UnsafeBufferPointer(start: bytes, count: count).span
        switch client.pointee.parser.parse(span, limits: pointee.policy.httpLimits, into: &pointee.scratch.head.pointee)
        {
        case .incomplete where count >= Scratch.headBytes:
            let exchange = beginExchange(client, bytes, isParsed: false)
            exchange.pointee.reader = reader(ofUnread: bytes, count)
            dropInput(client)
            answer(
                exchange,
                refused: Refused(
                    .headerSectionTooLarge, expected: "a head within \(Scratch.headBytes) bytes", found: "a longer one")
            )
        case .incomplete:
            if !isKept, !client.pointee.input.append(bytes, count, from: &pointee.connections.buffers) {
                return closeClient(client)
            }
            if !client.pointee.isHeadTimed {
                // From the first byte of a head to its end: not renewed by a byte now and then (HTTP-66).
                client.pointee.isHeadTimed = true
                setTimeout(client.timeout, pointee.policy.timeouts.requestHead)
            }
        case .refused(let cause):
            let exchange = beginExchange(client, bytes, isParsed: false)
            exchange.pointee.reader = reader(ofUnread: bytes, count)
            dropInput(client)
            let refused = refusal(of: cause)
            // As one that its own core has refused (H2-52). What else the parser finds in a target counts over no version: a proxy
            // passes it on for whomever, and all of its clients would lose their connection.
            if cause == .targetFragment, let stream = client.pointee.part.stream {
                stream.pointee.session.pointee.core.countMalformed()
            }
            answer(exchange, refused: refused)
        case .complete:
            adoptFraming(client)
            let exchange = beginExchange(client, bytes, isParsed: true)
            proceed(exchange, bytes, count, isKept: isKept)
        }
    }

    /// The refusal of a message that is not acceptable HTTP, with the words for the operator.
    func refusal(of cause: HTTP1Refusal) -> Refused {
        let (refusal, detail) = cause.refused(by: pointee.policy.httpLimits)
        return Refused(refusal, detail)
    }

    /// Goes on with requests that arrived already, one after the other (HTTP-36); not by recursion.
    func runInput(_ client: ClientRef) {
        guard !client.pointee.isRunning else { return }
        client.pointee.isRunning = true
        while client.pointee.state == .awaitingHead, !client.pointee.input.isEmpty, !client.pointee.hasOutput,
            !client.pointee.closesAfterOutput
        {
            let before = client.pointee.input.count
            client.pointee.parser.reset()
            understand(client, client.pointee.input.bytes, before, isKept: true)
            if client.pointee.state == .awaitingHead, client.pointee.input.count == before { break }
        }
        client.pointee.isRunning = false
        guard client.pointee.state == .awaitingHead else { return }
        // Nothing more will come.
        if client.pointee.sawEnd, !client.pointee.closesAfterOutput, !client.pointee.hasOutput {
            return closeClient(client)
        }
        client.startReading()
    }

    /// The request whose head waits in the input is looked at once more, after what it waited for arrived.
    func runKeptRequest(_ client: ClientRef, _ exchange: ExchangeRef) {
        client.pointee.parser.reset()
        let bytes = client.pointee.input.bytes
        let count = client.pointee.input.count
        let span = UnsafeBufferPointer(start: bytes, count: count).span
        let head = client.pointee.parser.parse(
            span, limits: pointee.policy.httpLimits, into: &pointee.scratch.head.pointee)
        client.pointee.isRunning = true
        switch head {
        // It was the whole of a head before.
        case .incomplete: closeClient(client)
        // A reload has lowered a limit while it waited.
        case .refused(let cause):
            dropInput(client)
            answer(exchange, refused: refusal(of: cause))
        case .complete:
            adoptFraming(client)
            proceed(exchange, bytes, count, isKept: true)
        }
        client.pointee.isRunning = false
        runInput(client)
    }

    func beginExchange(
        _ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>, isParsed: Bool
    ) -> ExchangeRef {
        let exchange = pointee.connections.exchanges.take(
            Exchange(
                client, id: pointee.journal.told.identifiers.next(), generation: pointee.policy.generation,
                startedAt: clock.microseconds()))
        client.pointee.exchange = exchange
        client.pointee.state = .exchanging
        client.pointee.isHeadTimed = false
        client.pointee.pace.stop()
        clearTimeout(client.timeout)
        if traces { beginTrace(exchange, isParsed ? bytes : nil) }
        guard isParsed else { return exchange }
        let head = pointee.scratch.head
        exchange.pointee.method = head.pointee.methodID
        exchange.pointee.isHTTP10 = head.pointee.minorVersion == 0
        exchange.pointee.keepsAlive =
            head.pointee.keepAlive && !pointee.listening.isDraining && !client.pointee.endsSoon
            && !client.pointee.part.isStream
        exchange.pointee.expectsContinue = head.pointee.expectContinue
        exchange.pointee.request = BodyCounter(head.pointee.framing)
        exchange.pointee.reader = reader(exchange, bytes)
        if head.pointee.fields.count(of: .xForwardedFor) > 0 { exchange.pointee.address = clientAddress(client, bytes) }
        keepForLog(exchange, bytes)
        return exchange
    }

    /// Leaves in the input what came behind the head.
    func keepRest(_ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool) {
        let length = pointee.scratch.head.pointee.length
        if isKept {
            client.pointee.input.consume(length, to: &pointee.connections.buffers)
        } else if count > length,
            !client.pointee.input.append(bytes + length, count - length, from: &pointee.connections.buffers)
        {
            // A read of scratch size always fits.
            client.pointee.closesAfterOutput = true
        }
    }

    /// A head that does not end in time: 408, then the end (HTTP-66).
    func headTimedOut(_ client: ClientRef) {
        let exchange = beginExchange(client, client.pointee.input.bytes, isParsed: false)
        dropInput(client)
        answer(
            exchange,
            refused: Refused(
                .requestHeadTooSlow, expected: "a head within \(pointee.policy.timeouts.requestHead) ms",
                found: "part of one"))
    }

    func dropInput(_ client: ClientRef) { client.pointee.input.release(to: &pointee.connections.buffers) }
}
