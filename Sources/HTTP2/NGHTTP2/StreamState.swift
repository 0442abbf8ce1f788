import CNGHTTP2

/// What is kept of a stream beside what the library keeps, from its head until its closing was told.
///
/// A block of the pool's; the streams of a connection are a list, since the library forgets its own without a word when a
/// session is deleted.
@safe
struct StreamState {
    var stream: Int32
    /// The caller's own.
    var place: UnsafeMutableRawPointer?
    /// The neighbours in the list of open streams, or of closed ones.
    var next: UnsafeMutablePointer<StreamState>?
    var previous: UnsafeMutablePointer<StreamState>?
    /// Lines that are sent when the body has ended.
    var trailers: UnsafeMutableRawPointer?
    var trailersCount = 0
    /// Bytes that were told and not given back.
    var outstanding = 0
    var code: UInt32 = 0
    var isTunnel = false
    /// Whether the answer's head was received, or submitted; interim ones are none.
    var hasHead = false
    /// Whether the request was written; it always was where we are the server.
    var isSent = true
    /// Whether a reset was told.
    var isReset = false
    /// Whether the body has ended and trailers are all that is awaited.
    var awaitsTrailers = false
    /// Whether the body waits until a window is more than a crumb.
    var awaitsWindow = false

    init(_ stream: Int32) {
        self.stream = stream
        unsafe (place, next, previous, trailers) = (nil, nil, nil, nil)
    }
}

/// Streams in the order they came, each linked to its neighbours.
@safe
struct StreamList {
    private(set) var first: UnsafeMutablePointer<StreamState>?
    private var last: UnsafeMutablePointer<StreamState>?

    init() { unsafe (first, last) = (nil, nil) }

    mutating func append(_ stream: UnsafeMutablePointer<StreamState>) {
        unsafe stream.pointee.previous = last
        unsafe stream.pointee.next = nil
        if let last = unsafe last { unsafe last.pointee.next = stream } else { unsafe first = stream }
        unsafe last = stream
    }

    mutating func remove(_ stream: UnsafeMutablePointer<StreamState>) {
        let (previous, next) = unsafe (stream.pointee.previous, stream.pointee.next)
        if let previous = unsafe previous { unsafe previous.pointee.next = next } else { unsafe first = next }
        if let next = unsafe next { unsafe next.pointee.previous = previous } else { unsafe last = previous }
    }

    /// The stream with this number; the latest are found first.
    func find(_ stream: Int32) -> UnsafeMutablePointer<StreamState>? {
        var place = unsafe last
        while let kept = unsafe place {
            if unsafe kept.pointee.stream == stream { return unsafe kept }
            unsafe place = kept.pointee.previous
        }
        return nil
    }

    mutating func removeFirst() -> UnsafeMutablePointer<StreamState>? {
        guard let stream = unsafe first else { return nil }
        unsafe remove(stream)
        return unsafe stream
    }
}
