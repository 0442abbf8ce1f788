import Access
import HTTPMessage
import Telemetry

extension WorkerRef {
    /// Refuses an offer of a WebSocket that is none, where WebSockets are let through.
    func checkWebSocket(_ head: HeadView, _ route: UnsafePointer<Route>) throws(Refused) {
        guard head.offersWebSocket else { return }
        guard route.pointee.webSocket else { return sayPlain(route) }
        try head.checkWebSocket()
    }

    /// Tells the operator that a handshake goes on as the plain GET that it also is: its client sees a strange answer, and
    /// nothing else would say why.
    private func sayPlain(_ route: UnsafePointer<Route>) {
        guard pointee.journal.operatorLog.writes(.warning),
            pointee.policy.webSocketNotices[route.pointee.index].takesTurn(at: clock.microseconds())
        else { return }
        pointee.journal.operatorLog.write(
            .warning, .webSocketNotEnabled, LogField(.route, route.pointee.settings.name),
            LogField(.setting, "routes[\(route.pointee.index)].websocket"))
    }
}
