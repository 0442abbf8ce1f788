import Bytes
import HTTPMessage
import TestTraits
import Testing

@Suite struct `the field lines of a head` {
    private func slot(_ id: FieldID, at place: Int) -> FieldSlot {
        let range = ByteRange(start: Int32(place), count: 1)
        return FieldSlot(line: range, name: range, value: range, id: id)
    }

    @Test func `keep their order and their duplicates`() {
        var fields = FieldList()
        let ids: [FieldID] = [.host, .cookie, .other, .cookie, .other, .origin, .cookie]
        for (place, id) in ids.enumerated() { fields.append(slot(id, at: place)) }
        #expect(fields.count == 7)
        #expect(ids.indices.map { fields[$0].id } == ids)
        #expect(ids.indices.map { fields[$0].value.start } == [0, 1, 2, 3, 4, 5, 6])
        #expect((fields.count(of: .cookie), fields.firstIndex(of: .cookie)) == (3, 1))
        #expect((fields.count(of: .host), fields.firstIndex(of: .host)) == (1, 0))
        #expect((fields.count(of: .authorization), fields.firstIndex(of: .authorization)) == (0, -1))
    }

    @Test(.holds("HTTP-65"), .refuses("HTTP-65")) func `are as many as fit, and one more is not taken`() {
        var fields = FieldList()
        for place in 0..<FieldList.capacity {
            let isTaken = fields.append(slot(.cookie, at: place))
            #expect(isTaken, "\(place)")
        }
        let isTaken = fields.append(slot(.host, at: 0))
        #expect(!isTaken)
        #expect(fields.count == FieldList.capacity)
        #expect((fields.count(of: .host), fields.firstIndex(of: .host)) == (0, -1), "nothing of it is counted")
        #expect(fields.count(of: .cookie) == FieldList.capacity)
    }

    @Test func `of the next head are none of the one before`() {
        var fields = FieldList()
        for id in FieldID.allCases { fields.append(slot(id, at: 0)) }
        fields.clear()
        #expect(fields.count == 0)
        for id in FieldID.allCases { #expect((fields.count(of: id), fields.firstIndex(of: id)) == (0, -1)) }
        fields.append(slot(.origin, at: 9))
        #expect((fields.count(of: .origin), fields.firstIndex(of: .origin)) == (1, 0))
        #expect(fields[0].value.start == 9)
    }
}

@Suite struct `a place in the bytes of a head` {
    @Test func `is the same by its count and by its end`() {
        let range = ByteRange(from: 3, to: 8)
        #expect(range == ByteRange(start: 3, count: 5))
        #expect((range.end, range.range, range.isEmpty) == (8, 3..<8, false))
        #expect(ByteRange.empty.isEmpty && ByteRange.empty.range == 0..<0)
        #expect(ByteRange(from: 4, to: 4).isEmpty)
    }

    @Test func `gives these bytes and no others`() {
        let bytes = Array("Host: shop".utf8)
        let name = [UInt8](copying: bytes.span.extracting(ByteRange(from: 0, to: 4)))
        let value = [UInt8](copying: bytes.span.extracting(ByteRange(from: 6, to: 10)))
        #expect((name, value) == (Array("Host".utf8), Array("shop".utf8)))
        let nothing = [UInt8](copying: bytes.span.extracting(ByteRange(from: 10, to: 10)))
        #expect(nothing.isEmpty)
    }
}

@Suite struct `reason phrases` {
    /// The names of the IANA registry, for the statuses that the gateway or an upstream behind it answers with.
    private static let registered: [UInt16: String] = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
        204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        413: "Content Too Large", 414: "URI Too Long", 417: "Expectation Failed", 421: "Misdirected Request",
        426: "Upgrade Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 508: "Loop Detected",
    ]

    @Test func `are those of the registry`() {
        for (code, phrase) in Self.registered { #expect("\(Status.reason(code))" == phrase, "\(code)") }
    }

    @Test func `never break the status line, whatever the code`() {
        for code in UInt16(0)...999 {
            let phrase = "\(Status.reason(code))"
            #expect(!phrase.isEmpty && phrase.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(code)")
        }
        #expect("\(Status.reason(599))" == "Unknown")
    }
}
