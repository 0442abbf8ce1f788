import Bytes
import HTTP1
import HTTPMessage
import TestSupport
import Testing

/// What a request head says, copied out of the bytes.
struct ReadRequest: Equatable {
    var method = ""
    var methodID = MethodID.other
    var target = ""
    var form = TargetForm.origin
    var path = ""
    var query: String?
    var authority = ""
    var scheme = TargetScheme.none
    var minorVersion: UInt8 = 1
    var fields: [[String]] = []
    var length = 0
    var framing = BodyFraming.none
    var keepAlive = false
    var expectContinue = false
    var offersWebSocket = false
    var connectionNamesFields = false
    var authorizationIndex = -1
    var authorizationCount = 0
}

/// What a response head says, copied out of the bytes.
struct ReadResponse: Equatable {
    var status: UInt16 = 0
    var reason = ""
    var minorVersion: UInt8 = 1
    var fields: [[String]] = []
    var length = 0
    var framing = BodyFraming.none
    var keepAlive = false
    var isInterim = false
    var connectionNamesFields = false
}

/// What reading has come to, with what was read.
enum Verdict<Message: Equatable>: Equatable {
    case incomplete
    case refused(HTTP1Refusal)
    case complete(Message)

    /// The message, or a recorded issue.
    var message: Message? {
        if case .complete(let message) = self { return message }
        Issue.record("not complete: \(self)")
        return nil
    }
}

/// Reads a request head cut in every way, holds the verdicts to be one, and returns it.
func request(_ text: String, limits: HTTP1Limits = HTTP1Limits()) -> Verdict<ReadRequest> {
    request(Array(text.utf8), limits: limits)
}

/// Reads a request head cut in every way, holds the verdicts to be one, and returns it.
func request(_ bytes: [UInt8], limits: HTTP1Limits = HTTP1Limits()) -> Verdict<ReadRequest> {
    var head = RequestHead()
    return verdict(of: bytes) { pieces in
        var parser = RequestHeadParser()
        return drive(pieces) { arrived in
            switch parser.parse(arrived.span, limits: limits, into: &head) {
            case .incomplete: .incomplete
            case .refused(let refusal): .refused(refusal)
            case .complete: .complete(copy(head, arrived))
            }
        }
    }
}

/// Reads a response head cut in every way, holds the verdicts to be one, and returns it.
func response(
    _ text: String, answering method: MethodID = .get, limits: HTTP1Limits = HTTP1Limits()
) -> Verdict<ReadResponse> {
    response(Array(text.utf8), answering: method, limits: limits)
}

/// Reads a response head cut in every way, holds the verdicts to be one, and returns it.
func response(
    _ bytes: [UInt8], answering method: MethodID = .get, limits: HTTP1Limits = HTTP1Limits()
) -> Verdict<ReadResponse> {
    var head = ResponseHead()
    return verdict(of: bytes) { pieces in
        var parser = ResponseHeadParser()
        return drive(pieces) { arrived in
            switch parser.parse(arrived.span, limits: limits, answering: method, into: &head) {
            case .incomplete: .incomplete
            case .refused(let refusal): .refused(refusal)
            case .complete: .complete(copy(head, arrived))
            }
        }
    }
}

/// Gives a parser more and more of the pieces until it decides.
private func drive<Message>(_ pieces: [[UInt8]], _ parse: ([UInt8]) -> Verdict<Message>) -> Verdict<Message> {
    var arrived: [UInt8] = []
    for piece in pieces {
        arrived += piece
        let verdict = parse(arrived)
        guard verdict == .incomplete else { return verdict }
    }
    return .incomplete
}

private func verdict<Message>(
    of bytes: [UInt8], _ read: ([[UInt8]]) -> Verdict<Message>
) -> Verdict<Message> {
    let whole = read([bytes])
    for pieces in everyCut(of: bytes).dropFirst() where read(pieces) != whole {
        Issue.record("cut at \(pieces[0].count) of \(bytes.count): \(read(pieces)) instead of \(whole)")
        break
    }
    return whole
}

private func copy(_ head: borrowing RequestHead, _ bytes: [UInt8]) -> ReadRequest {
    ReadRequest(
        method: text(head.method, bytes), methodID: head.methodID, target: text(head.target, bytes),
        form: head.targetForm, path: text(head.path, bytes),
        query: head.hasQuery ? text(head.query, bytes) : nil, authority: text(head.authority, bytes),
        scheme: head.scheme, minorVersion: head.minorVersion, fields: copy(head.fields, bytes),
        length: head.length, framing: head.framing, keepAlive: head.keepAlive,
        expectContinue: head.expectContinue, offersWebSocket: head.offersWebSocket,
        connectionNamesFields: head.connectionNamesFields, authorizationIndex: head.authorizationIndex,
        authorizationCount: head.authorizationCount)
}

private func copy(_ head: borrowing ResponseHead, _ bytes: [UInt8]) -> ReadResponse {
    ReadResponse(
        status: head.status, reason: text(head.reason, bytes), minorVersion: head.minorVersion,
        fields: copy(head.fields, bytes), length: head.length, framing: head.framing, keepAlive: head.keepAlive,
        isInterim: head.isInterim, connectionNamesFields: head.connectionNamesFields)
}

/// Name and value of every line; the line itself must be exactly what lies between its neighbours.
private func copy(_ fields: borrowing FieldList, _ bytes: [UInt8]) -> [[String]] {
    var lines: [[String]] = []
    for index in 0..<fields.count {
        let slot = fields[index]
        if index > 0 { #expect(Int(slot.line.start) == fields[index - 1].line.end) }
        #expect(slot.line.start == slot.name.start)
        #expect(Array(bytes[slot.line.range].suffix(2)) == [0x0d, 0x0a])
        lines.append([text(slot.name, bytes), text(slot.value, bytes)])
    }
    return lines
}

private func text(_ range: ByteRange, _ bytes: [UInt8]) -> String {
    String(decoding: bytes[range.range], as: UTF8.self)
}

extension Verdict {
    /// The cause of a refusal; nil for any other verdict.
    var refusal: HTTP1Refusal? {
        if case .refused(let refusal) = self { return refusal }
        return nil
    }
}
