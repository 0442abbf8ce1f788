import Access
import Fetch
import Issuers
import OAuth
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the descriptors of the process` {
    private func settings(workers: Int, issuers: Bool = true) -> GatewaySettings {
        let url = "https://issuer.example/"
        var settings = GatewaySettings(
            workers: workers,
            listeners: [
                ListenerSettings(
                    address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: "http://api.example",
                    authorities: ["api.example"])
            ],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)),
            issuers: issuers
                ? [IssuerSettings(name: "main", url: url, rules: AccessTokenRules(issuer: url))] : [],
            routes: [
                RouteSettings(
                    name: "r", path: "/", upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: .publicAccess)
            ])
        settings.limits.connectionsAreOurs = true
        return settings
    }

    @Test(.holds("OPS-05"), arguments: [512, 1024, 4096, 65_536, 1_048_576], [1, 2, 8])
    func `suffice for clients, upstreams and authorization servers that hang, all at once`(
        descriptors: Int, workers: Int
    ) {
        let fitted = ProcessLimits.fitted(settings(workers: workers), to: descriptors)
        let asked = ProcessLimits.fetchConnections(of: descriptors)
        #expect(asked <= CurlFetcher.mostConnections && asked <= descriptors / 8)
        let promised = ProcessLimits.connections(promisedBy: fitted, of: descriptors)
        // What listeners, logs, pipes and metrics have is left.
        #expect(promised <= descriptors - min(256, descriptors / 8), "\(promised)")
        let none = ProcessLimits.fitted(settings(workers: workers, issuers: false), to: descriptors)
        #expect(none.limits.connections >= fitted.limits.connections, "nobody is asked")
    }
}
