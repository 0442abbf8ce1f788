import Telemetry
import Transport

extension WorkerRef {
    /// Counts a TLS handshake that came to nothing and tells the operator why.
    ///
    /// Clients that close without a word are what probes of the port do: said only where details are asked for.
    func handshakeFailed(_ client: ClientRef, _ reason: HandshakeReason) {
        pointee.journal.metrics.count(reason)
        let level: LogLevel = reason == .closed ? .debug : .info
        guard pointee.journal.operatorLog.writes(level), let suppressed = admitLine(of: reason) else { return }
        let fields = [LogField(.client, client.pointee.peer.text), LogField(.reason, reason.rawValue)]
        pointee.journal.operatorLog.write(level, .handshakeFailed, fields.with(suppressed: suppressed))
    }
}

extension WorkerRef {
    /// The connection's TLS handshake is no longer under way.
    func endHandshake(_ client: ClientRef) {
        client.pointee.isHandshaking = false
        pointee.connections.networks.remove(client.pointee.peer.networkWords, .handshakes)
    }
}

extension HandshakeReason {
    init(_ failure: HandshakeFailure) {
        self =
            switch failure {
            case .closed: .closed
            case .notTLS: .notTLS
            case .version: .version
            case .cipher: .cipher
            case .certificate: .certificate
            case .applicationProtocol: .applicationProtocol
            case .alert: .alert
            case .other: .other
            }
    }
}
