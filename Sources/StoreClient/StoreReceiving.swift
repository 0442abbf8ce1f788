import RESP
package import StoreLink

/// Hears what comes of commands to the store, and how its servers are; on the loop's thread, and outlives the links.
///
/// From each of its functions it may send commands.
package protocol StoreReceiving: AnyObject {
    /// The command with this ticket has been answered so many microseconds after it was taken, or will not be.
    func storeAnswered(_ ticket: UInt64, _ answer: borrowing Answer, after microseconds: UInt64)
    /// Something has changed with one of the servers.
    func storeTold(_ event: StoreEvent)
}

/// What there is to tell of the store's servers.
package enum StoreEvent: Sendable {
    /// A server takes commands.
    case connected(LinkServer.Place)
    /// A server takes none any more, or still none; who signs in there.
    case lost(LinkServer.Place, LinkLoss, as: StoreUser)
    /// The epoch that a server has of a part of the store, 0 for all of it; nil where it has none.
    case epoch(part: Int, [UInt8]?)
    /// What a server tells of itself (`INFO`); nil where the user may not see it.
    case information(LinkServer.Place, [UInt8]?)
    /// The server is none for these settings: which key of the settings is to be changed, and why.
    case unsuitable(LinkServer.Place, setting: String, found: String)
}
