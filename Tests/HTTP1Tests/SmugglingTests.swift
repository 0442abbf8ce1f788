import Bytes
import HTTP1
import HTTPMessage
import TestTraits
import Testing

/// What a server on a keep-alive connection would do with all the bytes that arrive on it.
private struct Served: Equatable {
    /// Method, target and body of every whole request.
    var requests: [String] = []
    var refusal: HTTP1Refusal?

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var head = RequestHead()
        var parser = RequestHeadParser()
        var start = 0
        while start < bytes.count {
            parser.reset()
            switch parser.parse(bytes.span.extracting(start...), limits: HTTP1Limits(), into: &head) {
            case .incomplete: return
            case .refused(let refusal):
                self.refusal = refusal
                return
            case .complete: break
            }
            let message = Array(bytes[start...])
            let bodyStart = start + head.length
            guard let (body, end) = take(head.framing, bytes, from: bodyStart) else { return }
            let method = String(decoding: message[head.method.range], as: UTF8.self)
            let target = String(decoding: message[head.target.range], as: UTF8.self)
            requests.append("\(method) \(target) \(body)")
            start = end
            guard head.keepAlive else { return }
        }
    }

    private mutating func take(_ framing: BodyFraming, _ bytes: [UInt8], from start: Int) -> (String, Int)? {
        switch framing {
        case .none, .untilClose: return ("", start)
        case .length(let length):
            guard length <= bytes.count - start else { return nil }
            return (String(decoding: bytes[start..<(start + Int(length))], as: UTF8.self), start + Int(length))
        case .chunked:
            var decoder = ChunkedDecoder()
            var body = ""
            var used = start
            while true {
                switch decoder.next(bytes.span.extracting(used...)) {
                case .data(let offset, let count):
                    body += String(decoding: bytes[(used + offset)..<(used + offset + count)], as: UTF8.self)
                    used += offset + count
                case .needMore: return nil
                case .end(let consumed): return (body, used + consumed)
                case .refused(let refusal):
                    self.refusal = refusal
                    return nil
                }
            }
        }
    }
}

@Suite struct `smuggling` {
    private let admin = "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `there are at least sixty framings`() {
        let count = SmugglingVectors.fields.count + SmugglingVectors.heads.count + SmugglingVectors.bodies.count
        #expect(count >= 60)
        #expect(SmugglingVectors.fields.count >= 60)
    }

    @Test(.refuses("HTTP-24"), arguments: SmugglingVectors.fields)
    func `fields that two readers frame differently are refused before anything behind them is read`(
        lines: String, refusal: HTTP1Refusal
    ) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n"
        #expect(request(head) == .refused(refusal))
        #expect(Served(head + SmugglingVectors.tail) == Served(refusedWith: refusal))
        // The same lines behind others, and in front of Host.
        #expect(
            request("POST / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\(lines)\r\nX-Last: z\r\n\r\n") == .refused(refusal))
    }

    @Test(.refuses("HTTP-07"), arguments: SmugglingVectors.heads)
    func `first lines that two readers see differently are refused`(head: String, refusal: HTTP1Refusal) {
        #expect(request(head) == .refused(refusal))
        #expect(Served(head + SmugglingVectors.tail) == Served(refusedWith: refusal))
    }

    @Test(.refuses("HTTP-28"), arguments: SmugglingVectors.bodies)
    func `chunked bodies that two readers end differently are refused`(body: String, refusal: HTTP1Refusal) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(Served(head + body + admin) == Served(refusedWith: refusal))
    }

    @Test(.holds("HTTP-34"), .refuses("HTTP-34")) func `a request inside a body of known length stays a body`() {
        for method in ["GET", "HEAD", "DELETE", "OPTIONS", "POST"] {
            let text = "\(method) /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(admin.utf8.count)\r\n\r\n\(admin)"
            #expect(Served(text).requests == ["\(method) /a \(admin)"])
        }
    }

    @Test(.holds("HTTP-30"), .refuses("HTTP-30"))
    func `a request inside a chunk stays data, one behind the body is the next`() {
        let size = String(admin.utf8.count, radix: 16)
        let text = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(admin)\r\n0\r\n\r\n"
        #expect(Served(text).requests == ["POST /a \(admin)"])
        #expect(Served(text + "GET /b HTTP/1.1\r\nHost: a\r\n\r\n").requests == ["POST /a \(admin)", "GET /b "])
    }

    @Test(.holds("HTTP-36")) func `pipelined requests are found one behind the other`() {
        let text = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy"
        #expect(Served(text + "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n").requests == ["GET /1 ", "POST /2 xy", "GET /3 "])
    }

    @Test(.refuses("HTTP-37")) func `what follows a request that closes is not a request`() {
        #expect(Served("GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + admin).requests == ["GET /1 "])
        #expect(Served("GET /1 HTTP/1.0\r\n\r\n" + admin).requests == ["GET /1 "])
    }
}

extension Served {
    fileprivate init(refusedWith refusal: HTTP1Refusal) {
        self.init("")
        self.refusal = refusal
    }
}
