import Gateway
import Testing

@Suite struct `the admin listener's names` {
    @Test func `OPS-06 are none by default, and those of the list otherwise`() throws {
        #expect(try settings(of: Sample().text).admin.hosts.isEmpty)
        #expect(
            try settings(of: Sample(rest: "admin: { hosts: [Metrics.internal, 'scrape.internal:9901'] }").text).admin
                .hosts
                == ["metrics.internal", "scrape.internal:9901"])
    }

    @Test func `OPS-06 that are URLs are refused`() {
        #expect(
            refusal(of: Sample(rest: "admin: { hosts: ['http://metrics.internal/'] }").text)
                == """
                gateway.yaml:4:18: admin.hosts[0]: expected a host and perhaps a port such as orders.internal:8443, found "http://metrics.internal/"
                    write what clients put in Host: no scheme, no path
                """)
    }
}
