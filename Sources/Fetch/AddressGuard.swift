import HTTPMessage

/// Which addresses one request may connect to (MD-08).
///
/// Asked about the address of the connection itself, not about the name: a name that changes its address between a
/// check and the connection (DNS rebinding) gains nothing.
struct AddressGuard: Sendable {
    private let isOff: Bool
    private let allowed: [AddressBlock]

    /// The guard for `request`, whose URL names `host`.
    ///
    /// An entry of `allowPrivate` that is no block allows nothing.
    init(_ request: FetchRequest, host: String) {
        // What the operator wrote, the operator meant; what came from outside stays guarded.
        isOff = request.allowLoopbackAndPrivateHost.map { AddressGuard.isSame($0, host) } ?? false
        allowed = request.allowPrivate.compactMap { AddressBlock($0) }
    }

    /// Whether connecting to `address` is fine.
    func permits(_ address: IPAddress) -> Bool {
        isOff || AddressClass(address) == .publicUnicast || allowed.contains { $0.contains(address) }
    }

    /// Compares hosts as URLs do: case apart, brackets apart, and one spelling of an address like another.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (bare(one), bare(other))
        if let first = IPAddress(one), let second = IPAddress(other) { return first == second }
        return !one.isEmpty && one.utf8.elementsEqual(other.utf8)
    }

    private static func bare(_ host: String) -> String {
        let text = host.lowercased()
        return text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }
}
