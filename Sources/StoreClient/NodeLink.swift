import RESP
import StoreLink

/// One server's link, and what it is for.
final class NodeLink: LinkReceiving {
    /// What a server is asked for.
    enum Role {
        /// About keys.
        case node(NodeTable.Node)
        /// Which servers there are, by its place among those that tell.
        case guide(Int)
    }

    /// The ticket of commands whose answers nobody waits for.
    static let nobody = UInt64.max
    /// The ticket of questions which servers there are.
    static let guidance = UInt64.max - 1

    private unowned let owner: StoreLinks
    let role: Role
    let place: LinkServer.Place
    private var made: ServerLink?

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

    func linkAnswered(_ ticket: UInt64, _ answer: borrowing Answer) {
        if ticket == NodeLink.nobody { return }
        if ticket == NodeLink.guidance { return owner.guided(by: self, answer) }
        guard case .node(let node) = role else { return }
        owner.answered(node, ticket, answer)
    }

    func linkGreeted(_ step: Int, _ reply: borrowing Reply) {
        guard case .node = role else { return }
        if step == owner.servers.epochStep {
            owner.receiver.storeTold(.epoch(reply.kind == .bulkString ? reply.bytes.copied : nil))
        } else if step == owner.servers.informationStep {
            owner.receiver.storeTold(.information(place, reply.kind == .bulkString ? reply.bytes.copied : nil))
        }
    }

    func linkOpened() { owner.opened(self) }
    func linkLost(_ loss: LinkLoss) { owner.lost(self, loss) }
}

extension Span where Element == UInt8 {
    /// A copy that outlives what is lent.
    var copied: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in indices { bytes.append(self[index]) }
        return bytes
    }
}
