// SPDX-License-Identifier: Apache-2.0
@testable import Gateway
import Testing

@Suite struct `the buffer of decisions` {
    private func decision(_ number: UInt64, bytes: Int = 0) -> DecisionBuffer.Decision {
        var evidence = RequestEvidence()
        evidence.target = String(repeating: "x", count: bytes)
        var id = RequestID()
        id.words = (number, number)
        return DecisionBuffer.Decision(id: id, time: 1, evidence: evidence, verdict: .answered)
    }

    private func remembers(_ buffer: DecisionBuffer, _ number: UInt64) -> Bool {
        buffer.find(decision(number).id) != nil
    }

    @Test func `keeps the last ones, and no more than it was made for`() {
        let buffer = DecisionBuffer(capacity: 3)
        for number in 1...5 { buffer.keep(decision(UInt64(number))) }
        #expect((1...5).map { remembers(buffer, UInt64($0)) } == [false, false, true, true, true])
    }

    @Test func `is bounded in bytes, and refuses what alone is larger`() {
        let buffer = DecisionBuffer(capacity: 2)
        buffer.keep(decision(1, bytes: 10_000))
        buffer.keep(decision(2, bytes: 25_000))
        #expect(!remembers(buffer, 1))
        #expect(remembers(buffer, 2))
        buffer.keep(decision(3, bytes: 40_000))
        #expect(!remembers(buffer, 3))
        #expect(remembers(buffer, 2))
    }

    @Test func `replaces a decision that is made again, and changes one`() {
        let buffer = DecisionBuffer(capacity: 2)
        buffer.keep(decision(1))
        buffer.keep(decision(1, bytes: 100))
        buffer.keep(decision(2))
        #expect(buffer.find(decision(1).id)?.evidence.target.utf8.count == 100)
        let refused = Verdict.refused(.upstreamClosed, expected: "", found: "", row: "HTTP-64")
        buffer.change(decision(1).id, at: 2, to: refused) { RequestEvidence() }
        guard case .refused = buffer.find(decision(1).id)?.verdict else {
            Issue.record("the verdict has not changed")
            return
        }
        buffer.change(decision(3).id, at: 2, to: refused) { RequestEvidence() }
        #expect(remembers(buffer, 3))
        #expect(!remembers(buffer, 1))
    }

    @Test func `an id is read as it is written, and nothing else is`() {
        var id = RequestID()
        id.words = (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)
        #expect(id.text == "0123456789abcdeffedcba9876543210")
        #expect(RequestID(hexadecimal: Substring(id.text))?.text == id.text)
        for text in ["", "0", id.text + "0", String(id.text.dropLast()) + "g"] {
            #expect(RequestID(hexadecimal: Substring(text)) == nil)
        }
    }
}
