import Access
import HTTPMessage

extension WorkerRef {
    /// Checks the authority and the path, and finds the one route they lead to.
    func route(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) {
        try checkAuthority(exchange, bytes)
        let range = pointee.head.pointee.path
        let path = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        let number = try pointee.routes.paths.pointee.route(path.span, memory: &pointee.pathMemory)
        exchange.pointee.route = UnsafePointer(pointee.routes.routes + number)
    }

    var rootPath: UnsafeBufferPointer<UInt8> {
        let root: StaticString = "/"
        return UnsafeBufferPointer(start: root.utf8Start, count: 1)
    }
}
