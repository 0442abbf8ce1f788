import Access
import Bytes
import HTTPMessage

extension WorkerRef {
    /// Refuses a page of another origin where the route names those it serves (MCP-06).
    ///
    /// Before the credentials are looked at: a browser that was led here by a rebound name sends whatever it has, and
    /// who may ask does not depend on the token. Every `Origin` line counts, and `null` is an origin like another.
    func checkOrigin(
        _ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        guard route.pointee.origins.isLookedAt else { return }
        let head = pointee.head
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .origin {
            let range = head.pointee.fields[index].value
            let origin = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            guard route.pointee.origins.contains(origin) else {
                throw refuse(
                    .originNotAllowed, (route.pointee.settings.allowedOrigins ?? []).joined(separator: ", "),
                    String(decoding: origin.prefix(128), as: UTF8.self))
            }
        }
    }
}

/// The origins that a route serves, in memory of their own so that asking counts no reference.
struct OriginList {
    /// False when the route does not care.
    let isLookedAt: Bool
    private let origins: UnsafeMutablePointer<Route.Bytes>
    private let count: Int

    init(_ list: [String]?) {
        isLookedAt = list != nil
        count = list?.count ?? 0
        origins = .allocate(capacity: max(1, count))
        origins.initialize(from: (list ?? []).map { Route.Bytes($0) }, count: count)
    }

    /// Frees the list; nobody may ask any longer.
    func destroy() {
        for index in 0..<count { origins[index].destroy() }
        origins.deallocate()
    }

    /// Scheme and host have no case (RFC 6454 §4); everything else is compared as it is.
    func contains(_ origin: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in 0..<count where ASCII.equalsIgnoringCase(origin.span, origins[index].buffer.span) { return true }
        return false
    }
}
