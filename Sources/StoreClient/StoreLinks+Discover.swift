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
        let places = servers.topology == .sentinel ? servers.sentinels : servers.seeds
        let greeting = servers.topology == .sentinel ? servers.sentinelGreeting : servers.seedGreeting
        for (index, place) in places.enumerated() where guides.count <= index {
            guard let server = servers.server(at: place) else { continue }
            guides.append(NodeLink(self, .guide(index), place: place, server, greeting: greeting))
        }
        for guide in guides where guide.link.phase == .stopped { guide.link.start() }
        nextQuestion = clock()
    }

    /// A map, or the Sentinels' word, is wanted before its time: not sooner than after the pause that keeps many replicas
    /// from asking at once.
    func askGuidesSoon() {
        guard servers.topology != .standalone, !isStopped else { return }
        let pause = servers.topology == .sentinel ? 0 : UInt64.random(in: 0...StoreLinks.urgentPause)
        nextQuestion = min(nextQuestion, max(clock() &+ pause, lastQuestion &+ minimumPause))
        rearm()
    }

    private var minimumPause: UInt64 {
        servers.topology == .sentinel ? StoreLinks.urgentPause / 5 : StoreLinks.calmPause
    }

    func askGuides(_ now: UInt64) {
        lastQuestion = now
        switch servers.topology {
        case .standalone: return
        case .sentinel:
            for guide in guides where guide.link.phase == .ready {
                let question = Command.words(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", servers.sentinelName])
                _ = guide.link.send(question, ticket: NodeLink.guidance, within: 0)
            }
            nextQuestion = now &+ (isServed ? StoreLinks.calmPause : StoreLinks.urgentPause)
        case .cluster:
            let ready = links.compactMap { $0 }.filter { $0.link.phase == .ready }
            if let one = ready.randomElement() ?? guides.filter({ $0.link.phase == .ready }).randomElement() {
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
        guard !isStopped else { return }
        switch answer {
        case .reply(let reply):
            if servers.topology == .sentinel { named(by: guide, reply) } else { mapped(by: guide, reply) }
        case .refused(let refusal, let text):
            let key = servers.topology == .sentinel ? "store.sentinel.url" : "store.topology"
            if refusal.code == .other {
                receiver.storeTold(.unsuitable(guide.place, setting: key, found: ServerText.printable(text)))
            }
        case .unknown, .notSent: break
        }
    }

    private func named(by guide: NodeLink, _ reply: borrowing Reply) {
        guard case .guide(let index) = guide.role else { return }
        votes.record(index, SentinelAnswer.place(reply, asked: guide.place), now: clock())
        guard let choice = votes.choice(isServed: isServed, now: clock()) else { return }
        if let primary = table.primary, table.places[primary] == choice { return }
        guard let node = enter(choice) else { return }
        // Whoever is named serves when the link to it is greeted as a primary's; until then the other one does.
        if !isServed || isReady(node) { makePrimary(node) }
    }

    func makePrimary(_ node: NodeTable.Node) {
        let former = table.primary
        table.makePrimary(node)
        if let former, former != node { leave(former) }
    }

    private func mapped(by guide: NodeLink, _ reply: borrowing Reply) {
        guard let map = ClusterMap(reply, asked: guide.place) else {
            return receiver.storeTold(
                .unsuitable(guide.place, setting: "store.topology", found: "no map of a cluster"))
        }
        // Each is entered with its link before the table has them.
        for place in Set(map.ranges.map(\.place)) where table.node(at: place) == nil { _ = enter(place) }
        for node in table.take(map) { closeLink(node) }
        if !map.ranges.isEmpty { stopSeeds() }
        rearm()
    }

    /// Seeds are asked for nothing while the nodes themselves answer.
    private func stopSeeds() {
        for guide in guides { guide.link.stop() }
    }

    func opened(_ link: NodeLink) {
        switch link.role {
        case .guide: nextQuestion = max(clock(), servers.topology == .cluster ? lastQuestion &+ minimumPause : 0)
        case .node(let node):
            receiver.storeTold(.connected(link.place))
            if servers.topology == .sentinel, table.primary != node,
                votes.choice(isServed: isServed, now: clock()) == link.place
            {
                makePrimary(node)
            }
        }
        rearm()
    }

    func lost(_ link: NodeLink, _ loss: LinkLoss) {
        guard case .node(let node) = link.role, loss != .stopped else { return }
        receiver.storeTold(.lost(link.place, loss))
        guard servers.topology != .standalone else { return }
        // It is entered again when somebody names it.
        if loss == .notPrimary { leave(node) }
        askGuidesSoon()
    }
}

/// What a Sentinel answers when it is asked for the primary.
enum SentinelAnswer {
    /// The primary; nil where it knows none, or where the answer is none.
    static func place(_ reply: borrowing Reply, asked: LinkServer.Place) -> LinkServer.Place? {
        guard reply.kind == .array, reply.integer == 2 else { return nil }
        var parts = reply.elements
        guard let host = parts.next(), let port = parts.next(), host.kind == .bulkString, !host.bytes.isEmpty,
            port.kind == .bulkString, let number = UInt16(String(decoding: port.bytes.copied, as: UTF8.self)),
            number > 0
        else { return nil }
        return AnnouncedPlace.place(host.bytes, port: number, asked: asked)
    }
}
