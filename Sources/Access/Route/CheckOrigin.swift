import Bytes
package import HTTPMessage

/// The origins of the pages that a route serves.
package struct OriginList: ~Copyable, Sendable {
    /// False when the route does not care.
    let isLookedAt: Bool
    private let origins: TextList
    /// All of them, for the operator.
    let names: [String]

    /// The origins named; none are looked at when nil.
    package init(_ list: [String]?) {
        isLookedAt = list != nil
        names = list ?? []
        origins = TextList(names)
    }

    /// Scheme and host have no case (RFC 6454 §4); everything else is compared as it is.
    package func contains(_ origin: Span<UInt8>) -> Bool { origins.containsIgnoringCase(origin) }
}

extension HeadView {
    /// Refuses a page of another origin where the route names those it serves (MCP-06).
    ///
    /// Before the credentials are looked at: a browser that was led here by a rebound name sends whatever it has, and
    /// who may ask does not depend on the token. Every `Origin` line counts, and `null` is an origin like another.
    package func checkOrigin(_ origins: borrowing OriginList) throws(Refused) {
        guard origins.isLookedAt else { return }
        for index in 0..<fieldCount where id(at: index) == .origin {
            let origin = value(at: index)
            guard origins.contains(origin) else {
                throw Refused(
                    .originNotAllowed, expected: .list(before: "", origins.names, between: ", "),
                    found: .text(String(copying: origin.extracting(first: 128))))
            }
        }
    }
}
