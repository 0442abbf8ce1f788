import TestTraits
import Testing

@testable import Gateway

@Suite struct `the names of the admin listener` {
    private let hosts = AdminHosts(["Metrics.internal", "scrape.internal:9901"])

    @Test(
        .holds("OPS-06"),
        arguments: [
            "127.0.0.1", "127.0.0.1:9901", "10.1.2.3:9901", "[::1]", "[::1]:9901", "[fe80::1]:80", "localhost",
            "LocalHost:9901", "metrics.internal", "METRICS.internal:1234", "scrape.internal:9901", "",
        ])
    func `are addresses, localhost and what is configured`(authority: String) {
        #expect(hosts.permit(authority))
    }

    @Test(
        .refuses("OPS-06"),
        arguments: [
            "evil.example", "evil.example:9901", "localhost.evil.example", "127.0.0.1.evil.example",
            "metrics.internal.",
            "scrape.internal", "scrape.internal:99", "xmetrics.internal", "localhost.", "127.1", "2130706433",
            "0x7f000001",
            "127.0.0.1:9901x", "::1", "[::1", "[127.0.0.1]", "[localhost]", "[]", ":9901", "localhost:9901:9901", " ",
        ])
    func `are no others, whose owner could let them lead here`(authority: String) {
        #expect(!hosts.permit(authority))
        #expect(!AdminHosts([]).permit(authority))
    }
}
