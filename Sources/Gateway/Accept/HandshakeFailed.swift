// SPDX-License-Identifier: Apache-2.0
import Telemetry
import Transport

extension WorkerRef {
    /// Counts a TLS handshake that came to nothing and tells the operator why.
    ///
    /// Clients that close without a word are what probes of the port do: said only where details are asked for.
    func handshakeFailed(_ client: ClientRef, _ reason: HandshakeReason) {
        pointee.metrics.count(reason)
        pointee.operatorLog.write(
            reason == .closed ? .debug : .info, .handshakeFailed, LogField(.client, client.pointee.peer.text),
            LogField(.reason, reason.rawValue))
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
            case .alert: .alert
            case .other: .other
            }
    }
}
