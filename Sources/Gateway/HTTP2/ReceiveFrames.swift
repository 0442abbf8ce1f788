import Access
import Bytes
import Crypto
import HTTP1
import HTTP2
import HTTPMessage
import Telemetry
import Transport

/// From frames to requests, and to what follows them.
extension WorkerRef {
    /// Goes on by HTTP/2, beginning with what is in the memory of frames.
    func beginHTTP2(_ client: ClientRef, _ count: Int) {
        guard let memory = pointee.connections.http2.frames.memory,
            case let limits = limits(of: client),
            let core = ServerConnection(limits, memory: memory, source: HTTP2Stream.source)
        else { return closeClient(client) }
        let session = makeSession(client, core, mostExchanges: limits.streams)
        client.pointee.part = .session(session)
        client.pointee.state = .multiplexing
        client.pointee.isHeadTimed = false
        setClock(session)
        // While the gateway drains, the end begins with the first stream: a client may ask nothing before it has our SETTINGS.
        if client.pointee.endsSoon, !pointee.listening.isDraining { endSoon(session, .reload) }
        receive(session, pointee.connections.http2.frames.bytes, count)
    }

    /// What the peer may do, by the listener that it came to.
    func limits(of client: ClientRef) -> ConnectionLimits {
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        let peer = client.pointee.peer
        var limits = ConnectionLimits()
        limits.headerList = min(limits.headerList, pointee.policy.httpLimits.headerSection)
        limits.fieldCount = pointee.policy.httpLimits.fieldCount
        limits.streams = pointee.policy.limits.streams
        // As it was announced it stays, for as long as the connection lives, whatever a reload says of routes (RFC 8441 §3).
        limits.announcesTunnels =
            !listener.pointee.redirects && pointee.policy.tables.hasWebSockets(at: Int(client.pointee.listener))
        // What has come and is not taken yet waits in one buffer.
        limits.admittedWindow = pointee.policy.limits.streamWindow
        limits.connectionWindow = pointee.policy.limits.connectionWindow
        if client.pointee.stream.tls == nil {
            // Who ends TLS in front of us may say what its clients see (H2-26).
            let isTrusted = listener.pointee.proxies.contains(peer) || listener.pointee.terminators.contains(peer)
            limits.scheme = isTrusted ? .either : .http
        }
        return wasCalmed(client) ? limits.afterCalm() : limits
    }

    /// Reads frames off the client's socket.
    func receiveFrames(_ client: ClientRef) {
        guard let session = client.pointee.part.session, !session.pointee.isBroken else { return closeClient(client) }
        // What was read before is seen to first.
        guard client.pointee.input.isEmpty else { return client.stopReading() }
        let bytes = pointee.connections.http2.frames.bytes
        var (count, last) = (0, 0)
        repeat {
            last = client.pointee.stream.read(into: bytes + count, capacity: Frames.capacity - count)
            count += max(0, last)
            // Behind a record that could not be larger the next one waits, most likely: what comes together goes on together.
        } while last == Frames.recordSize && Frames.capacity - count >= Frames.recordSize
        if count > 0 { receive(session, bytes, count) }
        guard client.pointee.state == .multiplexing else { return }
        switch last {
        case 1..., ByteStream.wantsRead: break
        case ByteStream.wantsWrite: client.startWriting()
        default: closeClient(client)
        }
    }

    /// Sees to frames, to so many at most; the rest is kept for the loop's next turn (H2-54).
    private func receive(_ session: SessionRef, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        session.pointee.workLeft = HTTP2Session.workAtOnce
        session.pointee.core.receive(UnsafeBufferPointer(start: bytes, count: count), now: clock.microseconds())
        followEvents(session)
        noteSection(session)
        let client = session.pointee.client
        let unread = session.pointee.core.unread
        if session.pointee.core.fault != nil {
            stopTaking(session)
        } else if client.pointee.input.isEmpty {
            guard client.pointee.input.append(bytes + (count - unread), unread, from: &pointee.connections.buffers)
            else { return closeClient(client) }
        } else {
            client.pointee.input.consume(count - unread, to: &pointee.connections.buffers)
        }
        if unread > 0, session.pointee.core.fault == nil, client.pointee.state == .multiplexing,
            session.pointee.goesUnsent + 1 < HTTP2Session.goesTogether
        {
            session.pointee.goesUnsent += 1
            client.stopReading()
            return queue(session)
        }
        session.pointee.goesUnsent = 0
        sendFrames(session)
    }

    /// The connection is at its end by a fault: nobody looks at what its peer sends now.
    func stopTaking(_ session: SessionRef) {
        sayEnded(session)
        dropInput(session.pointee.client)
        session.pointee.client.stopReading()
    }

