import Bytes

/// The ends of lines: CR LF and nothing else (RFC 9112 §2.2, HTTP-02 … HTTP-04).
enum LineEnd {
    /// The index of the CR of the CR LF that ends the line, or -1 when the line is not whole yet.
    ///
    /// `bound` is the largest index that the CR may have; a longer line is refused with `over`. A bare CR, a bare LF
    /// and every other control octet but HTAB are refused where they stand, whatever part of the line it is: two
    /// readers that disagree about line ends disagree about everything behind them.
    @inline(__always)
    static func find(
        in bytes: Span<UInt8>, from start: Int, bound: Int, over: HTTP1Refusal
    ) throws(HTTP1Refusal) -> Int {
        let stop = min(bytes.count, bound &+ 1)
        let hit = firstControl(in: bytes, from: start, to: stop)
        guard hit < stop else {
            if bytes.count > bound { throw over }
            return -1
        }
        switch bytes[hit] {
        case 0x0d:
            guard hit &+ 1 < bytes.count else { return -1 }
            guard bytes[hit &+ 1] == 0x0a else { throw .bareCarriageReturn }
            return hit
        case 0x0a: throw .bareLineFeed
        default: throw .controlOctet
        }
    }

    /// The index of the first control octet other than HTAB in `start..<stop`, or `stop`.
    @inline(__always)
    static func firstControl(in bytes: Span<UInt8>, from start: Int, to stop: Int) -> Int {
        var index = start
        while index &+ ByteVector.count <= stop {
            let place = ByteVector.controls(bytes.vector(at: index)).first
            index &+= place
            guard place < ByteVector.count else { continue }
            guard bytes[index] == 0x09 else { return index }
            index &+= 1
        }
        while index < stop {
            let byte = bytes[index]
            if byte < 0x20 && byte != 0x09 || byte == 0x7f { return index }
            index &+= 1
        }
        return stop
    }
}
