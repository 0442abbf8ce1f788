/// The client on whose behalf a server is asked: an IPv4 address, or the /64 of an IPv6 one.
package struct AskingClient: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64
    /// Nobody can tell whose questions these are: a proxy that names nobody, a Unix socket, ourselves.
    let isMany: Bool

    package init(_ network: (UInt64, UInt64), isMany: Bool = false) {
        high = network.0
        low = network.1
        self.isMany = isMany
    }

    /// Of whom nothing is known.
    package static let many = AskingClient((0, 0), isMany: true)

    var words: (UInt64, UInt64) { (high, low) }
}
