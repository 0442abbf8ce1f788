import HTTP1
package import HTTPMessage

extension HeadView {
    /// Refuses an offer of a WebSocket that is none by RFC 6455 §4.2.1.
    ///
    /// Before credentials are looked at: no proof is spent on what can never become a tunnel.
    package func checkWebSocket() throws(Refused) {
        do throws(WebSocketOfferRefusal) {
            _ = try reading { head, bytes throws(WebSocketOfferRefusal) in
                try WebSocketOffer.key(in: head, bytes: bytes)
            }
        } catch {
            guard error == .versionUnknown else {
                throw Refused(
                    .webSocketOfferMalformed, expected: "one key of 16 bytes, and version 13",
                    found: .text(error.found))
            }
            throw Refused(
                .webSocketVersionUnknown, expected: "Sec-WebSocket-Version: 13", found: "another version")
        }
    }
}
