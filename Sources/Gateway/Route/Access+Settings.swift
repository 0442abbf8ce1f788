import Access
import Issuers
import Login
import OAuth
import SharedState

extension RequestRateSettings {
    /// The rates of a configuration, and whom it counts together with.
    init(_ settings: GatewaySettings) {
        self = settings.limits.requests
        processes = settings.replicas
        areShared = settings.store?.shares.contains(.limits) ?? false
    }
}

extension AccessSettings {
    /// What a configuration says of who may make requests, and what it publishes.
    init(_ settings: GatewaySettings, _ published: PublishedDocuments) {
        self.init(
            routes: settings.routes, publicURLs: settings.listeners.map(\.publicURL), issuers: settings.issuers)
        logins = settings.logins
        proofs = settings.proofs
        loginClients = settings.logins.map {
            let client = settings.clients[$0.client]
            return LoginClientIdentity(clientID: client.credentials.clientID, issuer: client.issuer)
        }
        authorities = settings.listeners.map(\.authorities)
        hosts = settings.hosts
        pseudonym = settings.via
        self.published = published
        publishesClientKeys = !PublishedKeys.keys(of: settings.logins, clients: settings.clients).isEmpty
        tokenLimit = settings.limits.accessToken
    }
}

extension GatewaySettings {
    /// What clients see of the sites that a login is at: of its hosts, or of all listeners.
    package func publicURLs(ofLogin login: Int) -> [String] {
        LoginHosts.all(of: login, in: routes).flatMap { host in
            host.map { [hosts[$0].publicURL] } ?? listeners.map(\.publicURL)
        }
    }

    /// Whether a listener serves this value of Host, in lower case.
    package func listener(_ listener: Int, answers authority: String) -> Bool {
        listeners[listener].authorities.contains(authority)
            || hosts.contains { $0.isServed(at: listener) && $0.answers(authority) }
    }
}
