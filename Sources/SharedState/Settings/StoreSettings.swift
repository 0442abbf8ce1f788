package import Crypto

/// Where several gateways keep what they have in common, and how they ask for it.
package struct StoreSettings: Sendable {
    /// How the servers of the store stand to each other.
    package enum Topology: Sendable, Equatable {
        case standalone, sentinel, cluster
    }

    /// What of the gateway's state is in the store.
    package enum Share: Sendable, Equatable {
        case sessions, proofs, logins, limits
    }

    /// Where a write has to be before it counts.
    package enum Durability: Sendable, Equatable {
        case primary, replica
    }

    /// What becomes of proofs when another server is the primary.
    package enum AfterFailover: Sendable, Equatable {
        /// It knows what the old one knew, but for the last moments.
        case accept
        /// What was used before is unknown.
        case refuse
    }

    /// What becomes of proofs while the store cannot be asked.
    package enum ProofsWhenDown: Sendable, Equatable {
        case refuse, local
    }

    /// Whether a gateway whose store is down says that it is ready.
    package enum Readiness: Sendable, Equatable {
        case lenient, strict
    }

    /// How many connections a process has to a server.
    package enum Connections: Sendable, Equatable {
        case perWorker, perProcess
    }

    /// The oldest version of TLS.
    package enum MinimumVersion: Sendable, Equatable {
        case tls12, tls13
    }

    /// One server.
    package enum Address: Sendable, Equatable {
        case network(host: String, port: UInt16, isSecure: Bool)
        case unixSocket(path: String)
    }

    /// The Sentinels, who know which server is the primary.
    package struct Sentinel: Sendable {
        /// What they call it.
        package var name: String
        package var addresses: [Address] = []
        package var user: String?
        package var password: Secret?

        package init(name: String) { self.name = name }
    }

    /// How the servers' certificates are verified, and which one is shown to them.
    package struct TLS: Sendable, Equatable {
        package var certificateAuthorityFile: String?
        /// The URL's host where nothing is said.
        package var serverName: String?
        package var clientCertificateFile: String?
        package var clientKeyFile: String?
        package var minimumVersion = MinimumVersion.tls12

        package init() {}
    }

    package struct Timeouts: Sendable {
        package var connect = Duration.seconds(1)
        /// Of one command, from its writing.
        package var command = Duration.milliseconds(250)

        package init() {}
    }

    /// Bounds of one connection.
    package struct Limits: Sendable {
        package var inFlight = 4096
        package var bytes = 4 << 20
        package var connections = Connections.perWorker

        package init() {}
    }

    package var addresses: [Address]
    /// Of the URL; a cluster has none but 0.
    package var database = 0
    package var topology = Topology.standalone
    package var sentinel: Sentinel?
    package var user: String?
    package var password: Secret?
    package var tls = TLS()
    /// 32 bytes each: the first seals, all open.
    package var keys: [Secret] = []
    /// Of every key and channel.
    package var prefix = "pc"
    package var shares: [Share] = [.sessions, .proofs, .logins, .limits]
    package var durability = Durability.primary
    package var afterFailover = AfterFailover.accept
    package var proofsWhenDown = ProofsWhenDown.refuse
    /// How often a known session is asked about; at each request where it is nothing.
    package var recheck = Duration.seconds(10)
    package var timeouts = Timeouts()
    package var limits = Limits()
    package var insecureAllowPlain = false
    package var readiness = Readiness.lenient
    /// What is written: what the oldest release that runs can read.
    package var format = Int(StoreFormat.newest.rawValue)

    package init(addresses: [Address] = []) { self.addresses = addresses }
}

extension StoreSettings {
    /// Whether what is in the one is in the other, whatever else is configured of them; keys may have been rotated (SH-12).
    package func isSameStore(as other: StoreSettings) -> Bool {
        prefix == other.prefix && addresses == other.addresses && database == other.database
            && topology == other.topology && sentinel?.name == other.sentinel?.name
            && sentinel?.addresses == other.sentinel?.addresses && hasKey(of: other)
    }

    /// Whether they have a key in common, in whatever place.
    package func hasKey(of other: StoreSettings) -> Bool {
        let known = Set(keys.map { SHA256.hash($0.reveal().span) })
        return other.keys.contains { known.contains(SHA256.hash($0.reveal().span)) }
    }

    /// Connections that one process with so many workers has to a server, at most (SH-84).
    package func connections(workers: Int) -> Int {
        let asking = limits.connections == .perProcess ? 1 : max(1, workers)
        // Writes that are to be at a replica wait for it, and have connections of their own. One follows what others end.
        return asking * (durability == .replica ? 2 : 1) + (shares.contains(.sessions) ? 1 : 0)
    }
}
