import HTTPMessage
import TestSupport
import TestTraits
import Testing

@Suite struct `the traceparent field` {
    private static let usual = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private static let broken: [String] = [
        "", "00", "00-", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01",
        "00-4bF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "FF-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-010",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01,",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
        "000-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-701",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
        "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        " 0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ]

    private func parent(_ text: String) -> TraceParent? {
        let bytes = Array(text.utf8)
        return TraceParent(bytes.span)
    }

    private func text(_ parent: TraceParent) -> String {
        let text = parent.text
        return String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
    }

    @Test(.holds("ECO-50")) func `W3C Trace Context section 3.2 names a trace, a span, and whether it was sampled`() {
        let parent = parent(Self.usual)
        #expect(parent?.traceID == 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736)
        #expect(parent?.spanID == 0x00f0_67aa_0ba9_02b7)
        #expect(parent?.isSampled == true)
        #expect(self.parent(String(Self.usual.dropLast()) + "0")?.isSampled == false)
    }

    /// Flags of a later level of the specification, such as `random` (02), are not ours to judge.
    @Test(arguments: [("00", false), ("02", false), ("03", true), ("fe", false), ("ff", true)])
    func `W3C Trace Context section 3.2.2.5 one flag is known`(flags: String, isSampled: Bool) {
        #expect(parent(String(Self.usual.dropLast(2)) + flags)?.isSampled == isSampled)
    }

    @Test(
        .refuses("ECO-50"), arguments: broken)
    func `W3C Trace Context section 3.2 anything else is none`(text: String) { #expect(parent(text) == nil) }

    @Test(
        .holds("ECO-50"),
        arguments: [
            ("01", ""), ("01", "-"), ("cc", "-what-the-future-will-be-like"), ("fe", "-ff"),
        ])
    func `W3C Trace Context section 3.2.4 of a later version its known parts are read`(version: String, more: String) {
        #expect(parent(version + String(Self.usual.dropFirst(2)) + more) == parent(Self.usual))
    }

    @Test(.refuses("ECO-50"), arguments: [("01", "0"), ("cc", ".x"), ("ff", "-x"), ("0A", "-x"), ("00", "-x")])
    func `W3C Trace Context section 3.2.4 a later version has a dash behind them`(version: String, more: String) {
        #expect(parent(version + String(Self.usual.dropFirst(2)) + more) == nil)
    }

    @Test(.holds("ECO-50")) func `is written as it is read`() {
        var numbers = Numbers(seed: 50)
        for _ in 0..<2000 {
            let parent = TraceParent(
                traceID: UInt128(numbers.next()) << 64 | UInt128(numbers.next() | 1), spanID: numbers.next() | 1,
                isSampled: numbers.next() & 1 == 0)
            #expect(self.parent(text(parent)) == parent)
        }
        #expect(text(TraceParent(traceID: 1, spanID: 0xab, isSampled: true)).hasPrefix("00-0000"))
    }

    /// Whatever of a field is read, its ids and its flag are the bytes that a reader of fixed places finds there.
    @Test(.refuses("ECO-50")) func `changed in one place it is another field or none`() {
        let whole = Array(Self.usual.utf8)
        var taken = 0
        for place in whole.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = whole
                bytes[place] = byte
                guard let parent = TraceParent(bytes.span) else { continue }
                taken += 1
                #expect(Array(text(parent).utf8)[3..<52] == bytes[3..<52])
                #expect(bytes.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            }
        }
        #expect(taken > 52 * 16)
    }
}
