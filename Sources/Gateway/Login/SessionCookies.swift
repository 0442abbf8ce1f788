import Bytes
import Glibc
import HTTPMessage
import Login
import Sessions

/// Our cookies on their way out to browsers, and kept from the way in to upstreams.
extension WorkerRef {
    /// Has the answer to this exchange set the session cookie of a login.
    func setSessionCookie(_ exchange: ExchangeRef, _ login: Int, _ value: [UInt8]) {
        addCookies(exchange, pointee.policy.logins[login].session.cookieLines(value))
    }

    /// Has the answer delete every cookie of a route's session, in one piece or in several.
    func clearSessionCookies(_ exchange: ExchangeRef, _ login: Int) {
        addCookies(exchange, pointee.policy.logins[login].session.cookieDeletion)
    }

    /// Has the answer delete cookies of which a request brought two of one name (SC-06).
    ///
    /// Where the session's is of a domain, that one stays: what another host planted beside it, with a path of its own,
    /// cannot be deleted, and would be the only one then, and its user somebody else (SC-16).
    func clearRepeatedCookies(_ exchange: ExchangeRef, _ login: Int) {
        let session = pointee.policy.logins[login].session
        addCookies(
            exchange,
            session.domain == nil ? session.cookieDeletion : session.strayDeletion(at: publicURL(exchange)))
    }

    private func addCookies(_ exchange: ExchangeRef, _ values: [String]) {
        dropCookies(exchange)
        let place = UnsafeMutablePointer<[UInt8]>.allocate(capacity: 1)
        place.initialize(to: values.flatMap { Array("Set-Cookie: \($0)\r\n".utf8) })
        exchange.pointee.cookies = place
    }

    /// Forgets what was to be set, when the exchange ends.
    func dropCookies(_ exchange: ExchangeRef) {
        guard let place = exchange.pointee.cookies else { return }
        place.deinitialize(count: 1)
        place.deallocate()
        exchange.pointee.cookies = nil
    }

    /// Writes what the answer sets, if it sets anything.
    func putCookies(_ exchange: ExchangeRef, into writer: inout HeadWriter) {
        guard let place = exchange.pointee.cookies else { return }
        place.pointee.withUnsafeBufferPointer { writer.put($0) }
    }

    /// Whether a `Cookie` line may hold one of ours: all their names begin alike, or in one of two ways.
    func mayHoldOurs(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard var rest = line.baseAddress else { return false }
        let end = rest + line.count
        while rest < end, let found = memchr(rest, Int32(UInt8(ascii: "_")), end - rest) {
            let place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
            if SessionCookiePrefix.begins(place, count: end - place) { return true }
            rest = place + 1
        }
        return false
    }

    /// Writes a client's `Cookie` line without our cookies; nothing when none are left (HTTP-48).
    ///
    /// Every request with a session comes here: nothing is allocated.
    func putForeignCookies(_ line: UnsafeBufferPointer<UInt8>, into writer: inout HeadWriter) {
        let before = writer
        var isFirst = true
        let hadOurs = CookieField.forEachForeign(in: line.span, names: pointee.policy.ownCookieNames) { pair in
            writer.put(isFirst ? "Cookie: " : "; ")
            writer.put(UnsafeBufferPointer(rebasing: line[pair]))
            isFirst = false
        }
        if !hadOurs {
            // As it came, whatever stands between its pairs.
            writer = before
            writer.put("Cookie: ")
            writer.put(line)
            isFirst = false
        }
        if !isFirst { writer.put("\r\n") }
    }

    /// Whether an upstream's `Set-Cookie` would set one of ours (HTTP-49).
    func setsOurs(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        // A cookie without a name comes back as its value alone, which then looks like a name and a value.
        while start < value.count,
            value[start] == 0x20 || value[start] == 0x09 || value[start] == UInt8(ascii: "=")
        { start += 1 }
        guard let first = value.baseAddress, SessionCookiePrefix.begins(first + start, count: value.count - start)
        else {
            return false
        }
        var end = start
        while end < value.count, value[end] != UInt8(ascii: "="), value[end] != UInt8(ascii: ";") { end += 1 }
        while end > start, value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
        let name = UnsafeBufferPointer(rebasing: value[start..<end])
        return CookieField.isOurs(name.span, names: pointee.policy.ownCookieNames)
    }
}

/// What the names of all our cookies begin with, in any case: `__Host-`, so that no other host can set them, or
/// `__Secure-` for the session of several.
private enum SessionCookiePrefix {
    static func begins(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard count >= 7, bytes[0] == UInt8(ascii: "_"), bytes[1] == UInt8(ascii: "_") else { return false }
        if bytes[6] == UInt8(ascii: "-") {
            return ASCII.equalsIgnoringCase(UnsafeBufferPointer(start: bytes + 2, count: 4).span, "host")
        }
        guard count >= 9, bytes[8] == UInt8(ascii: "-") else { return false }
        return ASCII.equalsIgnoringCase(UnsafeBufferPointer(start: bytes + 2, count: 6).span, "secure")
    }
}
