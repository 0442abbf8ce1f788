import Access
import HTTPMessage

/// The trace of one exchange: what of it does not follow from the exchange's own id.
///
/// Plain values inside the exchange. A trace that begins here has the request's id, so that whoever has one has the other;
/// the ids of our spans follow from it too, and none is stored.
struct ExchangeTrace {
    private struct Signs: OptionSet {
        let rawValue: UInt8

        static let begun = Signs(rawValue: 1)
        static let continued = Signs(rawValue: 2)
        static let linked = Signs(rawValue: 4)
        static let decided = Signs(rawValue: 8)
        static let sampled = Signs(rawValue: 16)
    }

    private var signs: Signs = []
    /// The trace and the span of whoever sent the request: continued, or linked to.
    private var remoteTrace: (UInt64, UInt64) = (0, 0)
    private(set) var remoteSpan: UInt64 = 0
    /// What it has waited for, for the time of a request that waits.
    var waits: UnsafeMutablePointer<TraceWaits>?

    /// Whether it is known by now.
    var isBegun: Bool { signs.contains(.begun) }
    /// Whether it is the sender's trace.
    var isContinued: Bool { signs.contains(.continued) }

    /// The sender's span, where the request came from it and belongs to another trace.
    var link: (trace: UInt128, span: UInt64)? { signs.contains(.linked) ? (remote, remoteSpan) : nil }

    /// The trace of a request that came with this field, or without one.
    mutating func begin(_ parent: TraceParent?, isTrusted: Bool) {
        signs = .begun
        guard let parent else { return }
        remoteTrace = (UInt64(truncatingIfNeeded: parent.traceID >> 64), UInt64(truncatingIfNeeded: parent.traceID))
        remoteSpan = parent.spanID
        guard isTrusted else { return signs.formUnion(.linked) }
        signs.formUnion([.continued, .decided])
        if parent.isSampled { signs.formUnion(.sampled) }
    }

    private var remote: UInt128 { UInt128(remoteTrace.0) << 64 | UInt128(remoteTrace.1) }

    /// Its id.
    func id(_ request: RequestID) -> UInt128 {
        isContinued ? remote : UInt128(request.words.0) << 64 | UInt128(request.words.1)
    }

    /// Its id as 16 bytes of a request's id, for whoever writes it as such.
    func words(_ request: RequestID) -> RequestID { isContinued ? RequestID(words: remoteTrace) : request }

    /// Whether it is sampled: said once, for what was said to an upstream holds.
    mutating func isSampled(_ decide: () -> Bool) -> Bool {
        if !signs.contains(.decided) {
            signs.insert(.decided)
            if decide() { signs.insert(.sampled) }
        }
        return signs.contains(.sampled)
    }

    /// Our spans: of the request, of the upstream's part in it, and of what it waited for.
    static func span(_ number: UInt64, of request: RequestID) -> UInt64 {
        // Of random bits others as good, another for each number (SplitMix64); zero is no id.
        var mixed = request.words.0 &+ request.words.1 &* 2 &+ (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return mixed == 0 ? 1 : mixed
    }

    static let serverSpan: UInt64 = 0
    static let clientSpan: UInt64 = 1
    static let firstWait: UInt64 = 2
}

/// What a request waited for while an authorization server was asked.
struct TraceWaits {
    struct Wait {
        let name: StaticString
        /// Monotonic microseconds.
        let start: UInt64
        var end: UInt64
    }

    /// A request that waits for more is nobody's that we know.
    private static let most = 8
    private(set) var all: [Wait] = []
    private(set) var isOpen = false

    /// The number of what is waited for now.
    var open: Int? { isOpen ? all.count - 1 : nil }

    mutating func begin(_ name: StaticString, at now: UInt64) {
        guard all.count < Self.most else { return }
        all.append(Wait(name: name, start: now, end: now))
        isOpen = true
    }

    mutating func end(at now: UInt64) {
        guard isOpen else { return }
        isOpen = false
        all[all.count - 1].end = now
    }
}
