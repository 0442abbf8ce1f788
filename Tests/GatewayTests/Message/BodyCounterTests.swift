import HTTP1
import HTTPMessage
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the counter of a body` {
    @Test(
        arguments: [
            (BodyFraming.none, BodyCounter.Kind.complete, 0), (.length(0), .complete, 0), (.length(1), .length, 1),
            (.length(.max), .length, .max), (.chunked, .chunked, 0), (.untilClose, .untilClose, 0),
        ] as [(BodyFraming, BodyCounter.Kind, Int64)])
    func `begins as the framing says`(framing: BodyFraming, kind: BodyCounter.Kind, remaining: Int64) {
        let counter = BodyCounter(framing)
        #expect(counter.kind == kind)
        #expect(counter.remaining == remaining)
        #expect(counter.isComplete == (kind == .complete))
    }

    @Test func `of a message without a body is complete`() { #expect(BodyCounter().isComplete) }

    /// The content, the bytes that are used up, and the cause where they are no body.
    private func read(
        _ counter: inout BodyCounter, _ text: String
    ) -> (content: String, used: Int, refusal: HTTP1Refusal?) {
        let bytes = Array(text.utf8)
        var (content, used) = ([UInt8](), 0)
        while used < bytes.count, !counter.isComplete {
            let rest = Array(bytes[used...])
            switch counter.next(in: rest.span) {
            case .content(let offset, let count):
                content += rest[offset..<offset + count]
                used += offset + count
            case .framing(let taken), .end(let taken): used += taken
            case .refused(let cause): return (String(decoding: content, as: UTF8.self), used, cause)
            }
        }
        return (String(decoding: content, as: UTF8.self), used, nil)
    }

    @Test(
        .holds("HTTP-32"),
        arguments: [
            (BodyFraming.none, "next", "", 0, true), (.length(4), "bodynext", "body", 4, true),
            (.length(4), "bod", "bod", 3, false), (.chunked, "2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\nnext", "body", 19, true),
            (.chunked, "2\r\nbo\r\n2\r", "bo", 9, false), (.untilClose, "body", "body", 4, false),
        ] as [(BodyFraming, String, String, Int, Bool)])
    func `gives the content, and nothing behind the body`(
        framing: BodyFraming, text: String, content: String, used: Int, isComplete: Bool
    ) {
        var counter = BodyCounter(framing)
        let found = read(&counter, text)
        #expect(found.content == content && found.used == used && found.refusal == nil)
        #expect(counter.isComplete == isComplete)
    }

    @Test(.holds("HTTP-32"), arguments: [BodyFraming.length(4), .chunked])
    func `gives the same however the bytes are cut`(framing: BodyFraming) {
        let text = framing == .chunked ? "3;a=b\r\nbod\r\n1\r\ny\r\n0\r\n\r\n" : "body"
        for cut in 0...text.utf8.count {
            var counter = BodyCounter(framing)
            let first = read(&counter, String(text.prefix(cut)))
            let second = read(&counter, String(text.dropFirst(cut)))
            #expect(first.content + second.content == "body", "cut at \(cut)")
            #expect(counter.isComplete && first.refusal == nil && second.refusal == nil)
        }
    }

    @Test(.refuses("HTTP-30")) func `refuses what are no chunks, and takes nothing behind it for a body`() {
        var counter = BodyCounter(.chunked)
        let outcome = read(&counter, "1\r\nab")
        #expect(outcome.content == "a" && outcome.refusal == .chunkDataNotTerminated)
        #expect(!counter.isComplete)
    }

    @Test func `ends with its peer, or with the last byte that was announced`() {
        var endless = BodyCounter(.untilClose)
        #expect(endless.pass(7) == 7 && !endless.isComplete)
        endless.end()
        #expect(endless.isComplete && endless.pass(7) == 0)
        var short = BodyCounter(.length(9))
        #expect(short.pass(7) == 7 && short.remaining == 2)
        #expect(short.pass(7) == 2 && short.isComplete)
    }
}
