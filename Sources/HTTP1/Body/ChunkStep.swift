/// What a chunked body's next bytes are.
public enum ChunkStep: Sendable, Equatable {
    /// `count` bytes of content at `offset` of the input; `offset + count` bytes of it are used up.
    case data(offset: Int, count: Int)
    /// Nothing more can be said without more input; `consumed` bytes, which is all of it, are used up.
    case needMore(consumed: Int)
    /// The body and its trailers have ended; `consumed` bytes are used up, the next message starts behind them.
    case end(consumed: Int)
    /// The bytes are not the chunked coding; the connection cannot be trusted further.
    case refused(HTTP1Refusal)
}
