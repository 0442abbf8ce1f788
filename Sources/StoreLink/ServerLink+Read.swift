import EventLoop
import RESP
import Transport

/// From bytes that have come to answers that are told.
extension ServerLink {
    /// Reads of one turn: a server that sends without end must not hold the loop.
    private static let readsInOneTurn = 16

    func becameReadable() {
        if isHandshaking { return handshake() }
        readAvailable()
        if machine.hasOutput { flushLater() }
        rearm()
    }

    /// Reads what the socket has, and tells the answers in it.
    func readAvailable() {
        for _ in 0..<ServerLink.readsInOneTurn {
            let room = received.room
            let count = stream.read(into: room.start, capacity: room.count)
            guard count > 0 else { return readNothing(count) }
            received.received(count)
            guard tellAnswers() else { return }
            // A plain socket that gave less than there was room for is empty.
            if stream.tls == nil, count < room.count { return }
        }
        if stream.hasBufferedBytes { FileEvent.activate(readEvent, .read) }
    }

    private func readNothing(_ outcome: Int) {
        switch outcome {
        case 0: lose(.closed)
        case ByteStream.failed: lose(lossOfFailedRead)
        case ByteStream.wantsWrite:
            isReadingHeldUp = true
            awaitWritable(true)
        default: break
        }
    }

    /// Why a read has just failed.
    ///
    /// With TLS 1.3 a server looks at our certificate when our side of the handshake is over. What it says to it comes with the
    /// first read, before any answer.
    private var lossOfFailedRead: LinkLoss {
        guard stream.tls != nil, machine.phase == .greeting else { return .broken }
        let failure = HandshakeFailure.take()
        return failure == .alert ? .tlsRefused(failure.wordsOfServer) : .broken
    }

    /// Tells each answer that is whole, and proved to be its command's, to whom it belongs; false when the connection is no more.
    private func tellAnswers() -> Bool {
        let generation = generation
        // Behind the answers that are kept.
        var used = 0
        while used + keptBytes < received.count {
            let next = UnsafePointer(received.start + used + keptBytes)
            let bytes = Span(_unsafeStart: next, count: received.count - used - keptBytes)
            switch machine.next(in: bytes, now: clock()) {
            case .incomplete:
                received.drop(used)
                return true
            case .kept(let count):
                keptBytes += count
            case .proved(let count):
                keptBytes += count
                while let answer = machine.takeProved() {
                    let bytes = Span(_unsafeStart: UnsafePointer(received.start + used), count: answer.count)
                    used += answer.count
                    keptBytes -= answer.count
                    if let ticket = answer.ticket { tell(ticket, bytes) }
                    guard generation == self.generation else { return false }
                }
            case .authenticated(let count):
                used += count
                tellIfOpened()
            case .greeted(let step, let count):
                used += count
                if let reply = Reply(bytes.extracting(..<count)) { receiver.linkGreeted(step, reply) }
                if generation == self.generation { tellIfOpened() }
            case .broken(let loss):
                lose(loss)
                return false
            }
            guard generation == self.generation else { return false }
        }
        received.drop(used)
        return true
    }

    private func tell(_ ticket: UInt64, _ bytes: Span<UInt8>) {
        guard let reply = Reply(bytes) else { return receiver.linkAnswered(ticket, .unknown) }
        if reply.kind == .error {
            receiver.linkAnswered(ticket, .refused(ServerRefusal(reply.bytes), text: reply.bytes))
        } else {
            receiver.linkAnswered(ticket, .reply(reply))
        }
    }

    /// Tells once that commands are taken, when the greeting's last answer has opened the link.
    func tellIfOpened() {
        guard machine.phase == .ready, openedGeneration != generation else { return }
        openedGeneration = generation
        receiver.linkOpened()
    }
}
