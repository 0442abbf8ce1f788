import Gateway
import TestTraits
import Testing

@Suite struct `the admin listener's names` {
    @Test(.holds("OPS-06")) func `are none by default, and those of the list otherwise`() throws {
        #expect(try settings(of: Sample().text).admin.hosts.isEmpty)
        #expect(
            try settings(of: Sample(rest: "admin: { hosts: [Metrics.internal, 'scrape.internal:9901'] }").text).admin
                .hosts
                == ["metrics.internal", "scrape.internal:9901"])
    }
}
