import JSON
import TestSupport
import TestTraits
import Testing

@testable import Telemetry

extension SpanText {
    /// This many spans of their own numbers.
    fileprivate mutating func put(_ count: Int, from first: Int = 0) {
        for number in first..<first + count {
            begin(
                SpanPlace(trace: 1, span: UInt64(number + 1), parent: 0, start: 1, end: 2), .within, name: "introspect")
            end(isError: false)
        }
    }
}

@Suite struct `the queue of spans` {
    private func offer(_ spans: Int, to queue: SpanQueue, at now: Int64 = 0) {
        var text = SpanText(capacity: 1024)
        var left = spans
        while left > 0 {
            text.put(min(left, 100))
            queue.offer(&text, at: now)
            #expect(text.spans == 0 && text.count == 0)
            left -= 100
        }
    }

    @Test(.holds("ECO-53")) func `gives them out 512 at a time, or after five seconds`() {
        let queue = SpanQueue()
        offer(500, to: queue, at: 1000)
        #expect(queue.take(at: 1000) == nil)
        #expect(queue.take(at: 5999) == nil)
        #expect(queue.take(at: 6000)?.spans == 500)
        #expect(queue.take(at: 99_999) == nil)
        offer(1200, to: queue)
        #expect(queue.take(at: 0)?.spans == 500)
        #expect(queue.take(at: 0)?.spans == 500)
        #expect(queue.take(at: 0) == nil)
        #expect(queue.take(at: 0, all: true)?.spans == 200)
        #expect(queue.readings == TraceReadings())
    }

    @Test(.refuses("ECO-53")) func `is bounded, and counts what it does not take`() {
        let queue = SpanQueue()
        offer(20_000, to: queue)
        #expect(queue.readings.waiting == 8100)
        #expect(queue.readings.lost == [11_900, 0, 0])
        var given = 0
        while let batch = queue.take(at: 0, all: true) {
            #expect(batch.spans <= 512)
            given += batch.spans
        }
        #expect(given == 8100)
        offer(100, to: queue)
        queue.drop()
        #expect(queue.readings.lost == [11_900, 0, 100] && queue.readings.waiting == 0)
    }

    @Test(.refuses("ECO-53")) func `is bounded in bytes too`() {
        let queue = SpanQueue()
        let path = [UInt8](repeating: 1, count: 1024)
        for _ in 0..<4000 {
            var text = SpanText(capacity: 1024)
            text.begin(SpanPlace(trace: 1, span: 1, parent: 0, start: 1, end: 2), .server, name: "x")
            for _ in 0..<8 { text.attribute("url.path", path.span, limit: 1024) }
            text.end(isError: false)
            queue.offer(&text, at: 0)
        }
        #expect(queue.readings.lost[0] > 0)
        #expect(queue.readings.waiting < 400)
    }

    @Test(.holds("ECO-53")) func `makes bodies that are JSON of their spans`() throws {
        let queue = SpanQueue()
        offer(3, to: queue)
        let batch = try #require(queue.take(at: 0, all: true))
        let body = ExportEnvelope(service: "a \"b\"\n", version: "1").body(of: batch)
        let scope = try JSONValue.parse(body.span)["resourceSpans"]?.elements.first?["scopeSpans"]?.elements.first
        #expect(scope?["spans"]?.elements.count == 3)
        #expect(scope?["scope"]?["name"]?.string == "portcullis")
    }
}

@Suite struct `a span as text` {
    /// A golden span: ids in hexadecimal, numbers of 64 bits as texts, foreign bytes that end nothing.
    @Test(.holds("ECO-52"), .refuses("ECO-52")) func `is the JSON of OTLP`() {
        var text = SpanText(capacity: 64)
        let place = SpanPlace(trace: 0xab, span: 0xcd, parent: 0xef, start: 1_700_000_000_000_000_001, end: 5)
        text.begin(place, .server, method: Array("GET".utf8).span, route: Array("a\"b".utf8).span)
        text.attribute("url.scheme", "https")
        text.attribute("url.path", Array("/\"},{\"\n\u{202E}".utf8).span, limit: 64)
        text.attribute("http.response.status_code", 200)
        text.attribute("error.type", digits: 503)
        text.attribute("portcullis.request_id", id: 1)
        text.end(isError: true, link: (trace: 1, span: 2))
        let zeros = String(repeating: "0", count: 30)
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == """
                ,{"traceId":"\(zeros)ab","spanId":"00000000000000cd","parentSpanId":"00000000000000ef","kind":2,\
                "startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000001","name":"GET a\\"b",\
                "attributes":[{"key":"url.scheme","value":{"stringValue":"https"}},\
                {"key":"url.path","value":{"stringValue":"/\\"},{\\"\\u000a\\u202e"}},\
                {"key":"http.response.status_code","value":{"intValue":"200"}},\
                {"key":"error.type","value":{"stringValue":"503"}},\
                {"key":"portcullis.request_id","value":{"stringValue":"\(zeros)01"}}],\
                "links":[{"traceId":"\(zeros)01","spanId":"0000000000000002"}],"status":{"code":2}}
                """)
        text.clear()
        text.begin(
            SpanPlace(trace: 1, span: 2, parent: 0, start: 3, end: 4), .within, name: "introspect")
        text.end(isError: false)
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == """
                ,{"traceId":"\(zeros)01","spanId":"0000000000000002","kind":1,"startTimeUnixNano":"3",\
                "endTimeUnixNano":"4","name":"introspect","attributes":[]}
                """)
    }
}

@Suite struct `the attempts of an export` {
    @Test(.holds("ECO-53"), arguments: [200, 202, 299]) func `end with what is taken`(status: Int) {
        #expect(ExportAnswer(status: status, retryAfterSeconds: 3) == .taken)
    }

    @Test(.holds("ECO-53"), arguments: [429, 502, 503, 504]) func `come again where that helps`(status: Int) {
        #expect(ExportAnswer(status: status, retryAfterSeconds: 3) == .later(afterSeconds: 3))
        #expect(ExportAnswer(status: status, retryAfterSeconds: nil) == .later(afterSeconds: nil))
    }

    @Test(.refuses("ECO-53"), arguments: [100, 301, 400, 401, 404, 413, 500, 501, 505])
    func `do not where it does not`(status: Int) {
        #expect(ExportAnswer(status: status, retryAfterSeconds: 3) == .refused)
    }

    @Test(.holds("ECO-53"), .refuses("ECO-53")) func `wait longer each time, and end`() {
        var attempts = ExportAttempts()
        let waits = (0..<6).map { _ in attempts.next(afterSeconds: nil, spread: 0) }
        #expect(waits == [1000, 2000, 4000, 8000, nil, nil])
        attempts = ExportAttempts()
        #expect(attempts.next(afterSeconds: 7, spread: 1) == 7000)
        #expect(attempts.next(afterSeconds: 86_400, spread: 1) == 30_000)
        #expect(attempts.next(afterSeconds: 0, spread: 1) == 1000)
        #expect(attempts.next(afterSeconds: nil, spread: -3) == 6000)
    }
}