    /// What one turn of the loop does for a connection that asked for it.
    func goOn(_ session: SessionRef) {
        let client = session.pointee.client
        guard !session.pointee.isAtWork, client.pointee.state == .multiplexing else { return }
        guard !session.pointee.isBroken else { return closeClient(client) }
        if !client.pointee.input.isEmpty {
            return receive(session, client.pointee.input.bytes, client.pointee.input.count)
        }
        session.pointee.workLeft = HTTP2Session.workAtOnce
        followEvents(session)
        sendFrames(session)
    }

    func followEvents(_ session: SessionRef) {
        session.pointee.isAtWork = true
        while session.pointee.workLeft > 0, let event = session.pointee.core.nextEvent() { follow(event, session) }
        followBudget(session)
        readStreams(session)
        session.pointee.isAtWork = false
    }

    private func follow(_ event: ServerEvent, _ session: SessionRef) {
        switch event {
        case .request(let number, let head, let hasBody, let isTunnel):
            session.pointee.workLeft -= HTTP2Session.requestWork
            begin(session, number, head, isOpen: hasBody || isTunnel, isTunnel: isTunnel)
        case .refused(let number, let fault, let head, let hasBody):
            session.pointee.workLeft -= HTTP2Session.requestWork
            refuse(session, number, fault, head, isOpen: hasBody)
        case .malformed(let number): sayMalformed(number, session)
        case .content(let number, let place, let content):
            session.pointee.workLeft -= 1
            take(content, of: number, stream(place), session)
        case .trailers(_, let place, let lines): if let stream = stream(place) { passTrailers(lines, of: stream) }
        case .pong: sayLastStream(session)
        // The core takes what it still sends, and is over when its streams are.
        case .goAway: break
        case .ended(_, let place):
            guard let stream = stream(place) else { return }
            stream.pointee.hasEnded = true
            read(stream)
        case .reset(_, let place, let code, let byPeer):
            guard let stream = stream(place) else { return }
            stream.pointee.isGone = true
            stream.pointee.code = code
            stream.pointee.resetBy = byPeer ? .client : .gateway
            if let client = stream.pointee.client { closeClient(client) }
        case .closed(_, let place, _): if let stream = stream(place) { forget(stream) }
        }
    }

    private func stream(_ place: UnsafeMutableRawPointer?) -> StreamRef? {
        place?.assumingMemoryBound(to: HTTP2Stream.self)
    }

    /// Whether nothing is done for a new stream, which its client may send again elsewhere: there is no listener to judge it
    /// by, or what earlier streams began is not over, though they are (H2-53).
    private func refusesStream(_ session: SessionRef) -> Bool {
        session.pointee.takesNoStreams || session.pointee.exchanges >= session.pointee.mostExchanges
    }

    /// The connection that a new stream stands for.
    func open(_ session: SessionRef, _ number: Int32, isOpen: Bool) -> ClientRef {
        let carrier = session.pointee.client
        let stream = pointee.connections.http2.streams.take(HTTP2Stream(session, number: number, isOpen: isOpen))
        session.pointee.core.setPlace(number, stream)
        stream.pointee.next = session.pointee.streams
        session.pointee.streams?.pointee.previous = stream
        session.pointee.streams = stream
        session.pointee.streamCount += 1
        session.pointee.exchanges += 1
        countStream(session)
        if session.pointee.streamCount == 1 { setClock(session) }
        var connection = ClientConnection(self, of: carrier.pointee.peer, at: carrier.pointee.listener)
        connection.clearText = carrier.pointee.clearText
        connection.patience = carrier.pointee.patience
        connection.part = .stream(stream)
        connection.sawEnd = !isOpen
        connection.isHeadTimed = false
        let client = pointee.connections.clients.take(connection)
        client.timeout.pointee.place = UnsafeMutableRawPointer(client)
        stream.pointee.client = client
        return client
    }

    /// A request whose head was made of the stream's fields, as one of HTTP/1.1.
    private func begin(
        _ session: SessionRef, _ number: Int32, _ head: UnsafeMutableBufferPointer<UInt8>, isOpen: Bool, isTunnel: Bool
    ) {
        guard let bytes = head.baseAddress else { return session.pointee.core.reset(number, .internalError) }
        guard !refusesStream(session) else { return session.pointee.core.reset(number, .refusedStream) }
        if isTunnel { writeWebSocketKey(bytes + head.count - WorkerRef.webSocketKeyFromEnd) }
        let client = open(session, number, isOpen: isOpen)
        if isTunnel, let stream = client.pointee.part.stream {
            stream.pointee.isTunnel = true
            // A tunnel's end is no fault of anybody's (RFC 8441 §5).
            stream.pointee.code = .cancel
        }
        understand(client, bytes, head.count, isKept: false)
        // A head that was made here is whole.
        if client.pointee.state == .awaitingHead { abortClient(client) }
    }

