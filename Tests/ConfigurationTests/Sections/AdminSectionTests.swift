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

    @Test(.refuses("OPS-06")) func `that are URLs are refused`() {
        #expect(
            refusal(of: Sample(rest: "admin: { hosts: ['http://metrics.internal/'] }").text)
                == """
                gateway.yaml:4:18: admin.hosts[0]: expected a host and perhaps a port such as orders.internal:8443, found "http://metrics.internal/"
                    write what clients put in Host: no scheme, no path
                """)
    }
}
