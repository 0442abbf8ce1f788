import RESP
import SharedState
import StoreLink

/// Finding out which servers there are: by Sentinels, or by the nodes of a cluster (SH-03, SH-04).
extension StoreLinks {
    /// How often Sentinels are asked while a primary serves, and the least time between two maps of a cluster.
    private static let calmPause: UInt64 = 1_000_000
    /// How often they are asked while none does.
    private static let urgentPause: UInt64 = 250_000

    func startGuides() {
        if guides.isEmpty {
            let isSentinel = servers.topology == .sentinel
            for (index, place) in (isSentinel ? servers.sentinels : servers.seeds).enumerated() {
                guard let server = servers.server(at: place) else { continue }
                guides.append(
                    NodeLink(
                        self, .guide(index), place: place, server,
                        greeting: isSentinel ? servers.sentinelGreeting : servers.seedGreeting))
            }
        }
        for guide in guides where guide.link.phase == .stopped { guide.link.start() }
        nextQuestion = clock()
    }

    /// A map, or the Sentinels' word, is wanted before its time: not sooner than after the pause that keeps many replicas
    /// from asking at once.
    func askGuidesSoon() {
        guard servers.topology != .standalone, !isStopped, mayConnect else { return }
        let pause = servers.topology == .sentinel ? 0 : UInt64.random(in: 0...StoreLinks.urgentPause)
        nextQuestion = min(nextQuestion, max(clock() &+ pause, lastQuestion &+ minimumPause))
        rearm()
    }

    private var minimumPause: UInt64 {
        servers.topology == .sentinel ? StoreLinks.urgentPause / 5 : StoreLinks.calmPause
    }

