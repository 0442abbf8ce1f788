extension AdminPage {
    /// Below it each remembered request has a page.
    static let explanations = "/explain/"

    /// `/explain/NAME`, as text, or `/explain/NAME.json`: why a request was decided as it was.
    ///
    /// The name is its `X-Request-Id`, which each answer of this gateway and each line of a log has, or the
    /// `decision_id` of a line, or the id that a trusted proxy gave it.
    init(explanationOf path: Substring, _ gateway: Gateway, isHead: Bool) {
        let (name, isJSON) = Self.nameOfDecision(in: path)
        guard let decisions = gateway.decisions else {
            self.init(status: 404, text: "no requests are remembered: set explain_buffer\n", isHead: isHead)
            return
        }
        guard let decision = decisions.find(name), let settings = decisions.configuration(decision.generation) else {
            self.init(
                status: 404, text: "this request is not remembered, or not any more: see explain_buffer\n",
                isHead: isHead)
            return
        }
        let remembered = RememberedDecision(
            evidence: decision.evidence, verdict: decision.verdict, settings: settings, time: decision.time,
            isByEarlierConfiguration: decision.generation < gateway.generation.number, names: decision.names)
        self.init(
            status: 200, body: gateway.explain(remembered, isJSON),
            contentType: isJSON ? "application/json" : "text/plain; charset=utf-8", isHead: isHead)
    }

    /// What the path below `explanations` names, and in which form it is to be told.
    static func nameOfDecision(in path: Substring) -> (text: String, isJSON: Bool) {
        let isJSON = path.hasSuffix(".json")
        return (String(isJSON ? path.dropLast(5) : path), isJSON)
    }
}
