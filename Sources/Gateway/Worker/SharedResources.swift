import Access
import Bytes
import Crypto
import Glibc
import HTTP1
import Issuers
import Login
import OAuth
import Pages
import Replay
import Sessions
import SharedState
import StoreClient
import Telemetry
import Transport

/// What all workers share: read at start, then only read.
struct SharedResources {
    let tables: RouteTable
    /// How often the operator is told of handshakes that go on as a plain GET, by route.
    let webSocketNotices: [OncePerMinute]
    let published: PublishedDocuments
    let upstreams: [UpstreamSettings]
    let clientTLS: [ClientTLS?]
    let serverTLS: [ServerTLS?]
    /// One for all listeners and workers, and for as long as the process lives: a reload ends no session.
    let ticketKeys: TicketKeys
    let resolver: Resolver
    /// Whom it asks once this is served by.
    let nameServers: [NameServer]
    let pages: PageBook
    let operatorLog: OperatorLog
    let audit: Auditor?
    /// One for all workers: two of them may be sent the same proof at the same time.
    let replay: ReplaySet
    /// One for all workers, whatever the configuration: a table is a key's.
    ///
    /// Nil where none are wanted.
    let pointTables: PointTables?
    let decisions: DecisionBuffer?
    /// One for all workers: it is one server that they ask.
    let failures: FailureBudget
    let nonces: DPoPNonces?
    /// What replicas have in common, and how it is reached.
    let store: StorePlan?
    /// The key of nonces where none is configured; dies with this process.
    private let ownNonceKey: Secret?

    /// Without `readsTLS` no certificate or key is read: for whoever opens no connection.
    ///
    /// What must outlive a configuration is the `previous` one's: proofs that were used, nonces of our own making,
    /// and decisions that may be asked about.
    init(
        _ settings: GatewaySettings, operatorLog: OperatorLog, audit: Auditor? = nil, metricsSlots: [Int] = [],
        continuing previous: SharedResources? = nil, readsTLS: Bool = true, storeCaller: (any StoreAsking)? = nil,
        storeFigures: StoreFigures = StoreFigures()
    ) throws(GatewayFailure) {
        try UpstreamCredential.check(settings.routes)
        try SharedResources.checkSessionKeys(settings)
        var upstreams: [UpstreamSettings] = []
        var known: Set<UpstreamSettings> = []
        for route in settings.routes where route.answer == nil && known.insert(route.upstream).inserted {
            upstreams.append(route.upstream)
        }
        self.upstreams = upstreams
        webSocketNotices = settings.routes.map { _ in OncePerMinute() }
        published = PublishedDocuments(settings)
        try published.check()
        clientTLS = readsTLS ? try SharedResources.clientTLS(upstreams) : upstreams.map { _ in nil }
        ticketKeys = previous?.ticketKeys ?? TicketKeys()
        serverTLS =
            readsTLS
            ? try SharedResources.serverTLS(settings.listeners, ticketKeys) : settings.listeners.map { _ in nil }
        resolver = previous?.resolver ?? Resolver()
        nameServers = settings.nameServers
        store = try settings.store.map { store throws(GatewayFailure) in
            try StorePlan(
                store, settings.proofs, caller: storeCaller ?? StoreCaller(), figures: storeFigures, readsTLS: readsTLS)
        }
        pages = PageBook(settings.pages)
        self.operatorLog = operatorLog
        self.audit = audit
        pointTables = SharedResources.pointTables(settings.precomputedKeys, continuing: previous?.pointTables)
        let proofs = settings.proofs
        let kept = previous?.decisions.flatMap { $0.capacity == settings.explainBuffer ? $0 : nil }
        decisions = settings.explainBuffer > 0 ? kept ?? DecisionBuffer(capacity: settings.explainBuffer) : nil
        let badTokens = settings.limits.shares.badTokens
        let failures = previous.flatMap { $0.failures.rate == badTokens ? $0.failures : nil }
        self.failures = failures ?? FailureBudget(badTokens)
        replay =
            previous?.replay
            ?? ReplaySet(
                byteLimit: proofs.replayBytes,
                windowSeconds: max(proofs.past + proofs.future, proofs.nonceLifetime * 2).wholeSeconds)
        ownNonceKey =
            proofs.nonceKeys.isEmpty ? previous?.ownNonceKey ?? Secret(RandomBytes.fill(32)) : previous?.ownNonceKey
        nonces = try SharedResources.nonces(settings, ownNonceKey)
        var access = AccessSettings(settings, published)
        access.nonces = nonces
        access.limitTables = RequestLimitTables(
            settings.routes, RequestRateSettings(settings), continuing: previous?.tables.limitTables)
        tables = RouteTable(access, SharedResources.places(settings, upstreams, metricsSlots))
    }

