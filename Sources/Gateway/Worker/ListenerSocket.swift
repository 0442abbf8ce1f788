import Access
import EventLoop
import HTTPMessage
import Transport

/// One listening socket of one worker.
struct ListenerSocket: ~Copyable {
    var event = FileEvent()
    var descriptor: Int32
    /// The file to remove when no client is to come any more, of a Unix socket.
    let unixFile: UnixListener?
    /// The service manager keeps it, and who waits there is its next process's.
    let isHandedOver: Bool
    let worker: WorkerRef
    let index: UInt16
    let tls: ServerTLS?
    /// Whose `Client-Cert` is believed (RFC 9440 §2.4).
    let terminators: NetworkList
    /// Whose `X-Forwarded-…` and `Forwarded` are read (HTTP-52).
    let proxies: NetworkList
    /// There are any of them: what costs nothing to ask, of every request.
    let hasProxies: Bool
    /// Who writes a header of the PROXY protocol in front of each connection (ECO-76).
    let headerSenders: NetworkList
    /// There are any of them, and nobody else may connect: all that a connection to any other listener asks.
    let awaitsProxyHeader: Bool
    /// Clients see it as https, where their host has no URL of its own (`WorkerRef.isSecure`).
    let isSecure: Bool
    /// Upstreams get a `Forwarded` field too.
    let saysForwarded: Bool
    /// It sends whoever comes to https.
    let redirects: Bool
    /// Its clients may speak HTTP/2.
    let speaksHTTP2: Bool
    /// Authorities accepted in Host, in lower case.
    let authorities: TextList
    /// The first of them, for upstreams where a client names none.
    let ownAuthority: Route.Bytes
}

extension ListenerSocket {
    init(
        _ settings: ListenerSettings, _ index: Int, socket: OpenListener, worker: WorkerRef, tls: ServerTLS?
    ) throws(GatewayFailure) {
        guard let terminators = NetworkList(settings.clientCertFieldFrom) else {
            throw GatewayFailure(
                "the listener \(settings.publicURL) cannot be served", "client_cert_from is no network")
        }
        guard let proxies = NetworkList(settings.trustedProxies) else {
            throw GatewayFailure(
                "the listener \(settings.publicURL) cannot be served", "trusted_proxies is no network")
        }
        guard let headerSenders = NetworkList(settings.proxyProtocolFrom) else {
            throw GatewayFailure(
                "the listener \(settings.publicURL) cannot be served", "proxy_protocol.from is no network")
        }
        descriptor = socket.descriptor
        unixFile = socket.unixFile
        isHandedOver = settings.address.handedOver != nil
        self.worker = worker
        self.index = UInt16(clamping: index)
        self.tls = tls
        self.terminators = terminators
        self.proxies = proxies
        hasProxies = !settings.trustedProxies.isEmpty
        self.headerSenders = headerSenders
        awaitsProxyHeader = !settings.proxyProtocolFrom.isEmpty
        isSecure = settings.publicURL.hasPrefix("https:")
        saysForwarded = settings.saysForwarded
        redirects = settings.redirectsToHTTPS
        speaksHTTP2 = settings.speaksHTTP2
        authorities = TextList(settings.authorities)
        ownAuthority = Route.Bytes(settings.authorities.first ?? "")
    }
}

extension ListenerSocket {
    /// Frees the places of listeners that nobody uses any longer; their descriptors are somebody else's.
    static func free(_ places: UnsafeMutablePointer<ListenerSocket>, count: Int) {
        for number in 0..<count { places[number].ownAuthority.destroy() }
        places.deinitialize(count: count)
        places.deallocate()
    }
}
