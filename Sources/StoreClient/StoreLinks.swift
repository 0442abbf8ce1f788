package import EventLoop
import Glibc
package import RESP
import SharedState
package import StoreLink
package import Transport

/// The store, as one loop asks it: a link to each server that is needed, and which of them is asked.
///
///     send ─▶ the slot's server ─▶ its link ─▶ answer
///                   ▲                            │ MOVED, ASK, NOSCRIPT, LOADING … : certainly not executed
///                   └────────── again ◀──────────┘ within the command's time
///
/// Which servers there are is found out beside: one is named by the settings, a primary by Sentinels, a cluster's by the
/// nodes themselves. All of it is called on the loop's thread.
package final class StoreLinks {
    let servers: StoreServers
    let loop: EventLoop
    let resolver: Resolver
    let clock: () -> UInt64
    unowned let receiver: any StoreReceiving

    var table: NodeTable
    /// By node.
    var links: [NodeLink?] = []
    /// By node, where writes have a connection of their own.
    var writers: [NodeLink?] = []
    /// By node, when it last was the other end of a slot that moves: it may have no slot so far, and is needed.
    var detours: [UInt64] = []
    /// Links of servers that are not asked any more, until what they were asked is answered.
    var leaving: [LeavingLink] = []
    /// Those whom the servers are found out from: Sentinels, or seeds of a cluster.
    var guides: [NodeLink] = []
    var votes: SentinelVotes
    /// When whoever guides is asked again.
    var nextQuestion: UInt64 = 0
    /// When it was asked the last time; of a server that stands alone, when its connection was opened anew because it was
    /// no primary.
    var lastQuestion: UInt64 = 0
    /// Servers that were named as primaries and are none, and until when they are not believed in.
    var impostors: [(place: LinkServer.Place, until: UInt64)] = []
    var pending = PendingCommands()
    private var due: [Int] = []
    /// Answers that are being told.
    var released = HeldAnswers()
    let retry = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
    private let timer = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
    private var wakesAt = UInt64.max
    package private(set) var isStopped = true
    /// Whether connections are opened: not where others serve by now.
    var mayConnect = true
    /// What links that are gone have done.
    private var earlier = LinkCounters()
    /// The command that a server refused last; while that is told, the one that is told of.
    package private(set) var refusedCommand = ""
    /// Commands that were sent somewhere else, or once more.
    package internal(set) var redirects = 0

    /// Links that are stopped; `clock` tells monotonic microseconds.
    package init(
        _ servers: StoreServers, loop: EventLoop, resolver: Resolver, clock: @escaping () -> UInt64,
        receiver: any StoreReceiving
    ) {
        self.servers = servers
        self.loop = loop
        self.resolver = resolver
        self.clock = clock
        self.receiver = receiver
        table = NodeTable(isCluster: servers.topology == .cluster)
        votes = SentinelVotes(sentinels: servers.sentinels.count)
        for event in [timer, retry] { event.initialize(to: FileEvent()) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        FileEvent.assign(timer, loop.base, -1, [], onTimer, context)
        FileEvent.assign(retry, loop.base, -1, [], onRetry, context)
    }

    deinit {
        for event in [timer, retry] {
            FileEvent.remove(event)
            event.deallocate()
        }
    }

    /// Opens what is known, and finds out the rest.
    package func start() {
        guard isStopped else { return }
        (isStopped, mayConnect) = (false, true)
        switch servers.topology {
        case .standalone:
            guard let place = servers.seeds.first, let node = enter(place) else { return }
            table.makePrimary(node)
        case .sentinel, .cluster: startGuides()
        }
        rearm()
    }

    /// Closes everything; what is in flight is told as unknown.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        let all = links.compactMap(\.self) + writers.compactMap(\.self) + guides + leaving.map(\.link)
        for place in pending.takeAll() { tell(place, .unknown) }
        for link in all {
            earlier.add(link.link.counters)
            link.link.stop()
        }
        retire(all)
        links = []
        writers = []
        detours = []
        guides = []
        leaving = []
        table = NodeTable(isCluster: servers.topology == .cluster)
        votes = SentinelVotes(sentinels: servers.sentinels.count)
        impostors = []
    }

    /// Whether a command about a key of this slot would be sent.
    package func isUp(slot: Int) -> Bool { table.owner(of: slot).map(isReady) ?? false }

    /// The servers that are known, and whether each takes commands.
    package var states: [(place: LinkServer.Place, isUp: Bool)] {
        table.nodes.compactMap { node in table.places[node].map { ($0, isReady(node)) } }
    }

    /// How the servers that are known have kept their time.
    package var paces: [(place: LinkServer.Place, pace: ServerPace)] {
        table.nodes.compactMap { node in
            guard let place = table.places[node] else { return nil }
            var pace = links[node]?.pace ?? ServerPace()
            if let writer = writers[node] { pace.add(writer.pace) }
            return (place, pace)
        }
    }

    /// What all links have done, those that are gone among them.
    package var counters: LinkCounters {
        var sum = earlier
        for link in links + writers { if let link { sum.add(link.link.counters) } }
        for link in leaving { sum.add(link.link.link.counters) }
        return sum
    }

    /// Commands whose answers are awaited.
    package var inFlight: Int { pending.count }

    /// Takes a command about a key of this slot, or refuses it at once and tells nothing more about it (SH-74).
    ///
    /// `within` microseconds it is answered, whatever is done for it; 0 for the time that all have. One that changes nothing is
    /// sent again within its time even where it may have been executed. One that `leavesRoom` is refused where half of the places
    /// are taken: whoever floods us with cookies that he made up keeps out nobody's proof, recheck or logout.
    package func send(
        _ command: borrowing Command, slot: Int, ticket: UInt64, within: UInt64 = 0, changesNothing: Bool = false,
        leavesRoom: Bool = false
    ) -> SendOutcome {
        guard !isStopped, let node = table.owner(of: slot), let reader = readyLink(node) else { return .down }
        let waiting = pending.count
        guard waiting < servers.limits.commands else { return .busy }
        // What was given up keeps its place at the link until its answer comes.
        guard !leavesRoom || max(waiting, reader.link.commandsInFlight) < (servers.limits.commands + 1) / 2 else {
            return .busy
        }
        let (time, now) = (within == 0 ? servers.limits.command : within, clock())
        guard let link = servers.durability == .replica && !changesNothing ? writers[node] : reader else {
            return .down
        }
        let (place, linkTicket) = pending.take(
            command, ticket: ticket, slot: slot, at: now, deadline: now &+ time, changesNothing: changesNothing)
        let outcome = link.link.send(command, ticket: linkTicket, within: time)
        guard outcome == .accepted else {
            _ = pending.release(place)
            return outcome
        }
        if case .writes = link.role { noteWrite(by: link, time) }
        return .accepted
    }

    /// The slot of a key, for `send`; only a cluster has any, and for other stores none is computed.
    package func slot(of key: Span<UInt8>) -> Int { table.isCluster ? HashSlot.of(key) : 0 }

    // MARK: nodes

    func isReady(_ node: NodeTable.Node) -> Bool { readyLink(node) != nil }

    /// The link by which a node is read from, if the node takes commands.
    private func readyLink(_ node: NodeTable.Node) -> NodeLink? {
        guard links.indices.contains(node), let link = links[node], link.link.phase == .ready,
            servers.durability == .primary || writers[node]?.link.phase == .ready
        else { return nil }
        return link
    }

    /// Whether a link is one that commands are given to; another may still have answers to tell.
    func isCurrent(_ link: NodeLink) -> Bool {
        guard let node = link.node, links.indices.contains(node) else { return false }
        return links[node] === link || writers[node] === link
    }

    /// The node at a place, whose link is opened when it is new; nil where it may not be spoken to, or there are too many.
    func enter(_ place: LinkServer.Place) -> NodeTable.Node? {
        if let known = table.node(at: place) { return known }
        guard mayConnect else { return nil }
        guard let server = servers.server(at: place) else {
            receiver.storeTold(
                .unsuitable(
                    place, setting: "store.insecure_allow_plain", found: "a server across the network without TLS"))
            return nil
        }
        guard let node = table.enter(place) else { return nil }
        while links.count <= node {
            links.append(nil)
            writers.append(nil)
            detours.append(0)
        }
        detours[node] = 0
        let link = NodeLink(self, .node(node), place: place, server, greeting: servers.greeting)
        links[node] = link
        if servers.durability == .replica {
            writers[node] = NodeLink(self, .writes(node), place: place, server, greeting: servers.writeGreeting)
        }
        link.link.start()
        writers[node]?.link.start()
        return table.places[node] == place ? node : nil
    }

    /// Lets go of a node that serves nothing any more.
    func leave(_ node: NodeTable.Node) {
        table.remove(node)
        closeLink(node)
    }

    /// Closes the links of a node that has no place any more, once what they were asked is answered: those are no errors.
    func closeLink(_ node: NodeTable.Node) {
        guard links.indices.contains(node) else { return }
        for link in [links[node], writers[node]].compactMap(\.self) {
            leaving.append(LeavingLink(link: link, until: clock() &+ StoreLinks.longestTime))
        }
        links[node] = nil
        writers[node] = nil
        stopThoseThatLeft()
        rearm()
    }

    /// Longer than any command's time.
    private static let longestTime: UInt64 = 6_000_000
    /// How often it is looked whether links that leave have answered.
    private static let leavingPause: UInt64 = 50_000

    private func stopThoseThatLeft() {
        let now = clock()
        for index in leaving.indices.reversed() {
            let one = leaving[index]
            guard one.link.link.inFlight == 0 || now >= one.until else { continue }
            leaving.remove(at: index)
            stop(one.link)
        }
    }

    /// Ends a link that is not in any list any more.
    func stop(_ link: NodeLink) {
        earlier.add(link.link.counters)
        link.link.stop()
        retire([link])
    }

    /// Keeps links that may be in the middle of a call until it is over.
    func retire(_ gone: [NodeLink]) {
        let kept = RetiredLinks(gone)
        loop.execute { withExtendedLifetime(kept) {} }
    }

    // MARK: sending

    private func link(of node: NodeTable.Node, for place: Int) -> NodeLink? {
        guard links.indices.contains(node) else { return nil }
        return servers.durability == .replica && !pending[place].changesNothing ? writers[node] : links[node]
    }

    /// How a server is asked about a slot.
    private enum Way {
        case itsOwn
        /// The slot is about to be its own: this command alone.
        case asking
    }

    private func offer(_ place: Int, to node: NodeTable.Node, _ way: Way, within: UInt64) -> SendOutcome {
        guard let link = link(of: node, for: place) else { return .down }
        pending[place].tries += 1
        let ticket = pending.linkTicket(place)
        let outcome =
            switch way {
            case .itsOwn: link.link.send(pending[place].command, ticket: ticket, within: within)
            case .asking:
                // Both or none: it would make the next command on that connection pass where it must not.
                link.link.send(
                    Command("ASKING"), ticket: NodeLink.nobody, before: pending[place].command, ticket: ticket,
                    within: within)
            }
        if outcome == .accepted, case .writes = link.role { noteWrite(by: link, within) }
        return outcome
    }

    /// Sends one again; at once where it can be, and a little later where not.
    private func sendAgain(_ place: Int) {
        let now = clock()
        guard now < pending[place].deadline else { return tell(place, .notSent) }
        let detour = pending[place].detour
        pending[place].detour = nil
        redirects += 1
        guard let node = detour ?? table.owner(of: pending[place].slot), isReady(node) else {
            pending[place].detour = detour
            return waitToSend(place, RetryRules.pause(1))
        }
        let way: Way = detour == nil ? .itsOwn : .asking
        if offer(place, to: node, way, within: pending[place].deadline - now) != .accepted { tell(place, .notSent) }
    }

    private func waitToSend(_ place: Int, _ microseconds: UInt64) {
        pending.wait(place, until: min(clock() &+ microseconds, pending[place].deadline))
        rearm()
    }

    func tell(_ place: Int, _ answer: borrowing Answer) { tell(place, answer, at: clock()) }

    private func tell(_ place: Int, _ answer: borrowing Answer, at now: UInt64) {
        let (ticket, takenAt) = pending.release(place)
        receiver.storeAnswered(ticket, answer, after: now &- takenAt)
    }

    // MARK: answers

    func answered(_ link: NodeLink, _ linkTicket: UInt64, _ answer: borrowing Answer) {
        guard let place = pending.place(of: linkTicket) else { return }
        let now = clock()
        note(answer, of: pending[place].times, by: link, at: now)
        switch answer {
        case .reply(let reply):
            if case .writes = link.role { return link.held.hold(linkTicket, reply) }
            tell(place, answer, at: now)
        case .refused(let refusal, let text): refused(link, place, refusal, text)
        case .notSent: isStopped ? tell(place, .notSent) : waitToSend(place, RetryRules.pause(1))
        case .unknown:
            if pending[place].changesNothing, !isStopped, now < pending[place].deadline {
                waitToSend(place, RetryRules.pause(1))
            } else {
                tell(place, .unknown)
            }
        }
    }

    private func note(
        _ answer: borrowing Answer, of times: PendingCommands.Times, by link: NodeLink, at now: UInt64
    ) {
        // What is asked with a time of its own waits at the server on purpose.
        guard times.deadline == times.takenAt &+ servers.limits.command else { return }
        switch answer {
        case .reply, .refused: link.pace.note(now &- times.takenAt, of: servers.limits.command)
        case .unknown: link.pace.note(nil, of: servers.limits.command)
        case .notSent: break
        }
    }

    private func refused(_ link: NodeLink, _ place: Int, _ refusal: ServerRefusal, _ text: Span<UInt8>) {
        refusedCommand = pending[place].command.name
        guard !isStopped else { return tell(place, .refused(refusal, text: text)) }
        notice(refusal, from: link)
        // Whoever was told of it may have stopped all of it.
        guard !isStopped else { return }
        if refusal.code == .moved || refusal.code == .ask {
            guard follow(refusal, text, place, from: link) else { return tell(place, .refused(refusal, text: text)) }
            pending[place].redirects += 1
        }
        let entry = (tries: pending[place].tries, redirects: pending[place].redirects)
        switch RetryRules.decide(refusal, tries: entry.tries, redirects: entry.redirects - 1) {
        case .tell: tell(place, .refused(refusal, text: text))
        case .now: sendAgain(place)
        case .after(let microseconds): waitToSend(place, microseconds)
        }
    }

    /// What a refusal says about the server, whoever it was meant for.
    private func notice(_ refusal: ServerRefusal, from link: NodeLink) {
        switch refusal.code {
        case .noScript: giveScripts(to: link)
        case .readOnly, .masterDown:
            // It was a primary when it was greeted. What else it was asked it refuses too, and that is sent elsewhere.
            leaveReplica(link)
        case .moved, .clusterDown: askGuidesSoon()
        default: break
        }
    }

    /// Lets go of a server that was a primary and is none any more.
    private func leaveReplica(_ link: NodeLink) {
        if servers.topology == .standalone {
            unsuitable(link, setting: "store.url", found: "a server that is no primary")
            let now = clock()
            // Behind the same name may be another server by now, and this one keeps its connections. Once a second.
            guard !isStopped, isCurrent(link), now >= lastQuestion &+ 1_000_000 else { return }
            lastQuestion = now
        }
        guard isCurrent(link), let node = link.node else { return askGuidesSoon() }
        leave(node)
        receiver.storeTold(.lost(link.place, .notPrimary, as: servers.user))
        guard !isStopped else { return }
        if servers.topology == .standalone {
            guard let node = enter(link.place) else { return }
            table.makePrimary(node)
            // What the operator was told a moment ago is not told again.
            links[node]?.saidUnsuitable = link.saidUnsuitable
        } else {
            askGuidesSoon()
        }
    }

    /// Gives a server the scripts again, once for all commands that miss them: those were asked before (SH-49).
    private func giveScripts(to link: NodeLink) {
        guard !link.isLoadingScripts else { return }
        for (index, script) in servers.scripts.enumerated() {
            let isLast = index == servers.scripts.count - 1
            let outcome = link.link.send(script, ticket: isLast ? NodeLink.lastScript : NodeLink.nobody, within: 0)
            if isLast { link.isLoadingScripts = outcome == .accepted }
        }
    }

    /// Notes where a redirect leads; false where it leads nowhere.
    private func follow(
        _ refusal: ServerRefusal, _ text: Span<UInt8>, _ place: Int, from link: NodeLink
    ) -> Bool {
        guard table.isCluster else {
            unsuitable(link, setting: "store.topology", found: "a server of a cluster")
            return false
        }
        guard let redirection = Redirection(text),
            let announced = AnnouncedPlace.place(redirection.host, port: redirection.port, asked: link.place),
            let target = enter(announced)
        else { return false }
        if refusal.code == .ask {
            pending[place].detour = target
            detours[target] = clock()
        } else {
            table.assign(redirection.slot, to: target)
        }
        return true
    }

    /// Says which setting does not fit a server, once a second at most.
    func unsuitable(_ link: NodeLink, setting: String, found: String) {
        let now = clock()
        if let last = link.saidUnsuitable, now < last &+ 1_000_000 { return }
        link.saidUnsuitable = now
        receiver.storeTold(.unsuitable(link.place, setting: setting, found: found))
    }

    // MARK: time

    fileprivate func timerFired() {
        wakesAt = .max
        guard !isStopped else { return }
        let now = clock()
        due.removeAll(keepingCapacity: true)
        pending.takeDue(now: now, into: &due)
        var next = 0
        while next < due.count, !isStopped {
            if pending.begin(due[next]) { sendAgain(due[next]) }
            next += 1
        }
        guard !isStopped else { return }
        stopThoseThatLeft()
        if servers.topology != .standalone, now >= nextQuestion { askGuides(now) }
        rearm()
    }

    func rearm() {
        guard !isStopped else { return }
        var moment = pending.nextMoment
        if servers.topology != .standalone { moment = min(moment, nextQuestion) }
        if !leaving.isEmpty { moment = min(moment, clock() &+ StoreLinks.leavingPause) }
        guard moment < wakesAt else { return }
        wakesAt = moment
        let now = clock()
        FileEvent.add(timer, milliseconds: moment <= now ? 0 : Int((moment - now + 999) / 1000))
    }
}

private let onTimer: FileEvent.Callback = { _, _, context in
    let links = CallbackContext.object(context, of: StoreLinks.self)
    withExtendedLifetime(links) { links.timerFired() }
}

private let onRetry: FileEvent.Callback = { _, _, context in
    let links = CallbackContext.object(context, of: StoreLinks.self)
    withExtendedLifetime(links) { links.retryReplicas() }
}
