import HTTPMessage

/// `Keep-Alive`, by which servers say how long they leave an idle connection open.
enum KeepAliveField {
    /// Seconds of the shortest `timeout`; nil where none is said.
    static func timeoutSeconds(_ fieldValues: [String]) -> Int? {
        var shortest: Int?
        for parameter in fieldValues.flatMap({ $0.split(separator: ",") }) {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { part in
                part.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            }
            guard parts.count == 2, parts[0].lowercased() == "timeout" else { continue }
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
            shortest = min(shortest ?? .max, Int(parts[1]) ?? .max)
        }
        return shortest
    }
}

/// How long a connection may have been idle and still be used.
///
/// A server that closes an idle connection does so at a moment of its own, and a request that crosses its FIN is lost
/// without anybody reading it. Nobody can tell that from one that was read, so what may not be sent twice stays away from
/// connections that are old enough to be closed.
struct ConnectionAge: Equatable {
    /// Nil: a new connection.
    let seconds: Int?

    /// What curl takes for the longest idle time, which it counts in whole seconds, cut off: one less than is meant.
    init(_ connection: FetchRequest.Connection, serverTimeout: Int?) {
        // Two seconds before the server's own time: one for the rounding, one for the way.
        let promised = serverTimeout.map { $0 - 2 }
        let wanted: Int? =
            switch connection {
            case .kept: FetchLimits.idleSeconds
            case .recent: FetchLimits.recentSeconds
            case .fresh: nil
            }
        guard let wanted else {
            seconds = nil
            return
        }
        let least = min(wanted, promised ?? wanted)
        seconds = least < 1 ? nil : least
    }
}
