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

    /// A write is about to be given to a link: the question belongs behind it, in the same write to the socket.
    func willWrite(by link: NodeLink, _ within: UInt64) {
        if link.replicationWithin == 0 {
            // Before the link's own end of the turn, which is due when it has the command.
            if written.isEmpty { FileEvent.activate(turn) }
            written.append(link)
            link.replicationWithin = within
        } else {
            link.replicationWithin = min(link.replicationWithin, within)
        }
    }

    /// Asks, for each link that had writes in this turn, whether a replica has them.
    func turnEnds() {
        var kept = 0
        for index in written.indices {
            let link = written[index]
            let outcome = link.link.send(
                servers.replicationQuestion, ticket: NodeLink.replication, within: link.replicationWithin)
            if outcome == .busy {
                written[kept] = link
                kept += 1
            } else {
                // What a link that is down was given has been told.
                link.replicationWithin = 0
            }
        }
        written.removeLast(written.count - kept)
        if kept > 0 { FileEvent.add(turn, milliseconds: StoreLinks.retryMilliseconds) }
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
