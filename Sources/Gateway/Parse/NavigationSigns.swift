/// What the fields of a request say about who reads its answer: a person whose browser goes to a page, or a program.
///
/// One rule for heads that a parser took and for those that it refused. Browsers of today say it (Sec-Fetch-Mode,
/// Sec-Fetch-Dest; W3C Fetch Metadata); of others only what they accept is known.
struct NavigationSigns {
    private var mode: Bool?
    private var destination: Bool?
    private var acceptsPages = false

    mutating func seeMode(_ value: UnsafeBufferPointer<UInt8>) {
        mode = (mode ?? true) && value.elementsEqual("navigate".utf8)
    }

    mutating func seeDestination(_ value: UnsafeBufferPointer<UInt8>) {
        destination = (destination ?? true) && value.elementsEqual("document".utf8)
    }

    mutating func seeAccept(_ value: UnsafeBufferPointer<UInt8>) {
        acceptsPages = acceptsPages || AcceptField.wantsPage(value)
    }

    /// Whether a person waits for it; `otherwise` where nothing tells.
    func isNavigation(otherwise: Bool = false) -> Bool {
        mode != nil || destination != nil ? mode ?? true && destination ?? true : acceptsPages || otherwise
    }
}
