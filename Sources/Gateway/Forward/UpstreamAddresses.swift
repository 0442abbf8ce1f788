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
/// goes to, and `ServerHealth` which ones are left out for what they did.
///
/// One worker's alone, as its connections are: no lock, and what one worker has learned the others learn themselves.
struct UpstreamAddresses {
    /// One of the servers, and when its name was last looked up.
    struct Server {
        let host: String
        let port: UInt16
        /// The name that its certificate must have.
        let certificateName: String
        /// Nothing to look up: an IP literal or a Unix socket.
        let isLiteral: Bool
        var isResolving = false
        /// Monotonic microseconds of the last answer, to ask again now and then.
        var resolvedAt: UInt64 = 0
    }

    private(set) var servers: [Server] = []
    var all: [UpstreamAddress] = []
    /// Whether there is a choice.
    private(set) var isSeveral = false
    /// What the operator said of them.
    let settings: UpstreamPoolSettings
    /// Draws two of them.
    var chance = Chance()
    /// Nobody was well when an address was chosen last, so that all are used; and whether that is yet to be told.
    var isPanicking = false
    var isPanicNew = false
    /// For how long the share of a server grows that came back, in microseconds.
    let slowStart: UInt64
    /// Changes when an address has gone.
    private(set) var epoch: UInt32 = 0
    /// Whether any of the servers is known by name.
    let hasNames: Bool
    var turn = 0

    /// How long a failed address is put back.
    static let putBackMicroseconds: UInt64 = 10_000_000
    /// How long the answer of a name server is used.
    static let refreshMicroseconds: UInt64 = 30_000_000
    /// Addresses used of all servers: as many as a connection can remember to have tried.
    static let limit = 64

    init(_ settings: UpstreamSettings) {
        let pool = settings.pool
        self.settings = pool
        slowStart = UInt64(max(0, pool.slowStart.wholeMilliseconds)) * 1000
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

    /// Servers whose names are to be looked up now.
    mutating func due(now: UInt64) -> [Int] {
        var due: [Int] = []
        for place in servers.indices where !servers[place].isLiteral && !servers[place].isResolving {
            // The time of the last tick may be before the answer's.
            let resolvedAt = servers[place].resolvedAt
            let isFresh = now < resolvedAt || now - resolvedAt <= UpstreamAddresses.refreshMicroseconds
            guard !isFresh || !all.contains(where: { $0.server == place }) else { continue }
            servers[place].isResolving = true
            due.append(place)
        }
        return due
    }

    /// The next connection asks the name server again.
    mutating func forgetAnswers() {
        for place in servers.indices { servers[place].resolvedAt = 0 }
    }

    /// What a name leads to now; says whether an address has gone.
    mutating func answered(_ found: [SocketAddress], server: Int, now: UInt64) -> Bool {
        guard servers.indices.contains(server) else { return false }
        servers[server].isResolving = false
        servers[server].resolvedAt = now
        // A name server that fails for a while does not take away addresses that worked.
        guard !found.isEmpty else { return false }
        var next: [UpstreamAddress] = []
        for address in found {
            let one = UpstreamAddress(address, server: server, weight: settings.weight(of: server))
            guard !next.contains(where: { $0.identity == one.identity }) else { continue }
            next.append(all.first { $0.identity == one.identity } ?? one)
        }
        let hasLost = all.contains { old in
            old.server == server && !next.contains { $0.identity == old.identity }
        }
        all = all.filter { $0.server < server } + next + all.filter { $0.server > server }
        isSeveral = all.count > 1
        if hasLost { epoch &+= 1 }
        return hasLost
    }
}
