import Access
import HTTPMessage

extension WorkerRef {
    /// Refuses a method that the route does not let through.
    func permitMethod(_ head: HeadView, _ route: UnsafePointer<Route>) throws(Refused) {
        // Nearly every method has a bit; the whole list, lent to somebody, would be counted.
        let isKnown = route.pointee.methodNames.known >> UInt16(head.methodID.rawValue) & 1 == 1
        if isKnown, head.methodID != .other { return }
        try head.checkMethod(route.pointee.methodNames)
    }
}
