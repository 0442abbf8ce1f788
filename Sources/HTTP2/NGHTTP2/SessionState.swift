import CNGHTTP2

/// What the callbacks of the library have recorded since the last event was told: one of each kind at most, since the
/// library is given a frame at a time.
@safe
struct RecordedEvents {
    var head = false
    var headStream: Int32 = 0
    var headEnds = false
    /// The stream of a request's head that the library has reset, which is no stream that was told.
    var malformed: Int32 = 0
    var content: UnsafePointer<UInt8>?
    var contentCount = 0
    var contentStream: Int32 = 0
    var ended: Int32 = 0
    var reset: Int32 = 0
    var resetCode: UInt32 = 0
    var resetByPeer = false
    var pong = false
    var goAway = false
    var goAwayCode: UInt32 = 0
    var goAwayLast: Int32 = 0
    var settings = false

    init() { unsafe content = nil }
}

/// Input that the caller has handed in, and how far the library has taken it.
@safe
struct SessionInput {
    // The caller's, who keeps them until there are no more events.
    var bytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var offset = 0
    /// Bytes of the client's preface that have not come yet.
    var prefaceLeft = 0
    /// The header of a frame that came in pieces.
    var header: InlineArray<9, UInt8> = InlineArray(repeating: 0)
    var headerCount = 0
    /// The frame that is being read, and how much of its payload has not come yet.
    var frame = FrameHeader()
    var frameLeft = 0

    var left: Int { unsafe bytes.count &- offset }

    /// The next bytes, as many as there must be.
    mutating func take(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        defer { offset &+= count }
        return unsafe UnsafeBufferPointer(rebasing: bytes[offset..<(offset &+ count)])
    }
}

/// Where `send` is writing, and what of a frame had no room there the last time.
@safe
struct SessionOutput {
    // The caller's, inside `send` alone.
    var base: UnsafeMutablePointer<UInt8>?
    var used = 0
    var capacity = 0
    // The library's, until it is asked for the next frame.
    var pending: UnsafePointer<UInt8>?
    var pendingCount = 0

    init() { unsafe (base, pending) = (nil, nil) }

    var room: Int { capacity &- used }
}

/// One connection beside the library's session.
@safe
struct SessionState {
    let isServer: Bool
    let limits: ConnectionLimits
    let memory: ConnectionMemory
    let source: ContentSource
    var session: OpaquePointer?
    var now: UInt64 = 0
    var fault: ConnectionFault?
    var input = SessionInput()
    var output = SessionOutput()
    var events = RecordedEvents()
    var section: ReceivedSection?
    var sectionStream: Int32 = 0
    /// Whether the section was told, and stays only for the pointer that was given.
    var isSectionTold = false
    var sectionCount = SectionCount()
    var numbers = StreamNumbers()
    var tableUpdates = TableUpdates()
    var budget: ConnectionBudget
    var open = StreamList()
    var closed = StreamList()
    var openCount = 0
    /// Whether the current frame brought bytes of a body.
    var frameHasContent = false
    /// Whether a window cut the body that is being sent to next to nothing.
    var isDribbled = false
    /// The smallest window that one of the streams waits for; none does where it is the greatest number.
    var leastAwaited = Int.max
    var hasSettings = false
    /// The peer has acknowledged ours.
    var isAcknowledged = false
    var sentGoAway: ErrorCode?
    /// Whether no more streams are to be opened: we have said so because of resets, or the upstream has.
    var isEnding = false

    init(isServer: Bool, _ limits: ConnectionLimits, _ memory: ConnectionMemory, _ source: ContentSource) {
        self.isServer = isServer
        self.limits = limits
        self.memory = memory
        unsafe self.source = source
        unsafe session = nil
        budget = ConnectionBudget(limits)
        input.prefaceLeft = isServer ? 24 : 0
    }
}
