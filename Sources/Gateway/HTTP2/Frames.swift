import HTTP2

/// The sessions and streams of one worker's clients that speak HTTP/2.
struct HTTP2Connections {
    var sessions = Slab<HTTP2Session>()
    var streams = Slab<HTTP2Stream>()
    let frames = Frames()
    /// Those that the loop comes back to in this turn.
    var queued: SessionRef?
}

/// Memory that the frames of all connections of one worker pass through, one connection after the other.
struct Frames {
    /// As much as one buffer holds: content that comes together leaves in few pieces, although several streams share it.
    static let capacity = BufferPool.largest
    /// The most that one record of TLS brings.
    static let recordSize = 16 << 10

    /// What is read goes here: not where messages pass through, for content is looked at while requests are forwarded.
    let bytes: UnsafeMutablePointer<UInt8>
    /// What is written is put together here.
    let output: UnsafeMutablePointer<UInt8>
    /// What the sessions and streams of all connections are in.
    let memory: ConnectionMemory?

    init() {
        bytes = .allocate(capacity: Frames.capacity)
        output = .allocate(capacity: HTTP2Session.writeSize)
        memory = ConnectionMemory()
    }

    /// Takes bytes that were read elsewhere.
    func copy(_ source: UnsafePointer<UInt8>, _ count: Int) { bytes.update(from: source, count: count) }
}