    func askGuides(_ now: UInt64) {
        switch servers.topology {
        case .standalone: return
        case .sentinel:
            lastQuestion = now
            for guide in guides where guide.link.phase == .ready {
                let question = Command.words(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", servers.sentinelName])
                _ = guide.link.send(question, ticket: NodeLink.guidance, within: 0)
            }
            nextQuestion = now &+ (isServed ? StoreLinks.calmPause : StoreLinks.urgentPause)
        case .cluster:
            let ready = links.compactMap(\.self).filter { $0.link.phase == .ready }
            if let one = ready.randomElement() ?? guides.filter({ $0.link.phase == .ready }).randomElement() {
                lastQuestion = now
                _ = one.link.send(.words(["CLUSTER", "SLOTS"]), ticket: NodeLink.guidance, within: 0)
            } else {
                startGuides()
            }
            let isWhole = !ready.isEmpty && ready.count == table.nodes.count
            nextQuestion = isWhole ? .max : now &+ StoreLinks.calmPause
        }
    }

    /// Whether the primary that was named takes commands.
    private var isServed: Bool { table.primary.map(isReady) ?? false }

    /// The answer to a question which servers there are.
    func guided(by guide: NodeLink, _ answer: borrowing Answer) {
        guard !isStopped, mayConnect else { return }
        switch answer {
        case .reply(let reply):
            if servers.topology == .sentinel { named(by: guide, reply) } else { mapped(by: guide, reply) }
        case .refused(let refusal, let text):
            let isSentinel = servers.topology == .sentinel
            switch refusal.code {
            case .other:
                unsuitable(
                    guide, setting: isSentinel ? "store.sentinel.url" : "store.topology",
                    found: ServerText.printable(text))
            case .noPermission:
                unsuitable(
                    guide, setting: isSentinel ? "store.sentinel.user" : "store.user",
                    found: """
                        the user \(user(of: guide).name), who may not ask which servers there are: \(ServerText.printable(text))
                        """)
            default: break
            }
        case .unknown, .notSent: break
        }
    }

    /// The answer to what is said before a command and for it.
    ///
    /// The command's own answer says nothing of a right that this lacks.
    func refusedAside(by link: NodeLink, _ answer: borrowing Answer) {
        switch answer {
        case .refused(let refusal, let text):
            guard refusal.code == .noPermission else { return }
            unsuitable(
                link, setting: "store.user", found: "\(ServerText.printable(text)), of the user \(servers.user.name)")
        case .reply, .unknown, .notSent: break
        }
    }

    private func named(by guide: NodeLink, _ reply: borrowing Reply) {
        guard case .guide(let index) = guide.role else { return }
        let now = clock()
        let place = SentinelAnswer.place(reply, asked: guide.place)
        if place == nil {
            unsuitable(guide, setting: "store.sentinel.name", found: "a Sentinel that knows no primary of that name")
        }
        votes.record(index, place, now: now)
        guard let choice = votes.choice(isServed: isServed, now: now) else { return }
        if let primary = table.primary, table.places[primary] == choice { return leaveAll(but: primary) }
        impostors.removeAll { now >= $0.until }
        guard !impostors.contains(where: { $0.place == choice }), let node = enter(choice) else { return }
        // Whoever is named serves when the link to it is greeted as a primary's; until then the other one does.
        if !isServed || isReady(node) { makePrimary(node) }
        leaveAll(but: node)
    }

    /// Lets go of servers that were named before, and neither serve nor are to: there would be more with each failover, until
    /// there is no room for a primary.
    private func leaveAll(but choice: NodeTable.Node) {
        for node in table.nodes where node != choice && node != table.primary { leave(node) }
    }

    /// How long a server is not believed in that was named and is no primary.
    private static let disbelief: UInt64 = 500_000

    func makePrimary(_ node: NodeTable.Node) {
        let former = table.primary
        table.makePrimary(node)
        if let former, former != node { leave(former) }
    }

    private func mapped(by guide: NodeLink, _ reply: borrowing Reply) {
        guard var map = ClusterMap(reply, asked: guide.place) else {
            return unsuitable(guide, setting: "store.topology", found: "no map of a cluster")
        }
        // A server that has just forgotten its cluster knows of no slot. It is not asked for what the others know.
        guard !map.ranges.isEmpty else {
            if table.nodes.isEmpty { unsuitable(guide, setting: "store.url", found: "a cluster without slots") }
            return
        }
        if let slot = servers.slot { map = map.only(slot) }
        // Each is entered with its link before the table has them.
        for place in Set(map.ranges.map(\.place)) where table.node(at: place) == nil { _ = enter(place) }
        let now = clock()
        // Where a slot is on its way to a server without any, nobody but a redirect names it.
        for node in table.take(map, keeping: { detours[$0] > 0 && now < detours[$0] &+ StoreLinks.detourLifetime }) {
            closeLink(node)
        }
        stopSeeds()
        rearm()
    }

    /// How long the other end of a slot that moves is kept, in microseconds.
    private static let detourLifetime: UInt64 = 10_000_000

    /// Seeds are asked for nothing while the nodes themselves answer.
    private func stopSeeds() {
        for guide in guides { guide.link.stop() }
    }

    func opened(_ link: NodeLink) {
        guard let node = link.node else {
            nextQuestion = max(clock(), servers.topology == .cluster ? lastQuestion &+ minimumPause : 0)
            return rearm()
        }
        guard isCurrent(link), isReady(node) else { return }
        receiver.storeTold(.connected(link.place))
        if servers.topology == .sentinel, table.primary != node,
            votes.choice(isServed: isServed, now: clock()) == link.place
        {
            makePrimary(node)
        }
        rearm()
    }

    func lost(_ link: NodeLink, _ loss: LinkLoss) {
        // Of what was written and answered, nobody can say any more whether a replica has it.
        if !isStopped { replicated(by: link, .unknown) }
        link.replicationWithin = 0
        guard loss != .stopped, !isStopped else { return }
        guard let node = link.node else { return receiver.storeTold(.lost(link.place, loss, as: user(of: link))) }
        guard isCurrent(link) else { return endLeaving(link) }
        guard mayConnect else { return link.link.stop() }
        receiver.storeTold(.lost(link.place, loss, as: servers.user))
        blame(link, loss)
        guard !isStopped, servers.topology != .standalone else { return }
        if loss == .notPrimary {
            // It is entered again when somebody names it.
            if servers.topology == .sentinel { impostors.append((link.place, clock() &+ StoreLinks.disbelief)) }
            leave(node)
        }
        askGuidesSoon()
    }

    /// A server that does not fit the settings: which of them.
    private func blame(_ link: NodeLink, _ loss: LinkLoss) {
        switch loss {
        case .greetingRefused(_, .moved, _), .greetingRefused(_, .ask, _), .greetingRefused(_, .crossSlot, _),
            .greetingRefused(_, .clusterDown, _):
            if servers.topology != .cluster {
                unsuitable(link, setting: "store.topology", found: "a server of a cluster")
            }
        case .notPrimary:
            if servers.topology == .standalone {
                unsuitable(link, setting: "store.url", found: "a server that is no primary")
            }
        default: break
        }
    }

    /// What a server tells of itself (`INFO`).
    func informed(_ link: NodeLink, _ information: [UInt8]?) {
        receiver.storeTold(.information(link.place, information))
        guard let information, !isStopped, servers.topology != .cluster else { return }
        let isOfCluster = information.split(separator: UInt8(ascii: "\n")).contains {
            $0.starts(with: "cluster_enabled:1".utf8)
        }
        if isOfCluster { unsuitable(link, setting: "store.topology", found: "a server of a cluster") }
    }

    /// A link that was on its way out has lost its connection: nothing more is awaited from it.
    private func endLeaving(_ link: NodeLink) {
        guard let index = leaving.firstIndex(where: { $0.link === link }) else { return }
        leaving.remove(at: index)
        stop(link)
    }
}

/// What a Sentinel answers when it is asked for the primary.
enum SentinelAnswer {
    /// The primary; nil where it knows none, or where the answer is none.
    static func place(_ reply: borrowing Reply, asked: LinkServer.Place) -> LinkServer.Place? {
        guard reply.kind == .array, reply.integer == 2 else { return nil }
        var parts = reply.elements
        // One that names no host names none: the primary is not where the Sentinel is.
        guard let host = parts.next(), let port = parts.next(), host.kind == .bulkString, !host.bytes.isEmpty,
            host.bytes[0] != UInt8(ascii: "?"), port.kind == .bulkString, let number = number(port.bytes)
        else { return nil }
        return AnnouncedPlace.place(host.bytes, port: number, asked: asked)
    }

    /// A port in its one spelling: digits, no zero in front.
    private static func number(_ text: Span<UInt8>) -> UInt16? {
        guard (1...5).contains(text.count), text[0] != UInt8(ascii: "0") else { return nil }
        var number = 0
        for index in text.indices {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            number = number * 10 + Int(text[index] - 0x30)
        }
        return UInt16(exactly: number)
    }
}