    /// Where each route is elsewhere in the gateway; `metricsSlots` says where its numbers are, and that is in the routes'
    /// order when it is empty.
    private static func places(
        _ settings: GatewaySettings, _ upstreams: [UpstreamSettings], _ metricsSlots: [Int]
    ) -> [RouteIndices] {
        let pools = Dictionary(uniqueKeysWithValues: upstreams.enumerated().map { ($1, $0) })
        return settings.routes.enumerated().map { index, route in
            RouteIndices(
                metricsSlot: metricsSlots.isEmpty ? index : metricsSlots[index], upstream: pools[route.upstream] ?? 0,
                patience: RoutePatience(route, settings.limits, settings.timeouts),
                resourceMetadata: PublishedDocuments.metadataURLs(of: route, settings))
        }
    }

    /// Tables for so many keys, those of before where there may be as many.
    private static func pointTables(_ limit: Int, continuing previous: PointTables?) -> PointTables? {
        guard limit > 0 else { return nil }
        if let previous, previous.limit == limit { return previous }
        return PointTables(limit: limit) { SignalFreeThread.start(niceness: tableNiceness, $0) }
    }

    /// Of the thread that makes tables: nobody waits for one, for until then the key verifies as it did before.
    private static let tableNiceness: Int32 = 10

    private static func checkSessionKeys(_ settings: GatewaySettings) throws(GatewayFailure) {
        // The keys of the shared store are that store's, which was made of them; sealed cookies beside it have their own.
        for login in settings.logins where login.session.store != .shared || login.session.accepts.contains(.cookie) {
            do throws(CryptoRefusal) {
                var session = login.session
                if session.store == .shared { session.store = .cookie }
                _ = try SessionStores.make(session, client: login.name)
            } catch {
                throw GatewayFailure("the sessions of \(login.name) cannot be kept", "a key is not 32 bytes")
            }
        }
    }

    /// Nonces of the configured keys, which replicas share, or of a key that dies with this process (DPOP-12).
    private static func nonces(_ settings: GatewaySettings, _ ownKey: Secret?) throws(GatewayFailure) -> DPoPNonces? {
        let areUsed = settings.routes.contains { route in
            guard let token = route.access.token else { return false }
            return token.schemes.contains(.dpop) && token.dpop.nonce != .off
        }
        guard areUsed else { return nil }
        let keys = settings.proofs.nonceKeys.isEmpty ? [ownKey].compactMap(\.self) : settings.proofs.nonceKeys
        // Not the listener: a nonce is of this resource server, whichever listener gave it.
        do throws(CryptoRefusal) {
            return try DPoPNonces(
                keys: keys, serverID: "portcullis", lifetimeSeconds: settings.proofs.nonceLifetime.wholeSeconds)
        } catch {
            throw GatewayFailure("nonces could not be made", "a key is shorter than 32 bytes")
        }
    }

    private static func clientTLS(_ upstreams: [UpstreamSettings]) throws(GatewayFailure) -> [ClientTLS?] {
        var made: [ClientTLS?] = []
        for upstream in upstreams {
            guard upstream.tls else {
                made.append(nil)
                continue
            }
            do throws(TLSFailure) {
                made.append(
                    try ClientTLS(
                        certificateAuthorityFile: upstream.certificateAuthorityFile,
                        identity: upstream.clientCertificate.map {
                            ServerTLS.Identity(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
                        }, minimumVersion: TLSVersion(upstream.minimumVersion)))
            } catch {
                throw GatewayFailure("TLS to \(upstream.name) could not be set up", "\(error)")
            }
        }
        return made
    }

    private static func serverTLS(
        _ listeners: [ListenerSettings], _ ownKeys: TicketKeys
    ) throws(GatewayFailure) -> [ServerTLS?] {
        var made: [ServerTLS?] = []
        for listener in listeners {
            guard let settings = listener.tls else {
                made.append(nil)
                continue
            }
            let shared =
                settings.ticketKeys.isEmpty ? ownKeys : TicketKeys(shared: settings.ticketKeys.map { $0.reveal() })
            guard let ticketKeys = shared else {
                throw GatewayFailure("TLS for \(listener.publicURL) could not be set up", "a ticket key is too short")
            }
            do throws(TLSFailure) {
                made.append(
                    try ServerTLS(
                        identities: settings.certificates.map {
                            ServerTLS.Identity(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
                        }, minimumVersion: TLSVersion(settings.minimumVersion),
                        clientCertificates: settings.clientCertificates.map(ClientCertificates.init),
                        ticketKeys: ticketKeys, name: listener.publicURL, speaksHTTP2: listener.speaksHTTP2))
            } catch {
                throw GatewayFailure("TLS for \(listener.publicURL) could not be set up", "\(error)")
            }
        }
        return made
    }
}

extension ClientCertificates {
    /// What the operator says, in the words of the transport.
    init(_ settings: ClientCertificateSettings) {
        let trust: Trust =
            switch settings.trust {
            case .anyCertificate: .anyCertificate
            case .authorities(let file, let revocationListFile):
                .authorities(file: file, revocationListFile: revocationListFile)
            }
        self.init(request: settings.isRequired ? .required : .optional, trust: trust)
    }
}

extension TLSVersion {
    /// The oldest version that the operator lets in.
    fileprivate init(_ minimum: TLSMinimumVersion) {
        switch minimum {
        case .tls12: self = .tls12
        case .tls13: self = .tls13
        }
    }
}
