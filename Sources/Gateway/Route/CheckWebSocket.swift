import Access
import HTTP1
import HTTPMessage
import Telemetry

extension WorkerRef {
    /// Refuses an offer of a WebSocket that is none by RFC 6455 §4.2.1, where WebSockets are let through.
    ///
    /// Before credentials are looked at: no proof is spent on what can never become a tunnel.
    func checkWebSocket(
        _ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        guard pointee.head.pointee.offersWebSocket else { return }
        guard route.pointee.webSocket else { return sayPlain(route) }
        let span = UnsafeBufferPointer(start: bytes, count: pointee.head.pointee.length).span
        do throws(WebSocketOfferRefusal) {
            _ = try WebSocketOffer.key(in: pointee.head.pointee, bytes: span)
        } catch {
            guard error == .versionUnknown else {
                throw refuse(.webSocketOfferMalformed, "one key of 16 bytes, and version 13", CauseWords.of(error))
            }
            throw refuse(.webSocketVersionUnknown, "Sec-WebSocket-Version: 13", "another version")
        }
    }

    /// Tells the operator that a handshake goes on as the plain GET that it also is: its client sees a strange answer, and
    /// nothing else would say why.
    private func sayPlain(_ route: UnsafePointer<Route>) {
        guard pointee.operatorLog.writes(.warning),
            route.pointee.webSocketNotice.takesTurn(at: clock.microseconds())
        else { return }
        pointee.operatorLog.write(
            .warning, .webSocketNotEnabled, LogField(.route, route.pointee.settings.name),
            LogField(.setting, "routes[\(route.pointee.index)].websocket"))
    }
}
