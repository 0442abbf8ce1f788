import Access
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the id of a decision` {
    private static let id = RequestID(hexadecimal: "9f86d081884c7d650123456789abcdef") ?? RequestID()

    @Test(.holds("ECO-62"), arguments: [0, 1, 9, 10, 4_294_967_295] as [UInt32])
    func `has the configuration's number and the beginning of the request's id`(generation: UInt32) throws {
        let decision = DecisionID(Self.id, generation: generation)
        #expect(decision.text == "\(generation)-9f86d081884c7d65")
        #expect(decision.text.utf8.count <= DecisionID.longest)
        #expect(DecisionID(decision.text) == decision)
    }

    @Test(
        .refuses("ECO-62"),
        arguments: [
            "", "-", "1", "1-", "-9f86d081884c7d65", "1-9f86d081884c7d6", "1-9f86d081884c7d650", "1-9f86d081884c7d6g",
            "4294967296-9f86d081884c7d65", "x-9f86d081884c7d65", "+1-9f86d081884c7d65", "1--9f86d081884c7d65",
        ])
    func `is nothing else`(text: String) { #expect(DecisionID(text) == nil) }

    private func decision(_ id: String, generation: UInt32 = 1) throws -> DecisionBuffer.Decision {
        DecisionBuffer.Decision(
            id: try #require(RequestID(hexadecimal: id[...])), time: 1, evidence: RequestEvidence(), verdict: .answered,
            generation: generation)
    }

    @Test(.holds("ECO-62"), .refuses("ECO-62")) func `finds what is remembered, as the other names of a request do`()
        throws
    {
        let buffer = DecisionBuffer(capacity: 3)
        #expect(buffer.find("1-9f86d081884c7d65") == nil)
        var one = try decision("9f86d081884c7d650123456789abcdef", generation: 2)
        one.proxyID = "Root=1-67891233-abcdef"
        one.traceID = "0af7651916cd43dd8448eb211c80319c"
        buffer.keep(one)
        buffer.keep(try decision("00000000000000010000000000000001"))
        for name in [
            "9f86d081884c7d650123456789abcdef", "9F86D081884C7D650123456789ABCDEF", "2-9f86d081884c7d65",
            "Root=1-67891233-abcdef", "0af7651916cd43dd8448eb211c80319c", "0AF7651916CD43DD8448EB211C80319C",
        ] { #expect(buffer.find(name)?.id.text == one.id.text, "\(name)") }
        for name in ["1-9f86d081884c7d65", "2-9f86d081884c7d66", "root=1-67891233-abcdef", "", "9f86d081884c7d65"] {
            #expect(buffer.find(name) == nil, "\(name)")
        }
        // A proxy may give one id to several requests: the newest is meant.
        var two = try decision("00000000000000020000000000000002")
        two.proxyID = one.proxyID
        buffer.keep(two)
        #expect(buffer.find("Root=1-67891233-abcdef")?.id.text == two.id.text)
        for number in 3...5 { buffer.keep(try decision("000000000000000\(number)0000000000000000")) }
        #expect(buffer.find("Root=1-67891233-abcdef") == nil && buffer.find("2-9f86d081884c7d65") == nil)
    }
}
