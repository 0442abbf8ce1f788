import HTTP2
import TestTraits
import Testing

private let pseudo = [(":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "a.example")]
/// Indexes of the static table: GET, https, `/`; and `:authority` as a literal.
private let short: [UInt8] = [0x82, 0x87, 0x84, 0x01, 0x01, 0x61]

@Suite struct `limits of header sections over HTTP/2` {
    @Test(.holds("H2-30")) func `let ninety-nine fields and sixty kilobytes pass`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, (0..<95).map { ("x-\($0)", "b") }))
        let value = String(repeating: "v", count: 1000)
        var fields = Frames.block(pseudo)
        for number in 0..<58 { fields += Frames.literal("x-\(number)", value) }
        let cut = 16_000
        var rest = fields[...]
        server.receive(Frames.headers(3, Array(rest.prefix(cut)), endsSection: false))
        rest = rest.dropFirst(cut)
        while !rest.isEmpty {
            server.receive(Frames.continuation(3, Array(rest.prefix(cut)), endsSection: rest.count <= cut))
            rest = rest.dropFirst(cut)
        }
        #expect(server.requests == [1, 3])
    }

    @Test(
        .refuses("H2-30"),
        arguments: [
            (Frames.block((0..<97).map { ("x-\($0)", "b") }), HeadFault.tooManyFields),
            (
                Frames.indexed("x-a", String(repeating: "v", count: 3000)) + [UInt8](repeating: 0xbe, count: 22),
                .listTooLarge
            ),
        ] as [([UInt8], HeadFault)])
    func `refuse more, and leave the connection in order`(fields: [UInt8], fault: HeadFault) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.headers(1, Frames.block(pseudo) + fields))
        #expect(server.seen == [.refused(1, fault)])
        #expect(fault.isTooLarge)
        server.answer(1, "HTTP/1.1 431 Request Header Fields Too Large\r\n\r\n")
        // The table of the client's compression is what the client thinks it is.
        server.receive(Frames.headers(3, Frames.block(pseudo) + (fault == .listTooLarge ? [0xbe] : [])))
        #expect(server.requests == [3])
        #expect(server.resets == [])
    }

    /// CVE-2016-6581, CVE-2026-49975, CVE-2026-47774: few bytes on the wire that are many in memory.
    @Test(
        .refuses("H2-30", "H2-58"),
        arguments: [
            (Frames.indexed("x-a", String(repeating: "v", count: 4000)), 30_000),
            (Frames.indexed("a", ""), 30_000),
            (Frames.indexed("cookie", "a"), 15_000),
        ])
    func `end the connection at a section of references, which costs little memory and little work`(
        entry: [UInt8], count: Int
    ) throws {
        let server = try ServerUnderTest()
        let before = server.memory.used
        let references = [UInt8](repeating: 0xbe, count: count)
        var rest = (short + entry + references)[...]
        server.receive(Frames.headers(1, Array(rest.prefix(16_000)), endsSection: rest.count <= 16_000))
        rest = rest.dropFirst(16_000)
        while !rest.isEmpty {
            server.receive(Frames.continuation(1, Array(rest.prefix(16_000)), endsSection: rest.count <= 16_000))
            rest = rest.dropFirst(16_000)
        }
        #expect(server.requests == [])
        #expect(server.memory.used - before < 1 << 20)
        #expect(server.connection.fault == .calm(.oversizedHeads))
        #expect(server.goAways == [11])
        server.receive(Frames.request(3))
        #expect(server.requests == [])
        #expect(server.connection.isOver)
    }

    @Test(.refuses("H2-30"), .holds("H2-58"), arguments: [97, 900])
    func `end a connection at the third head that is over them`(count: Int) throws {
        let server = try ServerUnderTest()
        let entry = Frames.indexed("a", "")
        for stream in [1, 3, 5] as [UInt32] {
            #expect(server.connection.fault == nil)
            server.receive(Frames.headers(stream, short + entry + [UInt8](repeating: 0xbe, count: count)))
            if stream < 5 { server.answer(Int32(stream), "HTTP/1.1 431 Too Large\r\n\r\n") }
        }
        #expect(server.connection.fault == .calm(.oversizedHeads))
        #expect(server.goAways == [11])
    }

    @Test(.holds("H2-15", "H2-57")) func `take a section in eight pieces, a byte at a time`() throws {
        let server = try ServerUnderTest()
        let block = Frames.block(pseudo + [("x-a", String(repeating: "v", count: 3000))])
        let piece = block.count / 9 + 1
        var bytes = Frames.headers(1, Array(block.prefix(piece)), endsSection: false)
        var rest = block.dropFirst(piece)
        while !rest.isEmpty {
            bytes += Frames.continuation(1, Array(rest.prefix(piece)), endsSection: rest.count <= piece)
            rest = rest.dropFirst(piece)
        }
        #expect(SentFrame.all(in: bytes).count == 9)
        server.receive(bytes, by: 1)
        #expect(server.requests == [1])
        #expect(server.memory.used < 100_000)
    }

    @Test(
        .refuses("H2-57"),
        arguments: [
            (0..<9).flatMap { _ in Frames.continuation(1, [], endsSection: false) },
            (0..<5000).flatMap { _ in Frames.continuation(1, [], endsSection: false) },
            (0..<65).flatMap { _ in
                Frames.continuation(1, Frames.literal("x-a", String(repeating: "v", count: 16_376)), endsSection: false)
            },
        ])
    func `end the connection at a section in too many pieces, or too large`(pieces: [UInt8]) throws {
        for size in [Int.max, pieces.count > 1 << 20 ? 997 : 7] {
            let server = try ServerUnderTest()
            server.receive(Frames.headers(1, short, endsSection: false))
            server.receive(pieces, by: size)
            #expect(server.connection.fault == .calm(.sectionTooLarge))
            #expect(server.goAways == [11])
            #expect(server.connection.isOver)
            server.receive(Frames.request(3))
            #expect(server.requests == [])
        }
    }

    /// A browser keeps 180 cookies of 4 KiB of a site: who has them all is told that they are too many.
    @Test(.holds("H2-57"), arguments: [16_384, 16_383, 10_000])
    func `refuse all cookies of a browser, and leave the connection and other streams in order`(size: Int) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.headers(1, Frames.block(pseudo)))
        #expect(server.requests == [1])
        let before = server.memory.used
        let cookie = String(repeating: "c", count: 4080)
        let block = Frames.block(pseudo) + Frames.indexed("x-a", "kept")
        let cookies = (0..<180).flatMap { Frames.literal("cookie", "name-\($0)=" + cookie) }
        var rest = (block + cookies)[...]
        #expect(rest.count > 700_000)
        server.receive(Frames.headers(3, Array(rest.prefix(size)), endsSection: false))
        rest = rest.dropFirst(size)
        while !rest.isEmpty {
            server.receive(Frames.continuation(3, Array(rest.prefix(size)), endsSection: rest.count <= size))
            rest = rest.dropFirst(size)
        }
        #expect(server.seen.last == .refused(3, .listTooLarge))
        #expect(server.memory.used - before < 1 << 20)
        #expect(server.connection.fault == nil)
        server.answer(3, "HTTP/1.1 431 Request Header Fields Too Large\r\n\r\n")
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n")
        // The table of the client's compression is what the client thinks it is.
        server.receive(Frames.headers(5, Frames.block(pseudo) + [0xbe]))
        #expect(server.requests == [1, 5])
        #expect(server.resets == [])
        #expect(server.goAways == [])
    }

    /// The library reads no longer one, and of what it cannot decode nobody knows what else it would have stood for.
    @Test(.refuses("H2-57")) func `end the connection at a single value of more than 64 KiB`() throws {
        let server = try ServerUnderTest()
        var rest = Frames.literal("cookie", String(repeating: "c", count: 65_537))[...]
        server.receive(Frames.headers(1, Frames.block(pseudo), endsSection: false))
        while !rest.isEmpty {
            server.receive(Frames.continuation(1, Array(rest.prefix(16_000)), endsSection: rest.count <= 16_000))
            rest = rest.dropFirst(16_000)
        }
        #expect(server.requests == [])
        #expect(server.goAways == [9])
        #expect(server.connection.fault == .told(ErrorCode(rawValue: 9)))
    }

    @Test(
        .refuses("H2-15"),
        arguments: [
            Frames.headers(1, short, endsSection: false) + Frames.continuation(3, [], endsSection: true),
            Frames.headers(1, short, endsSection: false) + Frames.ping(),
            Frames.headers(1, short + [0xff, 0x40]), Frames.headers(1, short + [0x3f, 0x01]),
            Frames.headers(1, [0x3f, 0xe2, 0x7f] + short), Frames.continuation(1, short, endsSection: true),
            Frames.headers(1, [0x00, 0x83, 0xff, 0xff, 0xff, 0x01, 0x61]),
        ])
    func `end the connection at a section that is interrupted or not decoded`(bytes: [UInt8]) throws {
        let server = try ServerUnderTest()
        server.receive(bytes + Frames.request(5))
        #expect(server.requests == [])
        #expect(server.goAways.count == 1)
        #expect(server.connection.isOver)
    }

    /// Fields that are none cost as much to look at as others do (CVE-2019-9516).
    @Test(.refuses("H2-58"), arguments: [("", ""), ("x", " ")])
    func `end the connection at thousands of fields that are none`(name: String, value: String) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.headers(1, short + (0..<1100).flatMap { _ in Frames.literal(name, value) }))
        #expect(server.connection.fault == .calm(.oversizedHeads))
        #expect(server.seen == [])
        #expect(server.connection.isOver)
    }

    @Test(.refuses("H2-58")) func `take no more than two updates of the table's size in a section`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.headers(1, [0x20, 0x3f, 0xe1, 0x1f] + short))
        #expect(server.requests == [1])
        for size in [1, Int.max] {
            let other = try ServerUnderTest()
            other.receive(Frames.headers(3, [0x20, 0x20, 0x3f, 0xe1, 0x1f] + short), by: size)
            #expect(other.requests == [])
            #expect(other.connection.fault == .calm(.sectionTooLarge))
            let priority = try ServerUnderTest()
            let payload: [UInt8] = [2, 0, 0, 0, 0, 16] + [0x20, 0x20, 0x20] + short + [0, 0]
            priority.receive(Frames.frame(1, flags: 0x2d, stream: 1, payload), by: size)
            #expect(priority.connection.fault == .calm(.sectionTooLarge))
        }
    }
}
