import Access
import HTTPMessage

/// What a route changes of fields (ECO-70); all of it was written out when the configuration was read.
extension WorkerRef {
    func slotName(_ slot: FieldSlot, _ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + Int(slot.name.start), count: Int(slot.name.count))
    }

    /// Writes the lines of the route's for its clients, and those for browsers that are not among `seen`.
    func putRouteFields(
        _ exchange: ExchangeRef, _ changes: FixedValue<FieldChanges>, beside seen: SecurityFields,
        into writer: inout HeadWriter
    ) {
        writer.put(changes.pointee.responseLines.buffer)
        let isSecure = self.isSecure(exchange.pointee.client, exchange.pointee.findings.route)
        let fields = changes.pointee.securityFields(beside: seen, isSecure: isSecure)
        guard !fields.isEmpty else { return }
        if fields.contains(.transport) { writer.put("Strict-Transport-Security: max-age=31536000\r\n") }
        if fields.contains(.contentType) { writer.put("X-Content-Type-Options: nosniff\r\n") }
        if fields.contains(.referrer) { writer.put("Referrer-Policy: strict-origin-when-cross-origin\r\n") }
        if fields.contains(.frameOptions) { writer.put("X-Frame-Options: SAMEORIGIN\r\n") }
        if fields.contains(.contentPolicy) { writer.put("Content-Security-Policy: frame-ancestors 'self'\r\n") }
    }
}
