extension AdminPage {
    /// `/explain/ID`, as text, or `/explain/ID.json`: why the request with this `X-Request-Id` was decided as it was.
    init(explanationOf path: Substring, _ gateway: Gateway, isHead: Bool) {
        let isJSON = path.hasSuffix(".json")
        guard let decisions = gateway.decisions else {
            self.init(status: 404, text: "no requests are remembered: set explain_buffer\n", isHead: isHead)
            return
        }
        guard let id = RequestID(hexadecimal: isJSON ? path.dropLast(5) : path) else {
            self.init(status: 404, text: "an X-Request-Id has 32 hexadecimal digits\n", isHead: isHead)
            return
        }
        guard let decision = decisions.find(id), let settings = decisions.configuration(decision.generation) else {
            self.init(
                status: 404, text: "this request is not remembered, or not any more: see explain_buffer\n",
                isHead: isHead)
            return
        }
        let remembered = RememberedDecision(
            evidence: decision.evidence, verdict: decision.verdict, settings: settings, time: decision.time,
            isByEarlierConfiguration: decision.generation < gateway.generation.number)
        self.init(
            status: 200, body: gateway.explain(remembered, isJSON),
            contentType: isJSON ? "application/json" : "text/plain; charset=utf-8", isHead: isHead)
    }
}
