/// How many streams of clients ended in a reset so far, by the code and by who sent it.
///
/// Of all connections with one memory. Nobody is told of most of them: the library answers faults by itself, and an answer
/// before its request's end is followed by a reset without an error.
public struct ResetTally: Sendable {
    /// Codes that have a number (RFC 9113 §7), and one place for all others.
    public static let codes = 15

    private var receivedCounts = InlineArray<15, UInt64>(repeating: 0)
    private var sentCounts = InlineArray<15, UInt64>(repeating: 0)

    /// Nothing so far.
    init() {}

    /// The place of a code among the numbers.
    public static func place(of code: ErrorCode) -> Int { min(Int(code.rawValue), codes - 1) }

    /// Resets of clients with the code that has this place.
    public func received(_ place: Int) -> UInt64 { receivedCounts[place] }

    /// Resets of ours.
    public func sent(_ place: Int) -> UInt64 { sentCounts[place] }

    mutating func countReceived(_ code: UInt32) { receivedCounts[Self.place(of: ErrorCode(rawValue: code))] &+= 1 }

    mutating func countSent(_ code: UInt32) { sentCounts[Self.place(of: ErrorCode(rawValue: code))] &+= 1 }
}
