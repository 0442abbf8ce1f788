import TestSupport
import Access
import Issuers
import OAuth

@testable import Gateway

/// A worker with one route that never serves: its checks are called by hand.
struct IdleWorker {
    let gateway: Gateway
    let worker: WorkerRef
    let route: FixedValue<Route>

    init(
        schemes: [TokenSettings.Scheme] = [.dpop], nonce: DPoPSettings.Nonce = .off,
        credential: UpstreamCredentialSettings = .none, replayBytes: Int = 1 << 20, terminators: [String] = [],
        senders: [String] = [], limits: LimitSettings = LimitSettings()
    ) throws {
        var token = TokenSettings(issuers: ["main"], audiences: ["x"])
        token.schemes = schemes
        token.dpop.nonce = nonce
        var only = RouteSettings(
            name: "r", path: "/", upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: .token(token))
        only.credential = credential
        let url = "https://issuer.example/"
        var settings = GatewaySettings(
            workers: 1,
            listeners: [
                ListenerSettings(
                    address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: "http://api.example",
                    authorities: ["api.example"], clientCertFieldFrom: terminators)
            ],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)),
            issuers: [IssuerSettings(name: "main", url: url, rules: AccessTokenRules(issuer: url))], routes: [only])
        settings.listeners[0].proxyProtocolFrom = senders
        settings.proofs.replayBytes = replayBytes
        settings.limits = limits
        gateway = try Gateway(settings, version: "test", explain: { _, _ in [] })
        let worker = gateway.workers[0].worker
        self.worker = worker
        guard let found = "/".withBytes({ worker.pointee.policy.routes.match($0.span) }) else {
            preconditionFailure("the route for everything matches")
        }
        route = found
    }

    /// The cause of what a check throws, and nothing when it does not.
    func refusal(_ check: (WorkerRef) throws(Refused) -> Void) -> Refusal? { refused(check)?.cause }

    /// What a check throws, and nothing when it does not.
    func refused(_ check: (WorkerRef) throws(Refused) -> Void) -> Refused? {
        do throws(Refused) {
            try check(worker)
            return nil
        } catch {
            return error
        }
    }
}

extension WorkerRef {
    /// A connection without a socket.
    func takeClient() -> ClientRef { pointee.connections.clients.take(ClientConnection(self)) }

    /// A request of this client's, or of one without a socket.
    func takeExchange(of client: ClientRef? = nil) -> ExchangeRef {
        pointee.connections.exchanges.take(Exchange(client ?? takeClient()))
    }

    /// Gives a request back that `takeExchange` made, and its client.
    func giveBack(_ exchange: ExchangeRef) {
        let client = exchange.pointee.client
        client.pointee.forgetCertificate()
        pointee.connections.wheel.remove(client.timeout)
        pointee.connections.exchanges.giveBack(exchange)
        pointee.connections.clients.giveBack(client)
    }
}
