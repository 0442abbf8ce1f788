import Rates

/// What a client did until it was told to calm down (H2-52, H2-55): the word that a log has for it.
public enum CalmCause: String, Sendable, CaseIterable {
    case resets = "h2_resets"
    case cheapFrames = "h2_cheap_frames"
    case oversizedHeads = "h2_oversized_heads"
    /// A header section was larger or in more pieces than is allowed (H2-57).
    case sectionTooLarge = "h2_section_too_large"
}

/// What one connection may still do of what costs it nothing: two buckets, and a few counts.
///
/// Every attack on HTTP/2 is many of something that is allowed once. Streams that end in a reset are one such kind,
/// whoever sends the reset; frames that carry nothing are the other.
struct ConnectionBudget {
    /// Heads over a bound, after which a connection has shown what it is about.
    static let oversizedHeadsBound = 3
    /// Window updates that each DATA frame of ours may be answered with.
    static let windowUpdatesPerFrame = 10
    /// How many of them may be left over: frames leave in bursts, and windows of them come back one by one.
    static let mostWindowUpdates = 10_000
    /// Frames that carry nothing and that each DATA frame of ours may be answered with, and how many may be left over.
    ///
    /// A client of gRPC answers small messages with a PING that measures the way.
    static let answersPerFrame = 3
    static let mostAnswers = 300
    /// Bytes of window below which a frame that it cuts short may be answered with nothing.
    static let smallestWindow = 64

    private let resetRate: TokenRate
    private let cheapRate: TokenRate
    private var resets = TokenBucket()
    private var cheap = TokenBucket()
    private var oversizedHeads = 0
    private var windowUpdates = Self.windowUpdatesPerFrame
    private var answers = 0

    init(_ limits: ConnectionLimits) {
        resetRate = limits.resets
        cheapRate = limits.cheapFrames
    }

    /// Whether so much is taken of the resets that the connection should come to its end, while that is still polite.
    func isNearlySpent(at now: UInt64) -> Bool {
        resetRate.interval > 0 && resets.spent(at: now, resetRate) > resetRate.allowance / 4 * 3
    }

    /// A stream ended in a reset before its answer was whole, by the client's doing.
    mutating func streamReset(at now: UInt64) -> CalmCause? {
        resets.take(at: now, resetRate) ? nil : .resets
    }

    /// A frame came that carries nothing.
    mutating func cheapFrame(at now: UInt64) -> CalmCause? {
        if answers > 0 {
            answers -= 1
            return nil
        }
        return cheap.take(at: now, cheapRate) ? nil : .cheapFrames
    }

    /// A head was over a bound.
    mutating func oversizedHead() -> CalmCause? {
        oversizedHeads += 1
        return oversizedHeads >= Self.oversizedHeadsBound ? .oversizedHeads : nil
    }

    /// DATA was sent, which the client may answer with window updates.
    ///
    /// However small it is: an upstream that says little at a time has its clients give back as little. But not where a window
    /// made it as small as it is: who opens it by a byte at a time would have each of them answered (CVE-2019-9511).
    mutating func contentSent(_ count: Int, isDribbled: Bool) {
        guard !isDribbled else { return }
        windowUpdates = min(windowUpdates + Self.windowUpdatesPerFrame, Self.mostWindowUpdates)
        answers = min(answers + count >> 10 + Self.answersPerFrame, Self.mostAnswers)
    }

    /// A window was enlarged.
    mutating func windowUpdate(at now: UInt64) -> CalmCause? {
        guard windowUpdates > 0 else { return cheapFrame(at: now) }
        windowUpdates -= 1
        return nil
    }
}
