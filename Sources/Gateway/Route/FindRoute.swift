import Access
import HTTPMessage

extension WorkerRef {
    /// Checks the authority and the path, and finds the one route they lead to.
    func route(_ head: HeadView, _ client: ClientRef) throws(Refused) -> UnsafePointer<Route> {
        try checkAuthority(head, client)
        let number = try pointee.policy.routes.paths.pointee.route(head.path, memory: &pointee.scratch.path)
        return UnsafePointer(pointee.policy.routes.routes + number)
    }

    var rootPath: UnsafeBufferPointer<UInt8> {
        let root: StaticString = "/"
        return UnsafeBufferPointer(start: root.utf8Start, count: 1)
    }
}
