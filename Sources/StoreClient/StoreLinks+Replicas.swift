import EventLoop
import RESP
import SharedState
import StoreLink

/// Writes that count only once a replica has them (SH-60).
///
///     writes of a turn ─▶ WAIT 1 100 ─▶ the server
///          answers ─▶ held ───────────▶ told, when WAIT counts a replica
///
/// A primary that is cut off from its replicas accepts writes that are lost when one of them takes its place. It cannot say
/// then that a replica has them.
extension StoreLinks {
    /// How long the server waits for a replica, in milliseconds.
    private static let replicaPatience: UInt64 = 100
    /// When a question that found no room is asked again.
    private static let retryMilliseconds = 5

    /// A link has taken a write: the question belongs behind it, in the same write to the socket.
    func noteWrite(by link: NodeLink, _ within: UInt64) {
        link.replicationWithin = link.replicationWithin == 0 ? within : min(link.replicationWithin, within)
    }

    /// Asks whether a replica has the writes that a link was given; when these are about to leave.
    func askReplicas(by link: NodeLink) {
        let outcome = link.link.send(
            servers.replicationQuestion, ticket: NodeLink.replication, within: link.replicationWithin)
        if outcome == .busy {
            FileEvent.add(retry, milliseconds: StoreLinks.retryMilliseconds)
        } else {
            // What a link that is down was given has been told.
            link.replicationWithin = 0
        }
    }

    /// Asks for those links again that had no room for the question.
    func retryReplicas() {
        for link in writers { if let link, link.replicationWithin > 0 { askReplicas(by: link) } }
        for link in leaving where link.link.replicationWithin > 0 { askReplicas(by: link.link) }
    }

    /// Whether a replica has all that the server had answered before.
    func replicated(by link: NodeLink, _ answer: borrowing Answer) {
        var isReplicated = false
        switch answer {
        case .reply(let reply): isReplicated = reply.kind == .integer && reply.integer >= 1
        case .refused:
            if !isStopped {
                unsuitable(link, setting: "store.durability", found: "a server that does not answer WAIT to this user")
            }
        case .unknown, .notSent: break
        }
        guard !isStopped, link.held.count > 0 else { return link.held.removeAll() }
        swap(&released, &link.held)
        for index in 0..<released.count {
            guard let place = pending.place(of: released.ticket(index)) else { continue }
            guard isReplicated else {
                tell(place, .unknown)
                continue
            }
            tell(place, releasedAt: index)
        }
        released.removeAll()
    }

    private func tell(_ place: Int, releasedAt index: Int) {
        let answers = released
        answers.withReply(index) { reply in
            switch reply {
            case .some(let reply): tell(place, .reply(reply))
            case .none: tell(place, .unknown)
            }
        }
    }
}
