import Access
import Bytes
import HTTPMessage

/// Paths on their way to an upstream that knows them by another name, and back (ECO-68).
extension WorkerRef {
    /// Writes the path as the upstream knows it; its rest is what the client sent, byte for byte.
    func putRewrittenPath(
        _ bytes: UnsafeMutablePointer<UInt8>, _ rewrite: FixedValue<PathRewrite>, into writer: inout HeadWriter
    ) {
        let head = pointee.scratch.head
        let path = UnsafeBufferPointer(start: bytes + Int(head.pointee.path.start), count: Int(head.pointee.path.count))
        let upstream = rewrite.pointee.upstreamPrefix.buffer
        let rest = UnsafeBufferPointer(rebasing: path[rewrite.pointee.restChecked(of: path.span)...])
        writer.put(upstream)
        writer.put(rest)
        if upstream.isEmpty, rest.isEmpty { writer.put("/") }
    }

    /// Whether a field of an upstream may tell a path.
    @inline(__always)
    func hasPath(_ slot: FieldSlot) -> Bool {
        slot.id == .location || slot.id == .contentLocation || slot.id == .setCookie
    }

    /// Writes such a field with the path that clients know; false where it stays as it is.
    func putMapped(
        _ slot: FieldSlot, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>,
        _ rewrite: FixedValue<PathRewrite>, into writer: inout HeadWriter
    ) -> Bool {
        let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
        if slot.id == .setCookie { return putMappedCookie(slot, value, bytes, rewrite, into: &writer) }
        guard
            let mapped = pointee.policy.access.pointee.mapped(
                value.span, by: rewrite, ofSite: pointee.policy.access.pointee.site(of: exchange.pointee.findings),
                atListener: Int(exchange.pointee.client.pointee.listener))
        else { return false }
        putName(slot, bytes, into: &writer)
        put(mapped, value, rewrite, into: &writer)
        writer.put("\r\n")
        return true
    }

    private func putName(_ slot: FieldSlot, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter) {
        writer.put(bytes + Int(slot.name.start), Int(slot.name.count))
        writer.put(": ")
    }

    private func put(
        _ mapped: MappedReference, _ value: UnsafeBufferPointer<UInt8>, _ rewrite: FixedValue<PathRewrite>,
        into writer: inout HeadWriter
    ) {
        writer.put(UnsafeBufferPointer(rebasing: value[..<mapped.kept]))
        let rest = UnsafeBufferPointer(rebasing: value[mapped.rest...])
        let prefix = rewrite.pointee.publicPrefix.buffer
        if mapped.hasPrefix { writer.put(prefix) }
        // A reference is never empty: that would be the page itself.
        if !mapped.hasPrefix || prefix.isEmpty, mapped.kept == 0, rest.first != UInt8(ascii: "/") { writer.put("/") }
        writer.put(rest)
    }

    /// Writes a cookie with each `Path` of its as clients know it; not one whose name promises that it has the path `/`.
    private func putMappedCookie(
        _ slot: FieldSlot, _ value: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeMutablePointer<UInt8>,
        _ rewrite: FixedValue<PathRewrite>, into writer: inout HeadWriter
    ) -> Bool {
        guard !CookiePaths.isOfWholeHost(value.span) else { return false }
        var position = 0
        var written = 0
        while let path = CookiePaths.next(in: value.span, from: &position) {
            guard let mapped = rewrite.pointee.mapped(cookiePath: value.span.extracting(path)) else { continue }
            if written == 0 { putName(slot, bytes, into: &writer) }
            writer.put(UnsafeBufferPointer(rebasing: value[written..<path.lowerBound]))
            put(mapped, UnsafeBufferPointer(rebasing: value[path]), rewrite, into: &writer)
            written = path.upperBound
        }
        guard written > 0 else { return false }
        writer.put(UnsafeBufferPointer(rebasing: value[written...]))
        writer.put("\r\n")
        return true
    }
}

/// Where the paths of a `Set-Cookie` value are, as browsers read it (RFC 6265 §5.2).
enum CookiePaths {
    /// Whether browsers keep the cookie with the path `/` alone (RFC 6265bis §4.1.3.2); they take no notice of case.
    static func isOfWholeHost(_ value: Span<UInt8>) -> Bool {
        value.count > 7 && ASCII.equalsIgnoringCase(value.extracting(first: 7), "__Host-")
    }

    /// The next `Path` that there is behind `position`, which is moved on; its value without white space.
    static func next(in value: Span<UInt8>, from position: inout Int) -> Range<Int>? {
        while position < value.count {
            while position < value.count, value[position] != UInt8(ascii: ";") { position += 1 }
            position = min(position + 1, value.count)
            var end = position
            while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
            var equals = position
            while equals < end, value[equals] != UInt8(ascii: "=") { equals += 1 }
            guard equals < end else { continue }
            let name = trimmed(value, position..<equals)
            if name.count == 4, ASCII.equalsIgnoringCase(value.extracting(name), "path") {
                return trimmed(value, (equals + 1)..<end)
            }
        }
        return nil
    }

    private static func trimmed(_ value: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isSpace(value[start]) { start += 1 }
        while end > start, isSpace(value[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
