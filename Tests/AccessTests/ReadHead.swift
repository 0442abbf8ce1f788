import Access
import HTTP1
import HTTPMessage

/// What became of a request's head: a value, or the cause of its refusal with what was found.
enum Outcome<Value: Equatable & Sendable>: Equatable, Sendable {
    case passed(Value)
    case refused(Refusal, found: String)
    case unreadable
}

/// Reads a head of these lines and judges it.
func judged<Value: Equatable & Sendable>(
    _ lines: [String], _ judge: (HeadView) throws(Refused) -> Value
) -> Outcome<Value> {
    do throws(Refused) {
        return try readHead(lines) { head throws(Refused) in .passed(try judge(head)) } ?? .unreadable
    } catch {
        return .refused(error.cause, found: error.detail.found)
    }
}

/// What `look` says of a head of these lines; nil where they are no head.
func readHead<Value, Failure: Error>(
    _ lines: [String], _ look: (HeadView) throws(Failure) -> Value
) throws(Failure) -> Value? {
    let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    let heads = UnsafeMutablePointer<RequestHead>.allocate(capacity: 1)
    heads.initialize(to: RequestHead())
    defer {
        heads.deinitialize(count: 1)
        heads.deallocate()
    }
    var parser = RequestHeadParser()
    guard case .complete = parser.parse(bytes.span, limits: HTTP1Limits(), into: &heads.pointee) else {
        return nil
    }
    let one = UnsafeBufferPointer(start: UnsafePointer(heads), count: 1)
    return try look(HeadView(one.span, bytes.span))
}

/// The same of what is refused or passes without a word.
func permitted(_ lines: [String], _ judge: (HeadView) throws(Refused) -> Void) -> Outcome<Bool> {
    judged(lines) { head throws(Refused) in
        try judge(head)
        return true
    }
}
