import HTTP1
import HTTPMessage

/// How far a message's body has been read: none, so many bytes to go, chunks, or until the peer ends.
struct BodyCounter {
    enum Kind: UInt8 { case complete, length, chunked, untilClose }

    private(set) var kind = Kind.complete
    private(set) var remaining: Int64 = 0
    private var chunks = ChunkedDecoder()

    /// No body.
    init() {}

    /// A body of which nothing has been read, in an upstream's message with chunk sizes of another spelling.
    init(_ framing: BodyFraming, sizes: ChunkSizeSpelling = .exact) {
        chunks = ChunkedDecoder(sizes)
        switch framing {
        case .none: kind = .complete
        case .length(let count):
            kind = count == 0 ? .complete : .length
            remaining = count
        case .chunked: kind = .chunked
        case .untilClose: kind = .untilClose
        }
    }

    var isComplete: Bool { kind == .complete }

    /// Bytes read behind the last chunk: field lines, and the empty one that ends the body.
    var trailerCount: Int { chunks.trailerCount }

    /// The field lines among these.
    var trailerLines: Int { chunks.trailerLines }

    /// Says what the next bytes of the body are; to be called again with those behind them, until it is complete.
    mutating func next(in bytes: Span<UInt8>) -> BodyStep {
        switch kind {
        case .complete: return .end(used: 0)
        case .length, .untilClose: return .content(offset: 0, count: pass(bytes.count))
        case .chunked:
            switch chunks.next(bytes) {
            case .data(let offset, let count): return .content(offset: offset, count: count)
            case .needMore(let used): return .framing(used: used)
            case .end(let used):
                kind = .complete
                return .end(used: used)
            case .refused(let cause): return .refused(cause)
            }
        }
    }

    /// Counts bytes that came of a body without chunks: how many of them are part of it.
    @discardableResult
    mutating func pass(_ count: Int) -> Int {
        guard kind == .length else { return kind == .untilClose ? count : 0 }
        let own = min(Int64(count), remaining)
        remaining -= own
        if remaining == 0 { kind = .complete }
        return Int(own)
    }

    /// Nothing more is to come: the peer's end is the body's.
    mutating func end() { kind = .complete }
}

/// What the next bytes of a body are.
enum BodyStep {
    /// Content, behind so many bytes of framing.
    case content(offset: Int, count: Int)
    /// All of them are framing.
    case framing(used: Int)
    /// So many are framing, and the body is complete.
    case end(used: Int)
    /// They are no body, and what follows is none either.
    case refused(HTTP1Refusal)
}
