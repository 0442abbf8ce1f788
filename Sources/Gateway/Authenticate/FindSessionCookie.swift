import Access
import Bytes
import HTTPMessage
import Login
import Sessions

/// What a request brings under the name of a route's session cookie.
enum SessionCookie {
    case none
    /// The value's place in the head.
    case one(UnsafeBufferPointer<UInt8>)
    /// The value, joined from several cookies.
    case chunks([UInt8])
    /// More than one of that name (SC-06).
    case repeated
}

extension WorkerRef {
    /// Looks for a session cookie without allocating, for the usual case that there is one, in one piece.
    func findSessionCookie(
        _ policy: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>
    ) -> SessionCookie {
        let head = pointee.scratch.head
        let name = policy.pointee.cookieName.buffer
        var found: UnsafeBufferPointer<UInt8>?
        var isSimple = true
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .cookie {
            let range = head.pointee.fields[index].value
            let line = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            var position = 0
            while position < line.count {
                let end = line.span.firstIndex(of: UInt8(ascii: ";"), from: position, to: line.count)
                if end - position >= name.count, begins(line, at: position, with: name) {
                    let equals = position + name.count
                    if equals < end, line[equals] == UInt8(ascii: "="), found == nil, !isSpace(line[end - 1]) {
                        found = UnsafeBufferPointer(rebasing: line[(equals + 1)..<end])
                    } else {
                        // A second one, a chunk, or a name that goes on: read with all that cookies may be.
                        isSimple = false
                    }
                }
                position = end + 1
                while position < line.count, line[position] == 0x20 || line[position] == 0x09 { position += 1 }
            }
        }
        if isSimple, let found { return found.isEmpty ? .none : .one(found) }
        guard !isSimple else { return .none }
        return readSessionCookie(policy, bytes)
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func begins(
        _ line: UnsafeBufferPointer<UInt8>, at position: Int, with name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        for index in 0..<name.count where line[position + index] != name[index] { return false }
        return true
    }

    private func readSessionCookie(
        _ policy: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>
    ) -> SessionCookie {
        let cookies = cookieField(bytes)
        switch CookieField.value(of: pointee.policy.logins[policy.pointee.login].session.cookieName, in: cookies.span) {
        case .none: return .none
        case .one(let value): return value.isEmpty ? .none : .chunks(value)
        case .repeated: return .repeated
        }
    }

    /// All lines of `Cookie`, joined by `; `.
    func cookieField(_ bytes: UnsafeMutablePointer<UInt8>) -> [UInt8] {
        let head = pointee.scratch.head
        var cookies: [UInt8] = []
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .cookie {
            let range = head.pointee.fields[index].value
            if !cookies.isEmpty { cookies += [0x3B, 0x20] }
            cookies += UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        }
        return cookies
    }

    /// The value of the session cookie that a route looks at, for whoever asks its store.
    func sessionValue(_ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>) -> [UInt8]? {
        guard let policy = route.pointee.login else { return nil }
        switch findSessionCookie(policy, bytes) {
        case .none, .repeated: return nil
        case .one(let value): return Array(value)
        case .chunks(let value): return value
        }
    }
}
