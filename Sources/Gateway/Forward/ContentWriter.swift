import Access
import HTTPMessage

/// Content of a body that is put behind a head: as it is, or together in one chunk.
struct ContentWriter {
    enum Framing {
        case plain
        /// Room for the chunk's size is kept in front.
        case chunk
    }

    private var writer: HeadWriter
    private let framing: Framing
    private let start: Int
    private(set) var length = 0
    /// Eight hexadecimal digits and CR LF.
    private static let sizeLine = 10

    /// The content that was put, without framing.
    var content: UnsafeBufferPointer<UInt8> {
        let first = start + (framing == .chunk ? ContentWriter.sizeLine : 0)
        return UnsafeBufferPointer(start: UnsafePointer(writer.base) + first, count: length)
    }

    /// `writer` must have `bodyRoom` for what will be put.
    init(_ writer: HeadWriter, as framing: Framing) {
        self.writer = writer
        self.framing = framing
        start = writer.count
        guard framing == .chunk else { return }
        precondition(writer.hasRoom(ContentWriter.sizeLine), "a chunk is begun only where one fits")
        self.writer.advance(ContentWriter.sizeLine)
    }

    mutating func put(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        writer.put(bytes, count)
        length += count
    }

    /// The writer, with the chunk closed, or taken back when it is empty; and with the last chunk if `isLast`.
    mutating func finish(isLast: Bool) -> HeadWriter {
        guard framing == .chunk else { return writer }
        if length == 0 {
            writer.advance(-ContentWriter.sizeLine)
        } else {
            let line = writer.base + start
            for index in 0..<8 {
                let digit = UInt8(truncatingIfNeeded: length >> (28 - 4 * index)) & 15
                line[index] = digit < 10 ? 48 + digit : 87 + digit
            }
            line[8] = 13
            line[9] = 10
            writer.put("\r\n")
        }
        if isLast { writer.put("0\r\n\r\n") }
        return writer
    }
}
