import Access

@testable import Gateway
import TestTraits
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

    @Test(.refuses("ECO-63"), .holds("ECO-63"))
    func `lists the last refusals, the newest first, with nothing of tokens and queries`() {
        let buffer = DecisionBuffer(capacity: 4)
        for number in UInt64(1)...9 {
            var decision = decision(number)
            decision.evidence.method = "GET"
            decision.evidence.path = "/\(number)"
            decision.evidence.target = "/\(number)?secret=\(number)"
            decision.evidence.token = TokenEvidence("a.b.c".utf8Span.span)
            if number % 2 == 0 { decision.verdict = .refused(.tokenExpired, expected: "", found: "", row: "") }
            buffer.keep(decision)
        }
        let listed = buffer.latestRefusals(10)
        #expect(listed.map(\.path) == ["/8", "/6"])
        #expect(listed.map(\.cause) == [.tokenExpired, .tokenExpired])
        #expect(!"\(listed)".contains("secret"))
        #expect(buffer.latestRefusals(1).map(\.path) == ["/8"])
    }

    @Test(
        .refuses("ECO-63"), arguments: ["1-0000000000000001", "7-0000000000000001", "00000000000000010000000000000001"])
    func `shows no request in the place of another one whose name its client sent through a proxy`(name: String) {
        let buffer = DecisionBuffer(capacity: 4)
        var first = decision(1)
        first.generation = name.hasPrefix("7") ? 7 : 1
        buffer.keep(first)
        var later = decision(2)
        later.proxyID = name
        buffer.keep(later)
        #expect(buffer.find(name)?.id.words.0 == 1)
        #expect(buffer.find("9-0000000000000001") == nil)
    }

    @Test func `looks nowhere for what is longer than all that a request is called`() {
        let buffer = DecisionBuffer(capacity: 4)
        var longest = decision(1)
        longest.proxyID = String(repeating: "x", count: 128)
        var longer = decision(2)
        longer.proxyID = String(repeating: "y", count: 129)
        buffer.keep(longest)
        buffer.keep(longer)
        #expect(buffer.find(String(repeating: "x", count: 128))?.id.words.0 == 1)
        #expect(buffer.find(String(repeating: "y", count: 129)) == nil)
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

    private func settings(_ drain: Int) -> GatewaySettings {
        var settings = GatewaySettings(
            workers: 1, listeners: [], admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)),
            issuers: [], routes: [])
        settings.timeouts.drain = .seconds(drain)
        return settings
    }

    private func made(_ number: UInt64, by generation: UInt32) -> DecisionBuffer.Decision {
        var decision = decision(number)
        decision.generation = generation
        return decision
    }

    @Test(.holds("OPS-07")) func `knows the configurations that decisions were made by, and lets the others go`() {
        let buffer = DecisionBuffer(capacity: 3)
        buffer.adopt(settings(1), as: 1)
        buffer.keep(made(1, by: 1))
        // Refused after all: the next attempt has its number.
        buffer.adopt(settings(20), as: 2)
        buffer.adopt(settings(2), as: 2)
        #expect(buffer.configuration(1)?.timeouts.drain == .seconds(1))
        #expect(buffer.configuration(2)?.timeouts.drain == .seconds(2))
        buffer.adopt(settings(3), as: 3)
        // The second is served until the third is, and may decide yet.
        #expect(buffer.configuration(2) != nil)
        buffer.adopt(settings(4), as: 4)
        #expect(buffer.configuration(1) != nil)
        #expect(buffer.configuration(2) == nil)
        for number in 2...4 { buffer.keep(made(UInt64(number), by: 4)) }
        buffer.adopt(settings(5), as: 5)
        #expect(buffer.configuration(1) == nil)
    }

    @Test(.holds("OPS-07")) func `knows so many configurations and no more`() {
        let buffer = DecisionBuffer(capacity: 100)
        for number in 1...20 {
            buffer.adopt(settings(number), as: UInt32(number))
            buffer.keep(made(UInt64(number), by: UInt32(number)))
        }
        let known = (1...20).filter { buffer.configuration(UInt32($0)) != nil }
        #expect(known == Array((21 - DecisionBuffer.configurationLimit)...20))
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
