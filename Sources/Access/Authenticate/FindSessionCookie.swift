import Bytes
package import HTTPMessage
import Sessions

/// What a request brings under the name of a route's session cookie.
package enum SessionCookie: Sendable, Equatable {
    case none
    /// Where in the head the value is.
    case one(ByteRange)
    /// The value, joined from several cookies.
    case chunks([UInt8])
    /// More than one of that name (SC-06).
    case repeated
}

extension HeadView {
    /// Looks for a session cookie without allocating, for the usual case that there is one, in one piece.
    package func sessionCookie(named name: Span<UInt8>) -> SessionCookie {
        var found: ByteRange?
        var isSimple = true
        for index in 0..<fieldCount where id(at: index) == .cookie {
            let line = value(at: index)
            let start = Int(valueRange(at: index).start)
            var position = 0
            while position < line.count {
                let end = line.firstIndex(of: UInt8(ascii: ";"), from: position, to: line.count)
                if end - position >= name.count, line.extracting(position..<(position + name.count)).isEqual(to: name) {
                    let equals = position + name.count
                    if equals < end, line[equals] == UInt8(ascii: "="), found == nil, !isBlank(line[end - 1]) {
                        found = ByteRange(from: start + equals + 1, to: start + end)
                    } else {
                        // A second one, a chunk, or a name that goes on: read with all that cookies may be.
                        isSimple = false
                    }
                }
                position = end + 1
                while position < line.count, isBlank(line[position]) { position += 1 }
            }
        }
        if isSimple, let found { return found.isEmpty ? .none : .one(found) }
        return isSimple ? .none : readSessionCookie(named: name)
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func readSessionCookie(named name: Span<UInt8>) -> SessionCookie {
        let cookies = cookieField
        switch CookieField.value(of: String(copying: name), in: cookies.span) {
        case .none: return .none
        case .one(let value): return value.isEmpty ? .none : .chunks(value)
        case .repeated: return .repeated
        }
    }

    /// All lines of `Cookie`, joined by `; `.
    package var cookieField: [UInt8] {
        var cookies: [UInt8] = []
        for index in 0..<fieldCount where id(at: index) == .cookie {
            if !cookies.isEmpty { cookies += [0x3B, 0x20] }
            cookies.append(copying: value(at: index))
        }
        return cookies
    }

    /// The value of the session cookie with this name, for whoever asks its store.
    package func sessionValue(named name: Span<UInt8>) -> [UInt8]? {
        switch sessionCookie(named: name) {
        case .none, .repeated: nil
        case .one(let range): [UInt8](copying: text(range))
        case .chunks(let value): value
        }
    }
}
