import HTTP1
import HTTPMessage
import TestSupport
import TestTraits
import Testing

@Suite struct `hostile bytes` {
    private static let heads = [
        "GET /a?b HTTP/1.1\r\nHost: a:1\r\nConnection: keep-alive, x\r\nTransfer-Encoding: chunked\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: [::1]\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n",
        "GET http://a.b/c HTTP/1.0\r\nX: \ty \r\nUpgrade: websocket\r\nAuthorization: Bearer x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n",
    ]
    private static let octets: [UInt8] = [0, 9, 10, 13, 0x20, 0x2c, 0x3a, 0x2f, 0x30, 0x39, 0x41, 0x7f, 0x80, 0xff]

    /// The text with up to three octets replaced, removed, doubled or added.
    private static func mutated(_ text: String, with numbers: inout Numbers) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0...Int.random(in: 0...2, using: &numbers) {
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            let octet = octets.randomElement(using: &numbers) ?? 0
            switch Int.random(in: 0...3, using: &numbers) {
            case 0: bytes[place] = octet
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(bytes[place], at: place)
            default: bytes.insert(octet, at: place)
            }
        }
        return bytes
    }

    @Test(.refuses("HTTP-03"), arguments: [UInt64(1), 2, 3, 4])
    func `a damaged head never traps and has one verdict however it is cut`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        for _ in 0..<25 {
            for head in Self.heads {
                let bytes = Self.mutated(head, with: &numbers)
                _ = request(bytes)
                _ = response(bytes)
            }
        }
    }

    @Test(.refuses("HTTP-28"), arguments: [UInt64(5), 6])
    func `a damaged chunked body never traps and uses up no more than there is`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        for _ in 0..<200 {
            let bytes = Self.mutated("5;a=\"b\"\r\nabcde\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\nrest", with: &numbers)
            var outcomes: Set<String> = []
            for pieces in everyCut(of: bytes) { outcomes.insert(Self.drain(pieces)) }
            if outcomes.count != 1 { Issue.record("\(bytes): \(outcomes)") }
        }
    }

    private static func drain(_ pieces: [[UInt8]]) -> String {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        var before = 0
        for piece in pieces {
            var used = 0
            reading: while true {
                switch decoder.next(piece.span.extracting(used...)) {
                case .data(let offset, let count):
                    body += piece[(used + offset)..<(used + offset + count)]
                    used += offset + count
                case .needMore: break reading
                case .end(let consumed): return "\(body) ended at \(before + used + consumed)"
                case .refused(let refusal): return "\(body.count <= before + piece.count) \(refusal)"
                }
            }
            before += piece.count
        }
        return "\(body) unfinished"
    }
}
