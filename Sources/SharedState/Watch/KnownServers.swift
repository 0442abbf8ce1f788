/// The servers of a cluster that this process has met: where each was, which run of it that was, and of which history.
///
/// A replica that was made primary, and a server that was started anew, may lack the last moments (SH-62). A map of the cluster
/// does not say so: slots move from one server to another while nothing is lost. So each server is known by what it says of
/// itself when a connection to it is opened, before anything is asked there.
///
///     known place ──the same run and history──▶ the same      ──another──▶ another
///     new place ──goes on with a known history─▶ another
///     new place ──all of the cluster were met──▶ another       ──else────▶ met for the first time
///
/// A server that joins while the process runs counts as another one too: where it has its data from, nobody says.
struct KnownServers: Sendable {
    private struct Identity: Equatable {
        let run: [UInt8]?
        let history: [UInt8]?
    }

    /// A worker that has been at a place which does not say what it is.
    private struct Blind: Hashable {
        let place: String
        let worker: Int
    }

    /// By place; nil for one that does not say.
    private var identities: [String: Identity?] = [:]
    private var blind: Set<Blind> = []
    private var areAllMet = false

    /// Places that are kept: a server that lies names thousands.
    ///
    /// Then all are new, and count as another.
    private static let limit = 1024

    /// Whether a server is one of those that were met, whatever its place.
    func know(_ information: StoreInformation) -> Bool {
        let identity = Identity(run: information.runID, history: information.replicationID)
        return identities.values.contains(identity)
    }

    /// All servers that the cluster names are reached: one at another place is new from here on.
    mutating func metAll() { areAllMet = true }

    /// A worker opens a connection to a server, which says this of itself, or nothing; whether that is another one than
    /// before.
    mutating func meet(_ place: String, _ information: StoreInformation?, worker: Int) -> Bool {
        let known = identities[place]
        if known == nil, identities.count >= KnownServers.limit {
            identities = [:]
            blind = []
        }
        guard let information else {
            identities[place] = .some(nil)
            let isAgain = !blind.insert(Blind(place: place, worker: worker)).inserted
            return isAgain || (known == nil && areAllMet)
        }
        let identity = Identity(run: information.runID, history: information.replicationID)
        let goesOn = information.formerReplicationID.map { former in
            identities.values.contains { $0?.history == former }
        }
        identities[place] = .some(identity)
        guard let known else { return areAllMet || goesOn ?? false }
        // What said nothing of itself before may be another one.
        return known != identity
    }
}
