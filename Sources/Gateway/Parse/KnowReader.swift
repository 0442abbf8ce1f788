import Access
import Bytes
import HTTP2
import HTTPMessage
import Pages

extension WorkerRef {
    /// Who reads the answer to the request in `pointee.scratch.head`.
    ///
    /// On every request's way: nearly all that programs send has no Accept, or takes anything (`*/*`), and is told by that.
    func reader(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> Reader {
        var reader = Reader()
        let head = pointee.scratch.head
        let type = head.pointee.fields.firstIndex(of: .contentType)
        if type >= 0, head.pointee.methodID == .post {
            reader.call = GRPCContentType(value(type, bytes).span)
            guard reader.call == nil else { return reader }
        }
        let accept = head.pointee.fields.firstIndex(of: .accept)
        if head.pointee.fields.count(of: .secFetchMode) == 0, head.pointee.fields.count(of: .secFetchDest) == 0 {
            guard accept >= 0 else { return reader }
            // One field that is too short for the media type of a page, and so for that of a problem.
            let isShort = Int(head.pointee.fields[accept].value.count) < "text/html".utf8.count
            if isShort, head.pointee.fields.count(of: .accept) == 1 { return reader }
        }
        reader.isNavigation = headView(bytes).isNavigation()
        if reader.isNavigation {
            let wanted = head.pointee.fields.firstIndex(of: .acceptLanguage)
            if wanted >= 0 { reader.language = language(value(wanted, bytes)) }
        } else if accept >= 0 {
            reader.wantsProblem = AcceptField.wantsProblem(value(accept, bytes).span)
        }
        return reader
    }

    /// Who reads the answer to a head that no parser has taken, by the lines of it that are whole and at hand.
    ///
    /// To people it happens when cookies have piled up or one of them has a control octet, and when a link has raw bytes;
    /// only a page can tell them what to do.
    func reader(ofUnread bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Reader {
        let lines = UnreadHead(UnsafeBufferPointer(start: bytes, count: count))
        var reader = Reader()
        reader.isNavigation = lines.isNavigation
        if let wanted = lines.acceptLanguage, reader.isNavigation { reader.language = language(wanted) }
        return reader
    }

    private func language(_ field: UnsafeBufferPointer<UInt8>) -> UInt8 {
        UInt8(clamping: AcceptLanguage.choose(field.span, among: pointee.policy.pages.tags))
    }

    private func value(_ index: Int, _ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let range = pointee.scratch.head.pointee.fields[index].value
        return UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
    }
}

/// The lines of a head that no parser has taken, as far as pages have a use for them; nothing else may believe them.
struct UnreadHead {
    private(set) var isNavigation = false
    private(set) var acceptLanguage: UnsafeBufferPointer<UInt8>?

    /// Goes over the bytes once.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // A HEAD would have no content, and of other methods no browser shows the answer.
        guard bytes.starts(with: "GET ".utf8) || bytes.starts(with: "POST ".utf8) else { return }
        var signs = NavigationSigns()
        var isFetchedAhead = false
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != 0x0A { end += 1 }
            // The last line may have been cut anywhere.
            guard end < bytes.count else { break }
            let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
            start = end + 1
            // What follows is content, or the next request: neither says who waits for this answer.
            if line.isEmpty || line.elementsEqual(CollectionOfOne(0x0D)) { break }
            if let value = UnreadHead.value(of: "sec-fetch-mode:", in: line) {
                signs.seeMode(value.span)
            } else if let value = UnreadHead.value(of: "sec-fetch-dest:", in: line) {
                signs.seeDestination(value.span)
            } else if let value = UnreadHead.value(of: "accept:", in: line) {
                signs.seeAccept(value.span)
            } else if let value = UnreadHead.value(of: "accept-language:", in: line) {
                acceptLanguage = acceptLanguage ?? value
            } else if UnreadHead.value(of: "sec-purpose:", in: line) != nil
                || UnreadHead.value(of: "x-requested-with:", in: line) != nil
            {
                isFetchedAhead = true
            }
        }
        isNavigation = signs.isNavigation() && !isFetchedAhead
    }

    private static func value(
        of name: StaticString, in line: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard line.count >= wanted.count else { return nil }
        let beginning = UnsafeBufferPointer(rebasing: line[..<wanted.count])
        guard ASCII.equalsIgnoringCase(beginning.span, wanted.span) else { return nil }
        var (start, end) = (wanted.count, line.count)
        while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
        while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 || line[end - 1] == 0x0D { end -= 1 }
        return UnsafeBufferPointer(rebasing: line[start..<end])
    }
}
