import Bytes

/// The nine bytes before each frame (RFC 9113 §4.1).
struct FrameHeader {
    static let count = 9

    let length: Int
    let type: UInt8
    let flags: UInt8
    let stream: Int32

    /// Reads nine bytes.
    init(_ bytes: Span<UInt8>) {
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        type = bytes[3]
        flags = bytes[4]
        let number = UInt32(bytes[5]) << 24 | UInt32(bytes[6]) << 16 | UInt32(bytes[7]) << 8 | UInt32(bytes[8])
        stream = Int32(truncatingIfNeeded: number & 0x7fff_ffff)
    }

    /// No frame.
    init() { (length, type, flags, stream) = (0, 0, 0, 0) }

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let resetStream: UInt8 = 3
    static let pushPromise: UInt8 = 5
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9

    /// Whether the frame ends its stream; DATA and HEADERS only.
    var endsStream: Bool { flags & 0x1 != 0 && type <= Self.headers }
    /// Whether the frame ends its section; HEADERS and CONTINUATION only.
    var endsSection: Bool { flags & 0x4 != 0 }

    /// Whether the frame carries nothing, whoever sends it: a sign of life, a wish, or an empty piece of something.
    ///
    /// RST_STREAM and WINDOW_UPDATE depend on what they are about.
    var isCheap: Bool {
        switch type {
        case Self.data, Self.headers: length == 0 && !endsStream
        case Self.continuation: length == 0
        case Self.resetStream, Self.windowUpdate, Self.pushPromise: false
        default: true
        }
    }
}

/// How large a header section becomes while it is sent, counted in frames and bytes (H2-57).
struct SectionCount {
    /// What is to become of a section.
    enum Size {
        case fine
        /// It is refused. The rest of it is decoded, for what a client compresses next builds on that: its connection goes on.
        case tooLarge
        /// Nobody reads it to its end.
        case endless
    }

    /// CONTINUATION frames that were no large ones.
    private var pieces = 0
    private var bytes = 0

    /// A frame of a section is about to be read.
    ///
    /// Of large frames their bytes tell how many there may be: a browser whose cookies have piled up sends a dozen, and is to
    /// be told so. The library's own count is of the calls it gets: it refuses a section that came byte by byte, and takes any
    /// number of frames that came in one piece.
    mutating func add(_ frame: FrameHeader, limits: ConnectionLimits) -> Size {
        if frame.type == FrameHeader.headers {
            (pieces, bytes) = (0, frame.length)
        } else {
            if frame.length < ConnectionLimits.largePiece { pieces += 1 }
            bytes += frame.length
        }
        guard pieces <= limits.continuations, bytes <= limits.decodedSection else { return .endless }
        return bytes <= limits.encodedSection ? .fine : .tooLarge
    }
}
