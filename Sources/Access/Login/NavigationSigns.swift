import Bytes

/// What the fields of a request say about who reads its answer: a person whose browser goes to a page, or a program.
///
/// One rule for heads that a parser took and for those that it refused. Browsers of today say it (Sec-Fetch-Mode,
/// Sec-Fetch-Dest; W3C Fetch Metadata); of others only what they accept is known.
package struct NavigationSigns {
    private var mode: Bool?
    private var destination: Bool?
    private var acceptsPages = false

    /// Nothing was said yet.
    package init() {}

    /// A value of `Sec-Fetch-Mode`.
    package mutating func seeMode(_ value: Span<UInt8>) {
        mode = (mode ?? true) && value.isEqual(to: "navigate".utf8.span)
    }

    /// A value of `Sec-Fetch-Dest`.
    package mutating func seeDestination(_ value: Span<UInt8>) {
        destination = (destination ?? true) && value.isEqual(to: "document".utf8.span)
    }

    /// A value of `Accept`.
    package mutating func seeAccept(_ value: Span<UInt8>) {
        acceptsPages = acceptsPages || AcceptField.wantsPage(value)
    }

    /// Whether a person waits for it; `otherwise` where nothing tells.
    package func isNavigation(otherwise: Bool = false) -> Bool {
        mode != nil || destination != nil ? mode ?? true && destination ?? true : acceptsPages || otherwise
    }
}
