import HTTP2
import Telemetry
import Transport

/// Resets of streams, as metrics and the access log have them.
extension WorkerRef {
    /// Shows what was counted of resets since the last tick.
    func showResets() {
        guard let tally = pointee.connections.http2.frames.memory?.resets else { return }
        for code in ResetCode.allCases {
            pointee.journal.metrics.set(.client, code, to: tally.received(code.rawValue))
            pointee.journal.metrics.set(.gateway, code, to: tally.sent(code.rawValue))
        }
    }

    /// Which stream of which connection a request came by, and who reset it.
    func putStream(_ exchange: ExchangeRef, _ log: UnsafeMutablePointer<LogWriter>) {
        guard let stream = exchange.pointee.client.pointee.part.stream else { return }
        log.pointee.line.member("protocol", stream.pointee.connection.pointee.stream.tls == nil ? "h2c" : "h2")
        log.pointee.line.member("connection", hexadecimal: stream.pointee.session.pointee.identifier)
        log.pointee.line.member("stream", Int64(stream.pointee.number))
        let sender: ResetSender
        switch stream.pointee.resetBy {
        case .client: sender = .client
        case .gateway: sender = .gateway
        case .none:
            // An answer that is not whole is reset behind this line, unless there is nobody left to be told.
            let isReset =
                exchange.pointee.truncation != .none && !stream.pointee.isGone && !stream.pointee.mustEnd
                && exchange.pointee.client.pointee.state != .tunnelling
            guard isReset else { return }
            sender = .gateway
        }
        log.pointee.line.member("reset_by", sender.word)
        let code = ResetCode(rawValue: ResetTally.place(of: stream.pointee.code)) ?? .other
        log.pointee.line.member("reset_code", code.word)
    }
}
