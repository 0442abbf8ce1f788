import Bytes
public import HTTPMessage

/// Reads a response head from bytes as they arrive (RFC 9112 §4 … §6).
///
/// As strict as for requests: an upstream whose responses have two readings can put bytes into another client's answer.
public struct ResponseHeadParser: Sendable {
    private var scan = HeadScan()

    /// A parser at the start of a message.
    public init() {}

    /// Makes the parser ready for the next message, also for the one behind an interim response.
    public mutating func reset() {
        scan = HeadScan()
    }

    /// Reads the head at the start of `bytes`, the answer to a request with `method`.
    ///
    /// `bytes` always starts at the message's first byte and, after `incomplete`, begins with the same bytes again and
    /// has more behind them.
    public mutating func parse(
        _ bytes: Span<UInt8>, limits: HTTP1Limits, answering method: MethodID, into head: inout ResponseHead
    ) -> HeadProgress {
        if scan.isPending, !scan.isDecisive(bytes, limits: limits) { return .incomplete }
        do throws(HTTP1Refusal) {
            guard try parseWhole(bytes, limits: limits, into: &head) else { return .incomplete }
            try applyRules(to: &head, bytes: bytes, method: method)
            return .complete
        } catch {
            return .refused(error)
        }
    }

    private mutating func parseWhole(
        _ bytes: Span<UInt8>, limits: HTTP1Limits, into head: inout ResponseHead
    ) throws(HTTP1Refusal) -> Bool {
        let end = try LineEnd.find(in: bytes, from: 0, bound: limits.boundedRequestLine, over: .requestLineTooLong)
        guard end >= 0 else {
            scan.suspend(in: bytes, lineStart: 0, sectionStart: 0, lines: 0)
            return false
        }
        try StatusLine.parse(bytes, to: end, into: &head)
        head.fields.clear()
        head.length = try FieldSection.parse(
            bytes, from: end &+ 2, limits: limits, into: &head.fields, scan: &scan)
        return head.length >= 0
    }

    /// RFC 9112 §6.3, in its order, without the repairs it allows.
    private func applyRules(
        to head: inout ResponseHead, bytes: Span<UInt8>, method: MethodID
    ) throws(HTTP1Refusal) {
        let declared = try MessageFraming.declared(in: head.fields, bytes: bytes, minorVersion: head.minorVersion)
        let options = try ConnectionOptions.inResponse(head.fields, bytes: bytes, names: &head.connectionNames)
        head.upgradesConnection = head.minorVersion > 0 && options.contains(.upgrade)
        head.keepAlive = head.minorVersion > 0 && options.isDisjoint(with: [.close, .malformed])
        let neverHasBody = head.isInterim || head.status == 204
        if neverHasBody || head.status == 304 || method == .head {
            head.framing = .none
            // An upstream that announces a body where there is none may send it: the next response would start inside.
            if neverHasBody, let declared, declared != .length(0) { head.keepAlive = false }
            return
        }
        head.framing = declared ?? .untilClose
        if declared == nil { head.keepAlive = false }
    }
}
