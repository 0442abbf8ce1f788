import StoreClient
import StoreLink
import Synchronization
import Telemetry

/// Tells the operator how the servers of the store are; one for the process, from any worker's loop.
///
/// All workers lose a server at the same moment, and it may come and go: a line a minute for one server and word (SH-87).
final class StoreReports: Sendable {
    private struct Said: Hashable {
        let place: LinkServer.Place
        let event: LogEvent
    }

    private let log: OperatorLog
    private let said = Mutex<[Said: UInt64]>([:])
    /// Servers that are remembered; those of a cluster, and more that somebody announces.
    private static let limit = 1024

    init(_ log: OperatorLog) { self.log = log }

    func told(_ event: StoreEvent) {
        switch event {
        case .connected(let place):
            say(.info, .storeConnected, place, [])
        case .lost(let place, let loss):
            say(
                .warning, .storeLost, place,
                [LogField(.reason, "\(loss.word)"), LogField(.found, loss.found)])
        case .unsuitable(let place, let setting, let found):
            say(.error, .storeUnsuitable, place, [LogField(.setting, setting), LogField(.found, found)])
        case .epoch, .information: break
        }
    }

    private func say(_ level: LogLevel, _ event: LogEvent, _ place: LinkServer.Place, _ fields: [LogField]) {
        let now = WorkerClock().microseconds()
        let isDue = said.withLock { said in
            let key = Said(place: place, event: event)
            if let last = said[key], now < last &+ 60_000_000 { return false }
            if said.count >= Self.limit { said.removeAll() }
            said[key] = now
            return true
        }
        if isDue { log.write(level, event, [LogField(.address, place.text)] + fields) }
    }
}

extension LinkServer.Place {
    /// The place as a URL has it.
    var text: String {
        switch self {
        case .address(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): path
        }
    }
}
