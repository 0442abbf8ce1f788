import Bytes
import RESP

/// What the bytes that a server has sent are: whose answer.
extension LinkMachine {
    /// What stands at the beginning of the bytes that have not been used up.
    public enum Received: Sendable, Equatable {
        /// Not a whole reply yet.
        case incomplete
        /// An answer of so many bytes, to be kept where it is until it is proved whose it is.
        case kept(count: Int)
        /// The last of answers whose order is proved: `takeProved` tells whose they are.
        case proved(count: Int)
        /// The answer to the link's own credentials.
        case authenticated(count: Int)
        /// The answer to a step of the greeting, which is as it must be.
        case greeted(step: Int, count: Int)
        /// The connection is of no use any more.
        case broken(LinkLoss)
    }

    /// Reads the next reply; `bytes` begin where the last one ended, and are more each time while it is incomplete.
    public mutating func next(in bytes: Span<UInt8>, now: UInt64) -> Received {
        guard !bytes.isEmpty else { return .incomplete }
        guard let first = oldestUnanswered else { return .broken(.unasked(hex: LinkMachine.hex(bytes))) }
        // An answer to what the server cannot have read: whatever it is, it is not the answer.
        if phase == .ready, first.firstByte >= writtenBytes {
            return .broken(.unasked(hex: LinkMachine.hex(bytes)))
        }
        let count: Int
        do throws(ReplyRefusal) {
            guard let length = try reader.advance(bytes) else { return .incomplete }
            count = length
        } catch {
            return .broken(.malformed(error, hex: LinkMachine.hex(bytes)))
        }
        let reply = bytes.extracting(..<count)
        guard first.replies.contain(reply), !isMisplacedEcho(reply, for: first) else {
            return .broken(.unasked(hex: LinkMachine.hex(bytes)))
        }
        lastAnswer = now
        unansweredInARow = 0
        counters.replies += 1
        switch first.owner {
        case .command, .abandoned:
            note(answer: count)
            if limits.areAnswersProved { return .kept(count: count) }
            return prove(count)
        case .echo:
            if let loss = loss(ofEcho: first.ticket, reply) { return .broken(loss) }
            note(answer: count)
            return prove(count)
        case .authentication, .greeting:
            removeFirst()
            return judge(first, reply, now)
        }
    }

    /// The oldest command whose answer has not come.
    var oldestUnanswered: AwaitedReply? { answered < awaited.count ? awaited[answered] : nil }

    private mutating func note(answer count: Int) {
        awaited[answered]?.answerBytes = count
        answered += 1
    }

    private mutating func prove(_ count: Int) -> Received {
        proved = answered
        return .proved(count: count)
    }

    /// The next of the answers whose order is proved, by their order: whose it is, nobody's any more or the link's own where
    /// there is no ticket, and of how many bytes; nil when there is none left.
    public mutating func takeProved() -> (ticket: UInt64?, count: Int)? {
        guard proved > 0, let first = removeFirst() else { return nil }
        proved -= 1
        answered -= 1
        if first.owner == .echo { echoes -= 1 }
        return (first.owner == .command ? first.ticket : nil, first.answerBytes)
    }

    @discardableResult
    private mutating func removeFirst() -> AwaitedReply? {
        unoffered = max(0, unoffered - 1)
        searched = max(0, searched - 1)
        return awaited.removeFirst()
    }

    /// Whether a reply is what the server was asked to say back, in the place of another command's answer.
    private func isMisplacedEcho(_ bytes: Span<UInt8>, for first: AwaitedReply) -> Bool {
        guard first.owner != .echo, echo.number > 0, bytes.count == LinkEcho.replyLength, let reply = Reply(bytes)
        else {
            return false
        }
        return reply.kind == .bulkString && echo.isKin(of: reply.bytes)
    }

    /// Whether an answer that is the link's own is as it must be.
    private mutating func judge(_ awaited: AwaitedReply, _ bytes: Span<UInt8>, _ now: UInt64) -> Received {
        guard let reply = Reply(bytes) else { return .broken(.unasked(hex: LinkMachine.hex(bytes))) }
        if awaited.owner == .authentication {
            if reply.kind == .error { return .broken(.authenticationRefused(ServerRefusal(reply.bytes).code)) }
            becomeReadyIfGreeted(now)
            return .authenticated(count: bytes.count)
        }
        let step = Int(awaited.ticket)
        if let loss = loss(of: reply, at: greeting.steps[step]) { return .broken(loss) }
        becomeReadyIfGreeted(now)
        return .greeted(step: step, count: bytes.count)
    }

    /// Why an answer is not what the server was asked to say back with this number; nil when it is.
    ///
    /// The only answer whose text is known before: a stream that has slipped shows here. An error is one where a server says it
    /// to any command now; any other is another's answer, or the user may not ask for echoes.
    private func loss(ofEcho number: UInt64, _ bytes: Span<UInt8>) -> LinkLoss? {
        guard let reply = Reply(bytes) else { return .unasked(hex: LinkMachine.hex(bytes)) }
        guard reply.kind == .error else {
            let isSaid = reply.kind == .bulkString && LinkEcho(seed: echo.seed, number: number).isSaid(by: reply.bytes)
            return isSaid ? nil : .unasked(hex: LinkMachine.hex(bytes))
        }
        let code = ServerRefusal(reply.bytes).code
        switch code {
        case .loading, .busy, .masterDown, .misconfigured: return nil
        case .notAuthenticated: return .authenticationRefused(code)
        default: return .greetingRefused(command: "PING", code, text: ServerText.printable(reply.bytes))
        }
    }

    private func loss(of reply: borrowing Reply, at step: Greeting.Step) -> LinkLoss? {
        if reply.kind == .error {
            let code = ServerRefusal(reply.bytes).code
            if code == .notAuthenticated { return .authenticationRefused(code) }
            let isBearable =
                switch step.expectation {
                case .anything: code != .tooManyClients
                case .anythingSettled:
                    // Of a slot that nobody serves it says so in other words.
                    code != .tooManyClients && code != .loading
                        && !(code == .clusterDown && ServerText.printable(reply.bytes).contains("cluster is down"))
                case .success, .primary: false
                }
            return isBearable ? nil : refused(reply, step, code)
        }
        guard case .primary = step.expectation else { return nil }
        var elements = reply.elements
        guard let role = elements.next(), role.bytes.isEqual(to: "master".utf8Span.span) else { return .notPrimary }
        return nil
    }

    private func refused(_ reply: borrowing Reply, _ step: Greeting.Step, _ code: ServerRefusal.Code) -> LinkLoss {
        .greetingRefused(command: step.command.name, code, text: ServerText.printable(reply.bytes))
    }

    private mutating func becomeReadyIfGreeted(_ now: UInt64) {
        guard phase == .greeting, awaited.isEmpty else { return }
        phase = .ready
        readySince = now
    }

    /// The first sixteen bytes.
    static func hex(_ bytes: Span<UInt8>) -> String { Hex.encode(bytes.extracting(..<min(16, bytes.count))) }
}
