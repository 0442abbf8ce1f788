import Access
import Crypto
import SharedState
import StoreClient
import StoreLink
import Transport

/// The store of one configuration: what is in it, and how it is reached.
struct StorePlan {
    /// What the process has of it.
    let store: SharedStore
    /// Its servers.
    let servers: StoreServers
    /// How old a proof may be, and how far ahead: what the store must not have forgotten.
    let proofWindow: (past: Duration, future: Duration)

    /// Where the operator is told that the store is.
    var place: LinkServer.Place { servers.firstPlace }
    var settings: StoreSettings { store.settings }
    /// What the log of endings is called there.
    var logName: String { String(decoding: store.names.log.bytes, as: UTF8.self) }

    /// Whether this worker asks by the first one's connection, so that a process has few.
    func isRelayed(worker: Int) -> Bool { settings.limits.connections == .perProcess && worker > 0 }

    /// The store of these settings, asked by `caller`, which counts in `figures`.
    ///
    /// Without `readsTLS` no certificate is read: for whoever opens no connection.
    init(
        _ settings: StoreSettings, _ proofs: ProofSettings, caller: any StoreAsking,
        figures: StoreFigures = StoreFigures(), readsTLS: Bool
    ) throws(GatewayFailure) {
        proofWindow = (proofs.past, proofs.future)
        do throws(CryptoRefusal) {
            store = try SharedStore(settings, asking: caller, figures: figures)
        } catch {
            throw GatewayFailure("the store cannot be used", "a key is not 32 bytes")
        }
        let tls = readsTLS && settings.speaksTLS ? try StorePlan.tls(settings) : nil
        servers = StoreServers(settings, tls: tls)
    }

    private static func tls(_ settings: StoreSettings) throws(GatewayFailure) -> ClientTLS {
        do throws(TLSFailure) {
            var identity: ServerTLS.Identity?
            if let certificate = settings.tls.clientCertificateFile, let key = settings.tls.clientKeyFile {
                identity = ServerTLS.Identity(certificateFile: certificate, keyFile: key)
            }
            return try ClientTLS(
                certificateAuthorityFile: settings.tls.certificateAuthorityFile, identity: identity,
                minimumVersion: settings.tls.minimumVersion == .tls13 ? .tls13 : .tls12)
        } catch {
            throw GatewayFailure("TLS to the store could not be set up", "\(error)")
        }
    }

    /// Whether the links of another configuration do for this one.
    ///
    /// Files of certificates may have other content under the same names: with TLS they never do.
    func isReached(as other: StorePlan) -> Bool {
        !settings.speaksTLS && settings.isReached(as: other.settings)
    }

    /// Whether what stands by another configuration may serve while the servers let nobody in by this one: all but users and
    /// passwords is the same, so that whatever is asked there is asked where this one would ask it.
    func maySpareChange(of other: StorePlan) -> Bool {
        settings.isReachedButForUsers(as: other.settings) && settings.tls == other.settings.tls
    }
}

extension StoreSettings {
    /// Whether TLS is spoken to any of the servers.
    var speaksTLS: Bool {
        (addresses + (sentinel?.addresses ?? [])).contains {
            if case .network(_, _, let isSecure) = $0 { isSecure } else { false }
        }
    }

    /// Whether the same servers are reached in the same way.
    func isReached(as other: StoreSettings) -> Bool {
        isReachedButForUsers(as: other) && user == other.user && Self.isSame(password, other.password)
            && sentinel?.user == other.sentinel?.user && Self.isSame(sentinel?.password, other.sentinel?.password)
    }

    /// The same, whoever signs in there.
    fileprivate func isReachedButForUsers(as other: StoreSettings) -> Bool {
        addresses == other.addresses && database == other.database && topology == other.topology
            && sentinel?.name == other.sentinel?.name && sentinel?.addresses == other.sentinel?.addresses
            && prefix == other.prefix && timeouts.connect == other.timeouts.connect
            && timeouts.command == other.timeouts.command
            && limits.inFlight == other.limits.inFlight && limits.bytes == other.limits.bytes
            && insecureAllowPlain == other.insecureAllowPlain && durability == other.durability
    }

    /// Digests compare every bit.
    private static func isSame(_ one: Secret?, _ other: Secret?) -> Bool {
        one.map { SHA256.hash($0.reveal().span) } == other.map { SHA256.hash($0.reveal().span) }
    }
}
