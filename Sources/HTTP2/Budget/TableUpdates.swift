/// Counts the changes of the compression table's size that a section begins with (RFC 7541 §4.2): two at most make sense.
///
/// The library takes any number. They stand before the first field, so that only the first bytes of most sections are
/// looked at.
struct TableUpdates {
    static let most = 2

    /// Bytes before the section: the length of the padding, and a priority.
    private var skipped = 0
    private var count = 0
    /// Whether the bytes of a size go on.
    private var isInside = false
    private var isOver = true

    /// Begins with the header of a HEADERS frame.
    mutating func begin(_ frame: FrameHeader) {
        self = TableUpdates()
        isOver = false
        skipped = (frame.flags & 0x8 != 0 ? 1 : 0) + (frame.flags & 0x20 != 0 ? 5 : 0)
    }

    /// Looks at the next bytes of the section, in one frame or several; false when there are too many changes.
    mutating func accepts(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while !isOver, index < bytes.count {
            let byte = bytes[index]
            index &+= 1
            if skipped > 0 {
                skipped &-= 1
            } else if isInside {
                isInside = byte & 0x80 != 0
            } else if byte & 0xe0 == 0x20 {
                count &+= 1
                isInside = byte & 0x1f == 0x1f
            } else {
                isOver = true
            }
        }
        return count <= Self.most
    }
}
