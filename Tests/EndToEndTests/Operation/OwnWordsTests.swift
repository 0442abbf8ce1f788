import TestSupport
import TestTraits
import Testing

/// The operator's line of a refusal has the words of its own request, whatever was refused, or let through, before it.
@Suite(.serialized) struct `the words of a refusal` {
    private static let shared = Shared { try OwnWordsStage() }

    @Test(.holds("OPS-03"))
    func `are its own request's, in ten thousand of fifty kinds, interleaved on several connections`()
        throws
    {
        let stage = try Self.shared.get()
        let refused = stage.kinds.filter { $0.cause != nil }
        #expect(refused.count >= 50)
        let sent = try stage.interleave(10_000, on: 8)
        // Three of the kinds are let through, and have no id.
        #expect(sent.count > 9000)
        try stage.awaitLog()
        // What each kind's lines say when their own mark is taken out: the same, whatever came before them.
        var words: [String: Set<String>] = [:]
        var causes: Set<String> = []
        for line in stage.stage.gateway.operatorLog where line["event"] == "refused" {
            guard let id = line["request_id"], let request = sent[id] else { continue }
            let kind = stage.kinds[request.kind]
            #expect(line["cause"] == kind.cause, "\(kind.name): \(line.raw)")
            if let found = kind.found(request.mark) { #expect(line["found"] == found, "\(kind.name): \(line.raw)") }
            let said = OwnWordsStage.withoutMark(
                [line["check"], line["expected"], line["found"], line["route"]], request.mark)
            #expect(!said.contains("mark#z"), "a word of another request in \(line.raw)")
            words["\(kind.name) \(request.kind)", default: []].insert(said)
            causes.insert(line["cause"] ?? "")
        }
        for (name, said) in words { #expect(said.count == 1, "\(name): \(said.sorted())") }
        #expect(causes == Set(refused.compactMap(\.cause)), "each cause has been held against some request")
    }
}
