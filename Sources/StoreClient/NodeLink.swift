import Bytes
import RESP
import StoreLink

/// One server's link, and what it is for.
final class NodeLink: LinkReceiving {
    /// What a server is asked for.
    enum Role {
        /// About keys.
        case node(NodeTable.Node)
        /// For writes that count only once a replica has them: nothing else is asked there, for it would wait too (SH-60).
        case writes(NodeTable.Node)
        /// Which servers there are, by its place among those that tell.
        case guide(Int)
    }

    /// The ticket of commands whose answers nobody waits for.
    static let nobody = UInt64.max
    /// The ticket of questions which servers there are.
    static let guidance = UInt64.max - 1
    /// The ticket of the last script that is given again.
    static let lastScript = UInt64.max - 2
    /// The ticket of the question whether replicas have the writes before it.
    static let replication = UInt64.max - 3

    private unowned let owner: StoreLinks
    let role: Role
    let place: LinkServer.Place
    private var made: ServerLink?
    /// The scripts are being given again; what the server says of missing ones until then is known.
    var isLoadingScripts = false
    /// When the operator was told the last time that this server does not suit.
    var saidUnsuitable: UInt64?
    /// Writes that were answered, while it is unknown whether a replica has them.
    var held = HeldAnswers()
    /// Commands that the server had, and how many of them took too long.
    var pace = ServerPace()
    /// How soon it must be known whether a replica has the writes that were given to the link; 0 when there are none.
    var replicationWithin: UInt64 = 0

    init(
        _ owner: StoreLinks, _ role: Role, place: LinkServer.Place, _ server: LinkServer, greeting: Greeting
    ) {
        self.owner = owner
        self.role = role
        self.place = place
        made = ServerLink(
            server, machine: LinkMachine(greeting: greeting, limits: owner.servers.limits), loop: owner.loop,
            resolver: owner.resolver, clock: owner.clock, receiver: self)
    }

    var link: ServerLink {
        guard let made else { preconditionFailure("the link is made with its receiver") }
        return made
    }

    /// The node whose keys it is asked about.
    var node: NodeTable.Node? {
        switch role {
        case .node(let node), .writes(let node): node
        case .guide: nil
        }
    }

    func linkAnswered(_ ticket: UInt64, _ answer: borrowing Answer) {
        switch ticket {
        case NodeLink.nobody: owner.refusedAside(by: self, answer)
        case NodeLink.guidance: owner.guided(by: self, answer)
        case NodeLink.lastScript: isLoadingScripts = false
        case NodeLink.replication: owner.replicated(by: self, answer)
        default: owner.answered(self, ticket, answer)
        }
    }

    func linkGreeted(_ step: Int, _ reply: borrowing Reply) {
        guard case .node = role else { return }
        if owner.servers.epochSteps.contains(step) {
            // A node that does not have it does not say that there is none.
            if reply.kind == .error { return }
            let word = reply.kind == .bulkString ? [UInt8](copying: reply.bytes) : nil
            owner.receiver.storeTold(.epoch(part: step - owner.servers.epochSteps.lowerBound, word))
        } else if step == owner.servers.informationStep {
            owner.informed(self, reply.kind == .bulkString ? [UInt8](copying: reply.bytes) : nil)
        }
    }

    func linkOpened() { owner.opened(self) }
    func linkLost(_ loss: LinkLoss) { owner.lost(self, loss) }
    func linkWillWrite() { if replicationWithin > 0 { owner.askReplicas(by: self) } }
}
