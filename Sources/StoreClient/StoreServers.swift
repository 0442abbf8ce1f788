import Crypto
package import RESP
package import SharedState
package import StoreLink
package import Transport

/// Where the servers of a store are, what is said to them first, and how much is held for them.
package struct StoreServers: Sendable {
    /// How the servers stand to each other.
    let topology: StoreSettings.Topology
    /// Where a write has to be before it counts.
    private(set) var durability: StoreSettings.Durability
    /// The one slot whose keys are asked about; nil for all of them.
    private(set) var slot: Int?
    /// The server, or the seeds of a cluster; none where Sentinels are asked.
    let seeds: [LinkServer.Place]
    /// The Sentinels, and what they call the primary.
    let sentinels: [LinkServer.Place]
    let sentinelName: String
    let greeting: Greeting
    /// For the second connection to a server, which writes alone use.
    let writeGreeting: Greeting
    let sentinelGreeting: Greeting
    /// Who signs in at the servers, and at the Sentinels.
    package let user: StoreUser
    let sentinelUser: StoreUser
    /// For a server of a cluster that is only asked where the others are: it may be a replica.
    let seedGreeting: Greeting
    let limits: LinkLimits
    /// Those that give a server the scripts.
    let scripts: [Command]
    /// Whether a replica has what was written before.
    let replicationQuestion: Command
    /// Which parts of a cluster's slots have epochs of their own: numbers whose slots are spread over all.
    package let epochTags: [Int]
    /// Places in the greeting whose answers are told: of the epochs, the store's own first.
    let epochSteps: Range<Int>
    let informationStep: Int
    private let tls: ClientTLS?
    private let serverName: String?
    private let allowsPlain: Bool

    /// The servers of these settings; `tls` is how TLS is spoken to them, nil where none of them speaks it.
    ///
    /// All connections say the same first: who they are, which database they want, whether the server is a primary, the
    /// store's epoch, what the server tells of itself, whether it says back what it is told, and the scripts.
    package init(_ settings: StoreSettings, tls: ClientTLS?) {
        topology = settings.topology
        durability = settings.durability
        seeds = settings.addresses.map(StoreServers.place)
        sentinels = settings.sentinel?.addresses.map(StoreServers.place) ?? []
        sentinelName = settings.sentinel?.name ?? ""
        serverName = settings.tls.serverName
        allowsPlain = settings.insecureAllowPlain
        self.tls = tls
        scripts = StoreScripts.loading.map { Command($0) }
        let loading = ([Command("PING")] + scripts).map { Greeting.Step($0, .success) }
        var first: [Greeting.Step] = []
        if settings.database != 0 { first.append(.init(.words(["SELECT", "\(settings.database)"]), .success)) }
        first.append(.init(Command("ROLE"), .primary))
        epochTags = settings.topology == .cluster ? StoreServers.tags() : []
        let epochs = ["\(settings.prefix):epoch"] + epochTags.map { "\(settings.prefix):epoch:{\($0)}" }
        epochSteps = first.count..<(first.count + epochs.count)
        informationStep = epochSteps.upperBound
        // One node of a cluster has it, and the others say so. One that was started a moment ago says that the cluster is down:
        // it would be asked about proofs before anybody knew that it forgot them.
        let expectation = settings.topology == .cluster ? Greeting.Step.Expectation.anythingSettled : .success
        let questions =
            epochs.map { Greeting.Step(.words(["GET", $0]), expectation) }
            // No more than somebody reads: the whole of it may be larger than a reply may be.
            + [Greeting.Step(Command(StoreInformation.question), .anything)]
        let credentials = settings.password.map { Greeting.Credentials(user: settings.user, password: $0) }
        greeting = Greeting(credentials: credentials, steps: first + questions + loading)
        writeGreeting = Greeting(credentials: credentials, steps: first + loading)
        seedGreeting = Greeting(credentials: credentials, steps: [.init(Command("ROLE"), .anything)])
        sentinelGreeting = Greeting(
            credentials: settings.sentinel?.password.map {
                Greeting.Credentials(user: settings.sentinel?.user, password: $0)
            }, steps: [.init(Command("PING"), .success)])
        user = StoreUser(settings.user, signsIn: settings.password != nil, section: "store")
        sentinelUser = StoreUser(
            settings.sentinel?.user, signsIn: settings.sentinel?.password != nil, section: "store.sentinel")
        var limits = LinkLimits()
        limits.commands = settings.limits.inFlight
        limits.waitingBytes = settings.limits.bytes
        limits.connect = StoreServers.microseconds(settings.timeouts.connect)
        limits.command = StoreServers.microseconds(settings.timeouts.command)
        // A server that takes as long as it may is not silent.
        limits.silence = max(limits.silence, limits.command)
        self.limits = limits
        // It stands beside the writes of each turn, and within their time.
        replicationQuestion = .words(["WAIT", "1", "\(min(100, limits.command / 1000))"])
    }

    /// Parts of a cluster's slots; whoever serves twice as many slots in a row as a part has serves one.
    private static let partCount = 128

    /// The least number in each part of the slots, in the order of the slots.
    private static func tags() -> [Int] {
        var tags: [Int?] = Array(repeating: nil, count: partCount)
        var (number, left) = (0, partCount)
        while left > 0 {
            let part = HashSlot.of("\(number)".utf8Span.span) / (HashSlot.count / partCount)
            if tags[part] == nil {
                tags[part] = number
                left -= 1
            }
            number += 1
        }
        return tags.compactMap(\.self)
    }

    /// The same for whoever only reads, and of keys in one slot: of a cluster no server is spoken to but the one that has
    /// them, and no replica is waited for.
    func reading(slot: Int) -> StoreServers {
        var servers = self
        servers.slot = slot
        servers.durability = .primary
        return servers
    }

    /// Where the first of them is, of those that are configured.
    package var firstPlace: LinkServer.Place { seeds.first ?? sentinels.first ?? .unixSocket(path: "") }

    /// All that the settings name.
    package var places: [LinkServer.Place] { seeds + sentinels }

    /// The server at a place; nil where it would be spoken to in the clear across a network that nobody allowed (SH-06).
    func server(at place: LinkServer.Place) -> LinkServer? {
        guard tls == nil else { return LinkServer(place, tls: tls, serverName: serverName) }
        if case .address(let host, _) = place, !allowsPlain, !StoreServers.isLoopback(host) { return nil }
        return LinkServer(place)
    }

    private static func isLoopback(_ host: String) -> Bool {
        // Of a name that begins like an address, somebody else says where it is.
        host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && SocketAddress(literal: host, port: 0) != nil)
    }

    private static func place(_ address: StoreSettings.Address) -> LinkServer.Place {
        switch address {
        case .network(let host, let port, _): .address(host: host, port: port)
        case .unixSocket(let path): .unixSocket(path: path)
        }
    }

    private static func microseconds(_ duration: Duration) -> UInt64 {
        UInt64(max(0, duration.components.seconds)) * 1_000_000
            + UInt64(max(0, duration.components.attoseconds / 1_000_000_000_000))
    }
}

extension Command {
    /// A command of these arguments, its name the first of them.
    package init(_ arguments: [[UInt8]]) {
        self.init(arguments.first.map { String(decoding: $0, as: UTF8.self) } ?? "")
        for argument in arguments.dropFirst() { append(argument.span) }
        // What was there before is told then.
        if name == "SET", arguments.last == Array("GET".utf8) { replies = [.bulkString, .null] }
    }

    static func words(_ words: [String]) -> Command { Command(words.map { Array($0.utf8) }) }
}
