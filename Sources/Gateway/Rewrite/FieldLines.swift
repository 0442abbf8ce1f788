import HTTPMessage

extension FieldSlot {
    /// Whether the line is as we would write it: nothing, or one space, between colon and value, and nothing behind.
    ///
    /// White space there is no part of the value (RFC 9110 §5.5), but some readers take it for one: it travels no further.
    @inline(__always)
    func isTight(in bytes: UnsafePointer<UInt8>) -> Bool {
        let before = Int(value.start) - name.end
        guard line.end - value.end == 2, before <= 2 else { return false }
        return before == 1 || value.count > 0 && bytes[name.end + 1] == UInt8(ascii: " ")
    }
}

/// Lines of a message's fields on their way, of which neighbours are copied in one piece.
struct FieldRun {
    private var start = 0
    private var end = 0

    /// Takes a line that is to go on.
    @inline(__always)
    mutating func take(_ slot: FieldSlot, _ bytes: UnsafePointer<UInt8>, into writer: inout HeadWriter) {
        guard slot.isTight(in: bytes) else { return rewrite(slot, bytes, into: &writer) }
        if end == Int(slot.line.start), end > start {
            end = slot.line.end
        } else {
            flush(bytes, into: &writer)
            start = Int(slot.line.start)
            end = slot.line.end
        }
    }

    /// Writes what was taken.
    @inline(__always)
    mutating func flush(_ bytes: UnsafePointer<UInt8>, into writer: inout HeadWriter) {
        writer.put(bytes + start, end - start)
        start = 0
        end = 0
    }

    private mutating func rewrite(_ slot: FieldSlot, _ bytes: UnsafePointer<UInt8>, into writer: inout HeadWriter) {
        flush(bytes, into: &writer)
        writer.put(bytes + Int(slot.name.start), Int(slot.name.count))
        writer.put(slot.value.count > 0 ? ": " : ":")
        writer.put(bytes + Int(slot.value.start), Int(slot.value.count))
        writer.put("\r\n")
    }
}
