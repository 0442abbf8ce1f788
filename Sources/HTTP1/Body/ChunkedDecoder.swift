import Bytes

/// Decodes the chunked coding (RFC 9112 §7.1) in place, however it is cut (HTTP-28 … HTTP-33).
///
///     ┌──▶ size line ──▶ data ──▶ CR LF ──┐
///     └───────────────────────────────────┘
///           size line of 0 ──▶ trailer lines ──▶ empty line ──▶ ended
///
/// Extensions and trailers are read by their grammar and bounded. Extensions reach nobody, and trailers those whom the caller
/// gives them to. A line end is CR LF only, because a decoder that also takes a bare LF inside an extension sees chunks that
/// others do not.
public struct ChunkedDecoder: Sendable {
    /// Bytes of one size line without its CR LF.
    static let lineBound = 256
    /// Bytes of all extensions of one message.
    static let extensionsBound = 4096

    private enum Phase: UInt8 {
        case sizeLine, sizeLineFeed
        case data, dataCarriageReturn, dataLineFeed
        case trailers, ended
    }

    private var phase = Phase.sizeLine
    private var failure: HTTP1Refusal?
    private var line: ChunkSizeLine
    private let spelling: ChunkSizeSpelling
    private var trailers = TrailerSection()
    private var extensionBytes: UInt16 = 0
    private var remaining: Int64 = 0

    /// A decoder at the start of a body whose sizes may be written so.
    public init(_ spelling: ChunkSizeSpelling = .exact) {
        self.spelling = spelling
        line = ChunkSizeLine(spelling)
    }

    /// Bytes behind the last chunk that were used up: field lines, and the empty one that ends the body.
    public var trailerCount: Int { Int(trailers.bytes) }

    /// Field lines behind the last chunk that have begun so far.
    public var trailerLines: Int { Int(trailers.lines) }

    /// Says what the next bytes of `input` are; to be called again with what is not used up and what arrived since.
    ///
    /// A refusal is final: every later call repeats it.
    public mutating func next(_ input: Span<UInt8>) -> ChunkStep {
        if let failure { return .refused(failure) }
        do throws(HTTP1Refusal) {
            return try advance(input)
        } catch {
            failure = error
            return .refused(error)
        }
    }

    private mutating func advance(_ input: Span<UInt8>) throws(HTTP1Refusal) -> ChunkStep {
        var index = 0
        while phase != .ended {
            guard index < input.count else { return .needMore(consumed: index) }
            if phase == .data {
                let count = Int(min(remaining, Int64(input.count &- index)))
                remaining &-= Int64(count)
                if remaining == 0 { phase = .dataCarriageReturn }
                return .data(offset: index, count: count)
            }
            if phase == .sizeLine {
                let end = try line.acceptDigits(of: input, from: index)
                guard line.length <= Self.lineBound else { throw .chunkLineTooLong }
                guard end == index else {
                    index = end
                    continue
                }
            }
            try accept(input[index])
            index &+= 1
        }
        return .end(consumed: index)
    }

    private mutating func accept(_ byte: UInt8) throws(HTTP1Refusal) {
        switch phase {
        case .sizeLine:
            guard try line.accept(byte) else { return try countLineByte() }
            phase = .sizeLineFeed
        case .sizeLineFeed:
            guard byte == 0x0a else { throw .bareCarriageReturn }
            remaining = line.size
            phase = remaining == 0 ? .trailers : .data
            line = ChunkSizeLine(spelling)
        case .dataCarriageReturn:
            guard byte == 0x0d else { throw .chunkDataNotTerminated }
            phase = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0a else { throw .chunkDataNotTerminated }
            phase = .sizeLine
        case .trailers:
            if try trailers.accept(byte) { phase = .ended }
        case .data, .ended:
            return
        }
    }

    private mutating func countLineByte() throws(HTTP1Refusal) {
        guard line.length <= Self.lineBound else { throw .chunkLineTooLong }
        guard line.isInExtension else { return }
        extensionBytes &+= 1
        guard extensionBytes <= Self.extensionsBound else { throw .chunkExtensionsTooLong }
    }
}
