import HTTPMessage

/// What a route without an upstream answers (ECO-69).
package enum RouteAnswerSettings: Sendable, Hashable {
    /// To this place: `origin` is empty where it is here, and `path` is what comes in the place of the route's own.
    case redirect(status: UInt16, origin: String, path: String)
    case content(status: UInt16, type: String, [UInt8])

    package var status: UInt16 {
        switch self {
        case .redirect(let status, _, _), .content(let status, _, _): status
        }
    }
}

/// The same, written out: what each request of the route gets, whoever asks.
package struct RouteAnswer: ~Copyable, Sendable {
    package let status: UInt16
    /// Status line and fields, but for those that tell of one exchange.
    package let head: FixedBytes
    package let content: FixedBytes
    /// Where a redirect leads, before what is kept of the path; nil for content.
    package let location: FixedBytes?

    /// `keepsPath` where what follows the target's origin is made for each request.
    package init(_ settings: RouteAnswerSettings, isPublic: Bool, keepsPath: Bool) {
        let status = settings.status
        let bytes: [UInt8]
        var lines = "HTTP/1.1 \(status) \(Status.reason(status))\r\n"
        // What only some may see is in nobody's cache.
        if !isPublic { lines += "Cache-Control: no-store\r\n" }
        switch settings {
        case .redirect(_, let origin, let path):
            bytes = []
            location = FixedBytes(keepsPath ? origin : origin + path)
        case .content(_, let type, let said):
            bytes = said
            if !bytes.isEmpty { lines += "Content-Type: \(type)\r\n" }
            location = nil
        }
        if status != 204, status != 304 { lines += "Content-Length: \(bytes.count)\r\n" }
        self.status = status
        content = FixedBytes(bytes)
        head = FixedBytes(lines)
    }

    /// Frees what was written out; nobody may use it any longer.
    package func destroy() {
        head.destroy()
        content.destroy()
        location?.destroy()
    }
}

extension RouteSettings {
    /// What a redirect keeps of a path: all behind the route's own, where it is a subtree's.
    package static func rewrite(ofRedirectFrom path: String, to target: String) -> PathRewriteSettings? {
        guard path.hasSuffix("/") else { return nil }
        return PathRewriteSettings(
            publicPrefix: String(path.dropLast()),
            upstreamPrefix: target.hasSuffix("/") ? String(target.dropLast()) : target,
            mapsResponses: false)
    }
}
