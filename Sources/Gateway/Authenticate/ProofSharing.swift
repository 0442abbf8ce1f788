import Access

/// Asks the store of all replicas whether a proof is used for the first time (SH-55).
///
/// One worker's own, on its loop: nothing here waits, and nothing is handed to another thread.
protocol ProofSharing: AnyObject {
    /// Has the proof remembered by its digest unless it is there, up to its end by any replica's clock.
    ///
    /// After `.asked` comes `WorkerRef.proofAnswered` with the ticket: once, on this loop, and not before this returns. From
    /// within that this may be called again, for a request that was behind the answered one.
    func spend(_ proof: UnspentProof, now: Int64, ticket: UInt64) -> ProofQuestion
    /// Whether the store lost what it knew, and a proof that could be accepted from then on may have been among it (SH-61).
    func mayHaveForgotten(usableSince: Int64) -> Bool
}

/// What became of a question about a proof.
enum ProofQuestion: Sendable {
    /// It is on its way.
    case asked
    /// There is no room for another one.
    case busy
    /// Nobody reaches the store, and that long enough to say so.
    case down
    /// Nobody reaches the store, as of a moment ago.
    case unavailable
    /// The store lost what it knew, and this proof may have been among it (SH-61).
    case forgotten
}

/// What the store says of a proof.
enum ProofAnswer: Sendable {
    /// It was not there, and is now.
    case first
    /// It was there.
    case used
    /// It gave no answer in time, an error, or what is no answer to this.
    case unavailable
}

/// The exchanges whose proof the store was asked about, by the numbers that the questions have.
///
/// A number is a place and how often that was taken. Whoever looks for an exchange by it goes straight there, and finds
/// nothing where the exchange is gone or another one has its place: an answer that comes late must not let somebody else's
/// request through. Grows to as many as ever waited at once, which `judgeWaiting` bounds, and allocates nothing then.
struct ProofTickets {
    private struct Place {
        var exchange: ExchangeRef?
        var turn: UInt32 = 1
        var nextFree = -1
    }

    private var places: [Place] = []
    private var free = -1

    /// Turns begin with 1, so that no number is 0, and end below the numbers that questions about sessions have.
    static let lastTurn: UInt32 = 0x1FFF_FFFF

    /// The number of a question about this exchange's proof.
    mutating func take(_ exchange: ExchangeRef) -> UInt64 {
        if free < 0 {
            places.append(Place())
            free = places.count - 1
        }
        let index = free
        free = places[index].nextFree
        places[index].exchange = exchange
        return UInt64(places[index].turn) << 32 | UInt64(index)
    }

    /// Whose question has this number; nil where nobody waits for its answer any more.
    subscript(ticket: UInt64) -> ExchangeRef? {
        let index = Int(ticket & 0xFFFF_FFFF)
        guard index < places.count, places[index].turn == UInt32(ticket >> 32) else { return nil }
        return places[index].exchange
    }

    /// Nobody waits for this answer any more.
    mutating func giveBack(_ ticket: UInt64) {
        guard self[ticket] != nil else { return }
        let index = Int(ticket & 0xFFFF_FFFF)
        places[index].exchange = nil
        places[index].turn = ProofTickets.turn(after: places[index].turn)
        places[index].nextFree = free
        free = index
    }

    static func turn(after turn: UInt32) -> UInt32 { turn == lastTurn ? 1 : turn + 1 }
}
