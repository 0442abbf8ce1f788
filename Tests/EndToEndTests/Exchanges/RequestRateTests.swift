import TestSupport
import TestTraits
import Testing

/// Row ECO-78 over real sockets.
@Suite(.byEachProtocol) struct `the rate of requests` {
    private func stage(_ limits: String, access: String = "public: true", workers: Int = 2) throws -> Stage {
        try Stage(
            StagePlan(
                routes: ["{ path: /, name: all, upstream: $UPSTREAM, \(access), limits: { requests: \(limits) } }"],
                workers: workers))
    }

    private func statuses(_ stage: Stage, _ count: Int, fields: [String] = []) throws -> [Int] {
        try (0..<count).map { _ in try stage.gateway.exchange(request("GET", "/a", fields: fields)).status }
    }

    @Test(.holds("ECO-78"), .refuses("ECO-78"))
    func `of an address is one for all connections and workers, and beyond it comes 429 with the time to wait`() throws
    {
        let stage = try stage("[{ rate: 3/h, by: address }]")
        #expect(try statuses(stage, 5) == [200, 200, 200, 429, 429])
        let refused = try stage.gateway.exchange(request("GET", "/a"))
        #expect(refused.status == 429)
        let wait = try #require(Int(refused.fields.only("retry-after") ?? ""))
        #expect((1150...1200).contains(wait), "\(wait)")
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == "address_rate_exceeded" })
        #expect(line["check"] == "ECO-78" && line["expected"] == "at most 3/h, burst 3, by address (limits.requests)")
        let page = try stage.gateway.admin("/metrics").bodyText
        #expect(
            page.contains("portcullis_refusals_total{route=\"all\",cause=\"address_rate_exceeded\",blame=\"client\"} 3")
        )
    }

    @Test(.refuses("ECO-78")) func `of a user is not that of the next token, and another user's is another one`() throws
    {
        let access = "token: { issuers: [main], audience: \"\(TokenForge.audience)\" }"
        let stage = try stage("[{ rate: 2/h, by: subject }, { rate: 1000/s, by: address }]", access: access)
        func fields(_ user: String) -> [String] {
            [stage.tokens.bearer(["sub": quoted(user)])]
        }
        let seen = try (0..<4).map { _ in try statuses(stage, 1, fields: fields("alice"))[0] }
        #expect(seen == [200, 200, 429, 429])
        #expect(try statuses(stage, 1, fields: fields("bob")) == [200])
        #expect(try statuses(stage, 1, fields: ["Authorization: Bearer nonsense"]) == [401])
        #expect(try statuses(stage, 1, fields: fields("bob")) == [200])
    }

    @Test(.holds("ECO-78")) func `is told a person in a page, who is not told more than to wait`() throws {
        let stage = try stage("[{ rate: 1/h, by: route }]")
        let navigation = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"]
        #expect(try statuses(stage, 1, fields: navigation) == [200])
        let page = try stage.gateway.exchange(request("GET", "/a", fields: navigation))
        #expect(page.status == 429 && page.fields.only("content-type")?.hasPrefix("text/html") == true)
        #expect(page.bodyText.contains("Too many requests"))
    }

    @Test(.holds("ECO-78")) func `goes on over a reload that leaves it as it is`() throws {
        let stage = try stage("[{ rate: 2/h, by: address }]")
        #expect(try statuses(stage, 2) == [200, 200])
        try stage.reload()
        #expect(try statuses(stage, 1) == [429])
    }
}
