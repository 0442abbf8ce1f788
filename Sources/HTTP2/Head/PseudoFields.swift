import HTTPMessage

/// The pseudo fields of one section: where each value is, among the bytes that were put aside.
struct PseudoFields {
    /// Where a value is that nobody has sent.
    private static let absent = ByteRange(start: -1, count: 0)

    var method = absent
    var scheme = absent
    var authority = absent
    var path = absent
    /// `:protocol` of extended CONNECT.
    var tunnel = absent
    var status = absent
}

extension ByteRange {
    /// Whether a pseudo field was sent at all, empty or not.
    var isPresent: Bool { start >= 0 }
}
