import Access
import Bytes
import Transport

/// One address that connections may go to.
struct UpstreamAddress {
    var address: SocketAddress
    /// Whose address it is, by its place among the servers.
    let server: Int
    /// The same for the same address of the same server, across answers of the resolver.
    let identity: UInt64
    /// The same in every gateway, wherever its server stands among the others.
    let fingerprint: UInt64
    /// Others come first until then, in monotonic microseconds: it could not be connected to.
    var avoidedUntil: UInt64 = 0
    /// Its share and its turns.
    var turns: ServerTurns
    /// What is known of it from what it does to requests and says of itself.
    var health = ServerHealth()
    /// A connection to it is on its way that requests will share.
    var isOpening = false

    init(_ address: SocketAddress, server: Int, weight: Int = 1) {
        self.address = address
        self.server = server
        turns = ServerTurns(weight: weight)
        // FNV-1a: addresses come from the operator's name server and are few.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        withUnsafeBytes(of: address.storage) { bytes in
            for byte in bytes.prefix(Int(address.length)) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        fingerprint = hash
        identity = (hash ^ UInt64(truncatingIfNeeded: server)) &* 0x100_0000_01b3
    }
}

/// Where the requests of one worker to one upstream go: every address of every server, in turn.
///
/// An address that could not be connected to is put back for some seconds: the others are tried before it, and it is
/// tried when all of them fail, so that a name is never left without an address. `ChooseAddress` says which one a request
/// goes to, `ServerHealth` which ones are left out for what they did, and `ServerNames` when names are looked up again.
///
/// One worker's alone, as its connections are: no lock, and what one worker has learned the others learn themselves.
struct UpstreamAddresses {
    /// One of the servers, and what is known of its name.
    struct Server {
        let host: String
        let port: UInt16
        /// The name that its certificate must have.
        let certificateName: String
        /// Nothing to look up: an IP literal or a Unix socket.
        let isLiteral: Bool
        var isResolving = false
        /// Monotonic microseconds at which its name is looked up again; that is never, before it was for the first time.
        var dueAt = UInt64.max
        /// Until when its addresses are used while nobody can say where its name leads.
        var goodUntil: UInt64 = 0
        /// How often in a row nobody could.
        var failures = 0
        /// No connection came about, so that what is known already will not do.
        var wantsNew = false
    }

    var servers: [Server] = []
    var all: [UpstreamAddress] = []
    /// Whether there is a choice.
    var isSeveral = false
    /// What the operator said of them.
    let settings: UpstreamPoolSettings
    /// Draws two of them.
    var chance = Chance()
    /// Nobody was well when an address was chosen last, so that all are used; and whether that is yet to be told.
    var isPanicking = false
    var isPanicNew = false
    /// For how long the share of a server grows that came back, in microseconds.
    let slowStart: UInt64
    /// Requests at one address at most.
    let mostPerServer: Int
    /// Requests that wait for a connection to one address at most.
    private(set) var mostPendingPerServer: Int
    /// For how long the addresses of a name are used that cannot be looked up any more, in microseconds.
    let stale: UInt64
    /// Changes when an address has gone.
    var epoch: UInt32 = 0
    /// Whether any of the servers is known by name.
    let hasNames: Bool
    var turn = 0

    /// How long a failed address is put back.
    static let putBackMicroseconds: UInt64 = 10_000_000
    /// Addresses used of all servers: as many as a connection can remember to have tried.
    static let limit = 64

    init(_ settings: UpstreamSettings) {
        let pool = settings.pool
        self.settings = pool
        slowStart = UInt64(max(0, pool.slowStart.wholeMilliseconds)) * 1000
        mostPerServer = pool.bounds.requestsPerServer ?? .max
        mostPendingPerServer = UpstreamAddresses.mostPendingPerServer(pool.bounds, connections: .max)
        stale = UInt64(max(0, pool.stale.wholeMilliseconds)) * 1000
        for (place, server) in settings.servers.enumerated() {
            let certificateName = settings.serverName ?? server.host
            switch server {
            case .address(let host, let port):
                let literal = SocketAddress(literal: host, port: port)
                servers.append(
                    Server(host: host, port: port, certificateName: certificateName, isLiteral: literal != nil))
                if let literal { all.append(UpstreamAddress(literal, server: place, weight: pool.weight(of: place))) }
            case .unixSocket(let path):
                servers.append(Server(host: path, port: 0, certificateName: certificateName, isLiteral: true))
                if let address = SocketAddress(unixPath: path) {
                    all.append(UpstreamAddress(address, server: place, weight: pool.weight(of: place)))
                }
            }
        }
        hasNames = servers.contains { !$0.isLiteral }
        isSeveral = all.count > 1
    }

    /// Half of what may wait for all servers, unless it is said.
    private static func mostPendingPerServer(_ bounds: UpstreamBounds, connections: Int) -> Int {
        bounds.pendingPerServer ?? max(1, min(bounds.pending ?? .max, bounds.requests ?? .max, connections) / 2)
    }

    /// So many connections there may be to the upstream, which may be others after a reload.
    mutating func bound(connections: Int) {
        mostPendingPerServer = UpstreamAddresses.mostPendingPerServer(settings.bounds, connections: connections)
    }

    var isEmpty: Bool { all.isEmpty }
    var isResolving: Bool { servers.contains(where: \.isResolving) }

    /// How many addresses a connection has not tried.
    func untried(_ tried: UInt64) -> Int { max(0, min(all.count, UpstreamAddresses.limit) - tried.nonzeroBitCount) }

    /// No connection came about.
    mutating func failed(_ identity: UInt64, now: UInt64) {
        guard let place = all.firstIndex(where: { $0.identity == identity }) else { return }
        all[place].avoidedUntil = now &+ UpstreamAddresses.putBackMicroseconds
    }

    /// A connection was made.
    mutating func succeeded(_ identity: UInt64, now: UInt64) {
        guard let place = all.firstIndex(where: { $0.identity == identity }) else { return }
        guard all[place].avoidedUntil != 0 else { return }
        all[place].avoidedUntil = 0
        all[place].health.returnedAt = now
    }

    /// The place of an address, while it is one of the upstream's.
    func place(of identity: UInt64) -> Int? { all.firstIndex { $0.identity == identity } }

    /// Whether a connection to this address is on its way that requests will share.
    func isOpening(_ identity: UInt64) -> Bool { place(of: identity).map { all[$0].isOpening } ?? false }

    mutating func setOpening(_ identity: UInt64, _ isOpening: Bool) {
        if identity != 0, let place = place(of: identity) { all[place].isOpening = isOpening }
    }

    /// The address of an attempt, with the name that a certificate there must have.
    func server(of identity: UInt64) -> (address: UpstreamAddress, certificateName: String)? {
        all.first { $0.identity == identity }.map { ($0, servers[$0.server].certificateName) }
    }

    /// Whether the address that a connection has is one of the upstream's still.
    ///
    /// Where `epoch` is the connection's, it is.
    func isKnown(_ upstream: UpstreamRef) -> Bool {
        guard all.contains(where: { $0.identity == upstream.pointee.address }) else { return false }
        upstream.pointee.epoch = epoch
        return true
    }
}
