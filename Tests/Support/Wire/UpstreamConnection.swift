/// One connection of the recording upstream: reads a request, performs its script, and so on until the end.
final class UpstreamConnection {
    private let stream: any ByteStream
    private let number: Int
    private let upstream: RecordingUpstream
    private var buffer: [UInt8] = []
    private var isOver = false
    private static let recordedBytes = 4 * 1024 * 1024
    private static let recordedBody = 4 * 1024 * 1024
    private static let block = [UInt8](repeating: UInt8(ascii: "p"), count: 64 * 1024)

    init(stream: any ByteStream, number: Int, upstream: RecordingUpstream) {
        self.stream = stream
        self.number = number
        self.upstream = upstream
    }

    func run() {
        while !isOver {
            guard let (_, length) = headLines(of: buffer) else {
                guard receive() else { break }
                continue
            }
            let head = Array(buffer[..<length])
            buffer.removeFirst(length)
            do {
                let request = try WireRequest(head: head, connection: number)
                // Before it is recorded: whoever has seen a request may say how the next is answered, and means the next.
                let script = upstream.script(for: request.path)
                let index = upstream.record.withLock { record in
                    record.requests.append(request)
                    return record.requests.count - 1
                }
                var body = UpstreamBody(of: request, at: index)
                for step in script.steps where !isOver {
                    perform(step, for: request, body: &body)
                }
            } catch {
                upstream.record.withLock { $0.malformed.append("\(error)") }
                break
            }
        }
        if !buffer.isEmpty { upstream.record.withLock { $0.malformed.append("left over: \(text(self.buffer))") } }
        stream.close()
    }

    private func perform(_ step: WireScript.Step, for request: WireRequest, body: inout UpstreamBody) {
        switch step {
        case .bytes(let bytes): send(bytes)
        case .readBody: readBody(&body, atMost: .max)
        case .readSome(let count): readBody(&body, atMost: body.count + count)
        case .echo: send(UpstreamEcho.response(to: request, body: body.recorded))
        case .reply(let make):
            var whole = request
            whole.body = body.recorded
            send(make(whole))
        case .pattern(let count): sendPattern(count)
        case .wait(let gate): while !gate.wait(within: .milliseconds(20)), !peerIsGone() {}
        case .open(let gate): gate.open()
        case .tunnel: tunnel()
        case .close: isOver = true
        case .reset:
            isOver = true
            stream.reset()
        case .closeIf(let connection): isOver = isOver || connection == number
        }
    }

    /// Reads what there is; false at the connection's end.
    private func receive(within limit: Duration = .seconds(600)) -> Bool {
        guard !isOver else { return false }
        switch (try? stream.read(atMost: 64 * 1024, until: .after(limit))) ?? .reset {
        case .bytes(let bytes):
            buffer += bytes
            upstream.record.withLock { record in
                record.receivedCount += bytes.count
                if record.rawBytes[number, default: []].count < Self.recordedBytes {
                    record.rawBytes[number, default: []] += bytes
                }
            }
            return true
        case .end: upstream.record.withLock { $0.endedConnections.append(number) }
        case .reset: upstream.record.withLock { $0.resetConnections.append(number) }
        case .nothingYet: break
        }
        isOver = true
        return false
    }

    private func send(_ bytes: [UInt8]) {
        do {
            try stream.write(bytes, until: .after(.seconds(60)))
        } catch {
            isOver = true
            if case WireFailure.closed = error { upstream.record.withLock { $0.resetConnections.append(number) } }
        }
    }

    private func sendPattern(_ count: Int) {
        var left = count
        while left > 0, !isOver {
            let size = min(left, Self.block.count)
            send(size == Self.block.count ? Self.block : Array(Self.block.prefix(size)))
            left -= size
            upstream.record.withLock { $0.sentCount += size }
        }
    }

    private func peerIsGone() -> Bool {
        switch (try? stream.read(atMost: 1, until: .after(.zero))) ?? .reset {
        case .nothingYet: return false
        case .bytes(let bytes):
            buffer += bytes
            return false
        case .end:
            upstream.record.withLock { $0.endedConnections.append(number) }
        case .reset:
            upstream.record.withLock { $0.resetConnections.append(number) }
        }
        isOver = true
        return true
    }

    private func tunnel() {
        repeat {
            let bytes = buffer
            buffer = []
            if !bytes.isEmpty { send(bytes) }
        } while receive()
    }

    private func readBody(_ body: inout UpstreamBody, atMost limit: Int) {
        while !body.isComplete, body.count < limit {
            let before = body.count
            do {
                try body.consume(&buffer, recording: Self.recordedBody)
            } catch {
                upstream.record.withLock { $0.malformed.append("\(error)") }
                isOver = true
            }
            if body.count != before || body.isComplete {
                upstream.record.withLock { body.write(to: &$0.requests) }
            }
            guard !isOver, !body.isComplete, body.count < limit else { return }
            guard receive() else { return }
        }
    }
}
