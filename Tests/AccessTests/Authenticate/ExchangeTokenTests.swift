import Bytes
import Crypto
import Issuers
import TestTraits
import Testing

@testable import Access

private func text(_ block: AttachedBlock?) -> String? {
    block.map { String(copying: $0.bytes) }
}

private func block(_ rule: Int, _ text: String, until: Int64 = .max) -> AttachedBlock {
    AttachedBlock(rule: rule, Array(text.utf8), usableUntil: until)
}

@Suite struct `a route that exchanges` {
    private let rig: JudgeRig
    private let records: TokenRecords

    init() throws {
        var route = JudgeRig.route()
        route.credential = .exchange(ExchangeSettings(client: 0, audience: ["tools"]))
        rig = try JudgeRig([route])
        records = try TokenRecords()
    }

    private func wait(_ rig: JudgeRig, _ record: TokenRecord, _ findings: inout Findings) throws(Refused) -> Wait {
        try rig.table.policy.pointee.exchangeToken(
            rig.table.index.list.value(at: 0), record, &findings, now: rig.now)
    }

    /// Gives the request a token, of which it then holds one use.
    private func give(_ token: AttachedBlock, _ findings: inout Findings) {
        token.retain()
        findings.upstreamToken = token
    }

    @Test(.holds("TX-01")) func `waits for its token once, and has it from then on`() throws {
        var findings = Findings()
        defer { findings.forget() }
        let record = records.make(digest(1))
        defer { record.release() }
        #expect(try wait(rig, record, &findings) == .exchange(rule: 0, digest(1)))
        #expect(findings.upstreamToken == nil)
        _ = record.attach(block(0, "for the upstream"), as: .upstreamToken)
        #expect(try wait(rig, record, &findings) == .nothing)
        #expect(text(findings.upstreamToken) == "for the upstream")
    }

    @Test(.holds("TX-04")) func `asks again when the token at hand has ended, or is another rule's`() throws {
        var findings = Findings()
        defer { findings.forget() }
        let record = records.make(digest(1))
        defer { record.release() }
        _ = record.attach(block(1, "another rule's"), as: .upstreamToken)
        _ = record.attach(block(0, "ended", until: rig.now), as: .upstreamToken)
        #expect(try wait(rig, record, &findings) == .exchange(rule: 0, digest(1)))
        #expect(findings.upstreamToken == nil)
        // One that came for this very request serves it, however short its time.
        give(try #require(record.attached(.upstreamToken, rule: 0)), &findings)
        #expect(try wait(rig, record, &findings) == .nothing)
    }

    @Test(.refuses("TX-03")) func `is refused as the server said, and never goes on with the client's token`() throws {
        var findings = Findings()
        defer { findings.forget() }
        let record = records.make(digest(1))
        defer { record.release() }
        for refusal in [Refusal.exchangeSubjectRefused, .exchangeTargetRefused, .exchangeUnavailable] {
            findings.exchanged = .refused(Refused(refusal))
            do throws(Refused) {
                _ = try wait(rig, record, &findings)
                #expect(Bool(false), "\(refusal)")
            } catch {
                #expect(error.cause == refusal)
            }
            #expect(findings.upstreamToken == nil)
        }
    }

    @Test(.holds("TX-01")) func `is the only kind of route that waits for one`() throws {
        var findings = Findings()
        defer { findings.forget() }
        let record = records.make(digest(1))
        defer { record.release() }
        #expect(try wait(try JudgeRig([JudgeRig.route()]), record, &findings) == .nothing)
    }

    /// The cache lets a record go while its request waits; the token is then verified again, into another record.
    @Test(.holds("TX-04")) func `keeps the token it waited for when the record beside it is made anew`() throws {
        var findings = Findings()
        defer { findings.forget() }
        let earlier = records.make(digest(1)), record = records.make(digest(1))
        defer {
            earlier.release()
            record.release()
        }
        let kept = block(0, "for the upstream", until: 1234)
        _ = earlier.attach(kept, as: .upstreamToken)
        give(kept, &findings)
        findings.carryUpstreamToken(from: earlier, to: record, &rig.identities)
        let carried = try #require(record.attached(.upstreamToken, rule: 0))
        #expect(carried.usableUntil == 1234)
        #expect(carried != kept && text(carried) == "for the upstream")
        #expect(findings.upstreamToken == kept)
        #expect(text(findings.upstreamToken) == "for the upstream")
    }

    @Test(.holds("TX-04")) func `leaves everything as it is when the record is the same, or nothing was waited for`()
        throws
    {
        var findings = Findings()
        defer { findings.forget() }
        let earlier = records.make(digest(1)), record = records.make(digest(1))
        defer {
            earlier.release()
            record.release()
        }
        let kept = block(0, "for the upstream")
        _ = earlier.attach(kept, as: .upstreamToken)
        findings.carryUpstreamToken(from: earlier, to: record, &rig.identities)
        #expect(findings.upstreamToken == nil)
        #expect(record.attached(.upstreamToken, rule: 0) == nil)
        give(kept, &findings)
        findings.carryUpstreamToken(from: earlier, to: earlier, &rig.identities)
        #expect(findings.upstreamToken == kept)
    }
}
