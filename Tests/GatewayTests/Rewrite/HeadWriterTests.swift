import HTTP1
import TestSupport
import TestTraits
import Testing

@testable import Gateway

/// Memory with a border behind it that nobody may touch.
private final class Page {
    let start: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private static let border = 64

    init(_ capacity: Int) {
        self.capacity = capacity
        start = .allocate(capacity: capacity + Page.border)
        start.initialize(repeating: 0xEE, count: capacity + Page.border)
    }

    deinit { start.deallocate() }

    var writer: HeadWriter { HeadWriter(start, capacity: capacity) }
    var isBorderIntact: Bool { (capacity..<capacity + Page.border).allSatisfy { start[$0] == 0xEE } }

    func text(_ writer: HeadWriter) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: writer.count), as: UTF8.self)
    }
}

@Suite struct `a head writer` {
    @Test func `writes one thing behind the other`() {
        let page = Page(64)
        var writer = page.writer
        writer.put("HTTP/1.1 ")
        writer.putDecimal(200)
        writer.put(text: " OK")
        "\r\nA: b".withBytes { writer.put($0) }
        writer.put(UnsafeBufferPointer(start: nil, count: 0))
        #expect(page.text(writer) == "HTTP/1.1 200 OK\r\nA: b")
        #expect(!writer.isFull)
        #expect(writer.hasRoom(64 - writer.count))
        #expect(!writer.hasRoom(65 - writer.count))
    }

    @Test(
        .holds("HTTP-54"),
        arguments: [
            // RFC 4648 §10, and a value with every digit.
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"), ("\u{7}\u{7F}?>~", "B38/Pn4="),
        ])
    func `writes base64 with padding`(bytes: String, text: String) {
        let page = Page(64)
        var writer = page.writer
        bytes.withBytes { writer.put(base64: $0) }
        #expect(page.text(writer) == text)
        let tight = Page(max(0, text.utf8.count - 1))
        var short = tight.writer
        bytes.withBytes { short.put(base64: $0) }
        #expect(short.isFull == !text.isEmpty)
        #expect(tight.isBorderIntact)
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (10, "10"), (99, "99"), (100, "100"),
            (18_446_744_073_709_551_615, "18446744073709551615"),
        ] as [(UInt64, String)])
    func `writes numbers in decimal`(number: UInt64, text: String) {
        let page = Page(20)
        var writer = page.writer
        writer.putDecimal(number)
        #expect(page.text(writer) == text)
        #expect(!writer.isFull)
    }

    @Test func `fills its memory to the last byte and not beyond, and remembers`() {
        for capacity in 0...12 {
            let page = Page(capacity)
            var writer = page.writer
            writer.put("01234")
            writer.put("56789")
            #expect(writer.isFull == (capacity < 10))
            #expect(page.isBorderIntact)
            #expect(writer.count <= capacity)
            // What does not fit is left out whole: no half of a field line.
            #expect(page.text(writer) == (capacity >= 10 ? "0123456789" : capacity >= 5 ? "01234" : ""))
            let count = writer.count
            writer.putDecimal(12_345_678_901)
            #expect(page.isBorderIntact)
            #expect(writer.count == count)
            #expect(writer.isFull)
        }
    }

    @Test func `stays full when something small fits again`() {
        let page = Page(4)
        var writer = page.writer
        writer.put("long text")
        writer.put("ok")
        #expect(writer.isFull, "a head with a hole must not be sent")
    }

    @Test func `says how much of a body fits`() {
        let page = Page(100)
        var writer = page.writer
        #expect(writer.bodyRoom == 68)
        writer.advance(60)
        #expect(writer.bodyRoom == 8)
        writer.advance(20)
        #expect(writer.bodyRoom == 0)
    }
}

@Suite struct `a writer of content` {
    @Test(.holds("HTTP-32"), arguments: [1, 9, 10, 15, 16, 255, 256, 4095, 4096, 65_535, 65_536, 150_000])
    func `frames what was put as one chunk with its size`(count: Int) {
        let page = Page(count + 64)
        var writer = page.writer
        writer.put("HEAD")
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var chunk = ContentWriter(writer, as: .chunk)
        body.withUnsafeBufferPointer { body in
            guard let start = body.baseAddress else { return }
            chunk.put(start, count / 3)
            chunk.put(start + count / 3, count - count / 3)
        }
        #expect(chunk.length == count)
        let done = chunk.finish(isLast: true)
        #expect(!done.isFull)
        #expect(page.isBorderIntact)
        var bytes = Array(UnsafeBufferPointer(start: page.start, count: done.count))
        #expect(Array(bytes.prefix(4)) == Array("HEAD".utf8))
        bytes.removeFirst(4)
        let size = String(count, radix: 16)
        #expect(Array(bytes.prefix(10)) == Array((String(repeating: "0", count: 8 - size.count) + size + "\r\n").utf8))
        #expect(decoded(bytes) == body)
    }

    @Test(.holds("HTTP-32")) func `writes no chunk of size nought but the last`() {
        for isLast in [false, true] {
            let page = Page(40)
            var writer = page.writer
            writer.put("HEAD")
            var chunk = ContentWriter(writer, as: .chunk)
            let done = chunk.finish(isLast: isLast)
            #expect(page.text(done) == (isLast ? "HEAD0\r\n\r\n" : "HEAD"))
        }
    }

    @Test(.holds("HTTP-32")) func `leaves content as it is where nothing frames it`() {
        let page = Page(40)
        var writer = page.writer
        writer.put("HEAD")
        var content = ContentWriter(writer, as: .plain)
        "abc".withBytes { bytes in
            if let start = bytes.baseAddress { content.put(start, 3) }
        }
        #expect(content.length == 3)
        #expect(page.text(content.finish(isLast: true)) == "HEADabc")
    }

    @Test(.holds("HTTP-32")) func `leaves the end out while more is to come`() {
        let page = Page(40)
        var chunk = ContentWriter(page.writer, as: .chunk)
        "abc".withBytes { bytes in
            if let start = bytes.baseAddress { chunk.put(start, 3) }
        }
        #expect(page.text(chunk.finish(isLast: false)) == "00000003\r\nabc\r\n")
    }

    @Test func `has its frame's room where a body's worth was promised`() {
        let page = Page(200)
        var writer = page.writer
        writer.put("HEAD")
        let room = writer.bodyRoom
        var chunk = ContentWriter(writer, as: .chunk)
        [UInt8](repeating: 1, count: room).withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { chunk.put(start, room) }
        }
        let done = chunk.finish(isLast: true)
        #expect(!done.isFull)
        #expect(page.isBorderIntact)
        #expect(done.count <= 200)
    }

    @Test func `writes nothing past the end when more is put than was promised`() {
        let page = Page(30)
        var chunk = ContentWriter(page.writer, as: .chunk)
        [UInt8](repeating: 1, count: 64).withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { chunk.put(start, 64) }
        }
        #expect(chunk.finish(isLast: true).isFull)
        #expect(page.isBorderIntact)
    }

    /// The content, or nil when the bytes are not exactly one chunked body.
    private func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        var (decoder, content, used) = (ChunkedDecoder(), [UInt8](), 0)
        while used <= bytes.count {
            let rest = Array(bytes[used...])
            switch decoder.next(rest.span) {
            case .data(let offset, let count):
                content += rest[offset..<offset + count]
                used += offset + count
            case .end(let consumed): return used + consumed == bytes.count ? content : nil
            case .needMore, .refused: return nil
            }
        }
        return nil
    }
}
