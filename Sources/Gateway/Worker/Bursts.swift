/// Tells when many connections came and went, so that the memory they needed is given back.
///
/// A TLS handshake needs some 70 KB for as long as it lasts: thousands that are begun and left alone would be hundreds
/// of megabytes which the process has from then on (T-42).
struct Bursts {
    /// Connections fewer than there were.
    static let least = 512
    /// Ticks of a tenth of a second for which there must be so many fewer: the next burst may be on its way.
    static let pause = 100

    private var most = 0
    private var quiet = 0

    /// One tick with so many connections; whether a burst is over.
    mutating func isOver(connections: Int) -> Bool {
        most = max(most, connections)
        guard most - connections >= Self.least else {
            quiet = 0
            return false
        }
        quiet += 1
        guard quiet >= Self.pause else { return false }
        quiet = 0
        most = connections
        return true
    }
}
