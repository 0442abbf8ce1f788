import RESP
import TestSupport
import TestTraits
import Testing

/// A reply as a value that can be compared.
indirect enum Read: Equatable {
    case status(String), error(String), integer(Int), string(String), null
    case array([Read])

    init?(_ bytes: [UInt8]) {
        guard let reply = Reply(bytes.span) else { return nil }
        self.init(reply)
    }

    init?(_ reply: borrowing Reply) {
        let text = String(decoding: reply.bytes.indices.map { reply.bytes[$0] }, as: UTF8.self)
        switch reply.kind {
        case .simpleString: self = .status(text)
        case .error: self = .error(text)
        case .integer: self = .integer(reply.integer)
        case .bulkString: self = .string(text)
        case .null: self = .null
        case .array:
            var read: [Read] = []
            var elements = reply.elements
            while let element = elements.next() {
                guard let one = Read(element) else { return nil }
                read.append(one)
            }
            guard read.count == reply.integer else { return nil }
            self = .array(read)
        }
    }
}

/// What pieces, one after the other, are to a reader: its reply and how many bytes it has, nil while more are needed.
private func read(_ pieces: [[UInt8]], limits: ReplyLimits = ReplyLimits()) throws -> (reply: Read, count: Int)? {
    var reader = ReplyReader(limits: limits)
    var bytes: [UInt8] = []
    for piece in pieces {
        bytes += piece
        guard let count = try reader.advance(bytes.span) else { continue }
        let whole = Array(bytes[..<count])
        return (try #require(Read(whole)), count)
    }
    return nil
}

@Suite struct `the reader of replies` {
    private static let replies: [(String, Read)] = [
        ("+OK\r\n", .status("OK")), ("+\r\n", .status("")), ("-ERR no\r\n", .error("ERR no")), (":0\r\n", .integer(0)),
        (":1\r\n", .integer(1)), (":-1\r\n", .integer(-1)), (":9223372036854775807\r\n", .integer(.max)),
        (":-9223372036854775808\r\n", .integer(.min)), ("$-1\r\n", .null), ("*-1\r\n", .null),
        ("$0\r\n\r\n", .string("")), ("$3\r\nabc\r\n", .string("abc")), ("$4\r\n\r\n\r\n\r\n", .string("\r\n\r\n")),
        ("*0\r\n", .array([])), ("*1\r\n*0\r\n", .array([.array([])])),
        (
            "*3\r\n$1\r\ng\r\n$-1\r\n:17\r\n", .array([.string("g"), .null, .integer(17)])
        ),
        (
            "*2\r\n*2\r\n+a\r\n*-1\r\n*1\r\n-ERR b\r\n",
            .array([.array([.status("a"), .null]), .array([.error("ERR b")])])
        ),
        // XREAD: streams, a stream and its entries, entries, an entry and its fields, fields.
        (
            "*1\r\n*2\r\n$4\r\npc:e\r\n*1\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\nk\r\n$1\r\nv\r\n",
            .array([
                .array([.string("pc:e"), .array([.array([.string("1-0"), .array([.string("k"), .string("v")])])])])
            ])
        ),
    ]

    @Test(.holds("SH-80"), arguments: replies)
    func `finds the same reply however its bytes arrive, and its end`(text: String, expected: Read) throws {
        for rest in ["", "+OK\r\n", "\u{0}"] {
            for pieces in everyCut(of: Array((text + rest).utf8)) {
                let found = try #require(try read(pieces))
                #expect(found.reply == expected)
                #expect(found.count == text.utf8.count)
            }
        }
        for start in everyStart(of: Array(text.utf8)) { #expect(try read([start]) == nil) }
    }

    @Test(.holds("SH-80")) func `goes on with the next reply`() throws {
        let bytes = Array("*1\r\n:1\r\n+OK\r\n$2\r\nab\r\n".utf8)
        var reader = ReplyReader()
        var (place, counts) = (0, [Int]())
        while place < bytes.count, let count = try reader.advance(bytes.span.extracting(place...)) {
            counts.append(count)
            place += count
        }
        #expect(counts == [8, 5, 8])
    }

    @Test(
        .refuses("SH-80"),
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n", ReplyRefusal.unknownType(0x48)),
            (">2\r\n+a\r\n+b\r\n", .unknownType(0x3E)),
            ("%1\r\n", .unknownType(0x25)), ("_\r\n", .unknownType(0x5F)), ("\r\n", .unknownType(0x0D)),
            ("*1\r\n~0\r\n", .unknownType(0x7E)), ("+O\nK\r\n", .brokenLine), ("+O\rK\r\n", .brokenLine),
            (":1\n", .brokenLine), (":\r\n", .brokenNumber), (":+1\r\n", .brokenNumber), (":01\r\n", .brokenNumber),
            (":-0\r\n", .brokenNumber), (":-\r\n", .brokenNumber), (":1a\r\n", .brokenNumber),
            (": 1\r\n", .brokenNumber),
            (":9223372036854775808\r\n", .brokenNumber), (":-9223372036854775809\r\n", .brokenNumber),
            (":99999999999999999999\r\n", .brokenNumber), (":999999999999999999999\r\n", .lineTooLong),
            ("$\r\n", .brokenNumber), ("$1x\r\n", .brokenNumber), ("$-2\r\n", .negativeLength),
            ("*-2\r\n", .negativeLength), ("$?\r\n", .brokenNumber), ("$3\r\nabcdef\r\n", .lengthDisagrees),
            ("$3\r\nabc\rx", .lengthDisagrees), ("$3\r\nab\r\n+OK\r\n", .lengthDisagrees),
            ("*1\r\n$1\r\nab", .lengthDisagrees),
        ])
    func `refuses what is no reply, however its bytes arrive`(text: String, refusal: ReplyRefusal) throws {
        for pieces in everyCut(of: Array(text.utf8)) { #expect(throws: refusal) { try read(pieces) } }
    }

    @Test(
        .refuses("SH-16"),
        arguments: [
            ("$1073741824\r\n", ReplyRefusal.tooLarge), ("$9223372036854775807\r\n", .tooLarge),
            ("$131065\r\n", .tooLarge), ("*1025\r\n", .tooManyElements), ("*9223372036854775807\r\n", .tooManyElements),
            ("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", .tooDeep),
            ("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1025\r\n", .tooManyElements),
        ])
    func `refuses a bound's excess when it is announced`(text: String, refusal: ReplyRefusal) throws {
        #expect(throws: refusal) { try read([Array(text.utf8)]) }
    }

    @Test(.holds("SH-16")) func `takes a reply of 128 KiB, and 1,024 elements`() throws {
        let content = 131_072 - 9 - 2
        let large = "$\(content)\r\n" + String(repeating: "v", count: content) + "\r\n"
        #expect(large.utf8.count == 131_072)
        #expect(try read([Array(large.utf8)])?.count == 131_072)
        let many = "*1024\r\n" + String(repeating: ":1\r\n", count: 1024)
        #expect(try read([Array(many.utf8)])?.reply == .array(Array(repeating: .integer(1), count: 1024)))
    }

    @Test(.refuses("SH-16")) func `refuses small elements whose sum is too much, and lines without an end`() throws {
        let limits = ReplyLimits(bytes: 40, elements: 100, line: 16)
        let many = Array(("*9\r\n" + String(repeating: ":1\r\n", count: 9)).utf8)
        #expect(try read([many], limits: limits)?.count == 40)
        #expect(throws: ReplyRefusal.tooLarge) {
            try read([Array(("*10\r\n" + String(repeating: ":1\r\n", count: 10)).utf8)], limits: limits)
        }
        #expect(try read([Array("+abcdefghijklmno\r\n".utf8)], limits: limits)?.count == 18)
        #expect(try read([Array("+abcdefghijklmno".utf8)], limits: limits) == nil)
        for ending in ["q", "\r\n", "q\r\n"] {
            #expect(throws: ReplyRefusal.lineTooLong) {
                try read([Array(("+abcdefghijklmnop" + ending).utf8)], limits: limits)
            }
        }
        #expect(throws: ReplyRefusal.lineTooLong) { try read([Array("$00000000000000000000000".utf8)]) }
    }

    @Test func `reads no reply of bytes that are not exactly one`() {
        for text in ["", "+", "+O", "+OK\r", "$3\r\nab\r\n", "$2\r\nab\r\n+", "%1\r\n", ":x\r\n", "$x\r\n", "*x\r\n"] {
            #expect(Read(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test func `judges every change of one byte alike, whole or byte by byte`() {
        for (_, bytes) in everyChange(of: Array("*2\r\n$2\r\nab\r\n:-1\r\n".utf8)) {
            let whole = Result { try read([bytes])?.count }
            let pieces = Result { try read(bytes.map { [$0] })?.count }
            switch (whole, pieces) {
            case (.success(let one), .success(let other)): #expect(one == other, "\(bytes)")
            case (.failure, .failure): break
            default: Issue.record("\(bytes)")
            }
        }
    }
}
