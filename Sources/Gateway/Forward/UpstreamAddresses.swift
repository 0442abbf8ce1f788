import Access
import Transport

/// One address that connections may go to.
struct UpstreamAddress {
    var address: SocketAddress
    /// Whose address it is, by its place among the servers.
    let server: Int
    /// The same for the same address of the same server, across answers of the resolver.
    let identity: UInt64
    /// Others come first until then, in monotonic microseconds: it could not be connected to.
    var avoidedUntil: UInt64 = 0

    init(_ address: SocketAddress, server: Int) {
        self.address = address
        self.server = server
        // FNV-1a: addresses come from the operator's name server and are few.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        withUnsafeBytes(of: address.storage) { bytes in
            for byte in bytes.prefix(Int(address.length)) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        identity = (hash ^ UInt64(truncatingIfNeeded: server)) &* 0x100_0000_01b3
    }
}

/// Where the requests of one worker to one upstream go: every address of every server, in turn.
///
/// An address that could not be connected to is put back for some seconds: the others are tried before it, and it is
/// tried when all of them fail, so that a name is never left without an address. There are no probes: a connection for a
/// request is the probe.
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
    private(set) var all: [UpstreamAddress] = []
    /// Changes when an address has gone.
    private(set) var epoch: UInt32 = 0
    /// Whether any of the servers is known by name.
    let hasNames: Bool
    private var turn = 0

    /// How long a failed address is put back.
    static let putBackMicroseconds: UInt64 = 10_000_000
    /// How long the answer of a name server is used.
    static let refreshMicroseconds: UInt64 = 30_000_000
    /// Addresses used of all servers: as many as a connection can remember to have tried.
    static let limit = 64

    init(_ settings: UpstreamSettings) {
        for (place, server) in settings.servers.enumerated() {
            let certificateName = settings.serverName ?? server.host
            switch server {
            case .address(let host, let port):
                let literal = SocketAddress(literal: host, port: port)
                servers.append(
                    Server(host: host, port: port, certificateName: certificateName, isLiteral: literal != nil))
                if let literal { all.append(UpstreamAddress(literal, server: place)) }
            case .unixSocket(let path):
                servers.append(Server(host: path, port: 0, certificateName: certificateName, isLiteral: true))
                if let address = SocketAddress(unixPath: path) { all.append(UpstreamAddress(address, server: place)) }
            }
        }
        hasNames = servers.contains { !$0.isLiteral }
    }

    var isEmpty: Bool { all.isEmpty }
    var isResolving: Bool { servers.contains(where: \.isResolving) }

    /// The place of the address for the next attempt of a connection that has `tried` some, which has had its turn then;
    /// nil when there is none left.
    mutating func next(after tried: UInt64, now: UInt64) -> Int? {
        let place = place(after: tried, now: now)
        if let place, all[place].avoidedUntil <= now { hadTurn(place) }
        return place
    }

    /// The next one begins behind this.
    mutating func hadTurn(_ place: Int) { turn = place + 1 }

    /// The address whose turn it is, of those that are not in `tried`.
    func place(after tried: UInt64, now: UInt64) -> Int? {
        let count = min(all.count, UpstreamAddresses.limit)
        var last: Int?
        for step in 0..<count {
            let place = (turn + step) % count
            guard tried & (1 << UInt64(place)) == 0 else { continue }
            if all[place].avoidedUntil <= now { return place }
            // Of those that were put back, the one whose failure is longest ago.
            if last.map({ all[place].avoidedUntil < all[$0].avoidedUntil }) ?? true { last = place }
        }
        return last
    }

    /// How many addresses a connection has not tried.
    func untried(_ tried: UInt64) -> Int { max(0, min(all.count, UpstreamAddresses.limit) - tried.nonzeroBitCount) }

    /// No connection came about.
    mutating func failed(_ identity: UInt64, now: UInt64) {
        guard let place = all.firstIndex(where: { $0.identity == identity }) else { return }
        all[place].avoidedUntil = now &+ UpstreamAddresses.putBackMicroseconds
    }

    /// A connection was made.
    mutating func succeeded(_ identity: UInt64) {
        guard let place = all.firstIndex(where: { $0.identity == identity }) else { return }
        all[place].avoidedUntil = 0
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
            var one = UpstreamAddress(address, server: server)
            guard !next.contains(where: { $0.identity == one.identity }) else { continue }
            if let known = all.first(where: { $0.identity == one.identity }) { one.avoidedUntil = known.avoidedUntil }
            next.append(one)
        }
        let hasLost = all.contains { old in
            old.server == server && !next.contains { $0.identity == old.identity }
        }
        all = all.filter { $0.server < server } + next + all.filter { $0.server > server }
        if hasLost { epoch &+= 1 }
        return hasLost
    }
}