    /// Where the key of a WebSocket's handshake begins in a head that was made for a tunnel, before its end.
    private static var webSocketKeyFromEnd: Int { 28 }

    /// The key that an upstream of HTTP/1.1 answers: ours, for the client of a tunnel has none (RFC 8441 §5).
    private func writeWebSocketKey(_ place: UnsafeMutablePointer<UInt8>) {
        for (offset, digit) in Base64.encode(RandomBytes.fill(16).span).utf8.enumerated() { place[offset] = digit }
    }

    /// A head that is no request which can be read in one way: answered as one of HTTP/1.1 would be (H-D1).
    private func refuse(
        _ session: SessionRef, _ number: Int32, _ fault: HeadFault, _ head: UnsafeMutableBufferPointer<UInt8>,
        isOpen: Bool
    ) {
        guard !refusesStream(session) else { return session.pointee.core.reset(number, .refusedStream) }
        let client = open(session, number, isOpen: isOpen)
        let exchange = beginExchange(client, pointee.connections.http2.frames.bytes, isParsed: false)
        if let bytes = head.baseAddress { exchange.pointee.reader = reader(ofUnread: bytes, head.count) }
        answer(exchange, refused: refused(fault))
    }

    /// The refusal of a head whose fields are none that every reader reads alike.
    func refused(_ fault: HeadFault) -> Refused {
        let (cause, found) = fault.refused
        return Refused(cause, expected: "a message that every reader reads alike", found: .text(found))
    }

    private func take(
        _ content: UnsafeBufferPointer<UInt8>, of number: Int32, _ stream: StreamRef?, _ session: SessionRef
    ) {
        guard let stream, stream.pointee.client != nil else {
            return session.pointee.core.taken(number, content.count)
        }
        guard let first = content.baseAddress, let client = stream.pointee.client else { return }
        guard stream.pointee.content.append(first, content.count, from: &pointee.connections.buffers) else {
            return abortClient(client)
        }
        // With what else has come for it: in pieces of frames and records it would be many writes.
        read(stream)
    }

    /// Has the stream's client take what there is, as long as it wants to.
    private func readOn(_ stream: StreamRef) {
        while let client = stream.pointee.client, client.pointee.isReading, stream.pointee.isReadable {
            clientReadable(client)
        }
    }

    private func readStreams(_ session: SessionRef) {
        while let stream = session.pointee.toRead {
            session.pointee.toRead = stream.pointee.nextToRead
            stream.pointee.nextToRead = nil
            stream.pointee.isToRead = false
            readOn(stream)
        }
    }

    /// The core has forgotten the stream: nothing more comes of it, and nothing more leaves.
    private func forget(_ stream: StreamRef) {
        stream.pointee.isGone = true
        if let client = stream.pointee.client {
            if stream.pointee.isEndSent { finish(stream) } else { closeClient(client) }
        }
        let session = stream.pointee.session
        unlink(stream)
        session.pointee.streamCount -= 1
        pointee.journal.metrics.adjust(.http2OpenStreams, by: -1)
        pointee.connections.http2.streams.retire(stream)
        guard session.pointee.streamCount == 0, session.pointee.farewell != .announced, !session.pointee.isEnding else {
            return
        }
        beginWaiting(session)
    }

    /// Takes the stream out of all chains of its session.
    func unlink(_ stream: StreamRef) {
        let session = stream.pointee.session
        if let previous = stream.pointee.previous {
            previous.pointee.next = stream.pointee.next
        } else {
            session.pointee.streams = stream.pointee.next
        }
        stream.pointee.next?.pointee.previous = stream.pointee.previous
        if stream.pointee.isToSend { session.pointee.toSend = without(stream, session.pointee.toSend, \.nextToSend) }
        if stream.pointee.isToRead { session.pointee.toRead = without(stream, session.pointee.toRead, \.nextToRead) }
        if stream.pointee.callTime.place != nil { pointee.connections.wheel.remove(stream.callTime) }
        if stream.pointee.isSent { session.pointee.sent = without(stream, session.pointee.sent, \.nextSent) }
    }

    /// How the body of a stream's request ends, when its head does not say so: with the stream.
    func adoptFraming(_ client: ClientRef) {
        guard let stream = client.pointee.part.stream, stream.pointee.isOpen,
            pointee.scratch.head.pointee.framing == .none, !pointee.scratch.head.pointee.offersWebSocket
        else { return }
        pointee.scratch.head.pointee.framing = .untilClose
    }
}
