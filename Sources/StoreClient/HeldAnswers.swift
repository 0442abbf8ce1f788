import Bytes
import RESP

/// Answers to writes that are kept until it is known whether a replica has them too (SH-60).
///
/// They lie one behind the other, as a server would send them, in memory that is used again.
struct HeldAnswers {
    private struct Held {
        let ticket: UInt64
        let end: Int
    }

    private var held: [Held] = []
    private var bytes: [UInt8] = []

    var count: Int { held.count }

    /// Keeps the answer to the command that a link knows by this ticket.
    mutating func hold(_ ticket: UInt64, _ reply: borrowing Reply) {
        switch reply.kind {
        case .simpleString: append(UInt8(ascii: "+"), reply.bytes)
        case .error: append(UInt8(ascii: "-"), reply.bytes)
        case .integer: append(UInt8(ascii: ":"), number: reply.integer)
        case .null: append(UInt8(ascii: "$"), number: -1)
        case .bulkString:
            append(UInt8(ascii: "$"), number: reply.bytes.count)
            append(nil, reply.bytes)
        case .array:
            append(UInt8(ascii: "*"), number: reply.integer)
            bytes.append(copying: reply.bytes)
        }
        held.append(Held(ticket: ticket, end: bytes.count))
    }

    /// The ticket of one of them.
    func ticket(_ place: Int) -> UInt64 { held[place].ticket }

    /// What the server answered.
    func withReply<Result>(_ place: Int, _ body: (borrowing Reply?) -> Result) -> Result {
        let start = place == 0 ? 0 : held[place - 1].end
        return body(Reply(bytes.span.extracting(start..<held[place].end)))
    }

    /// Lets all of them go.
    mutating func removeAll() {
        held.removeAll(keepingCapacity: true)
        // One large answer is no reason to hold its memory ever after.
        if bytes.capacity > 256 << 10 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
    }

    private mutating func append(_ type: UInt8, number: Int) {
        bytes.append(type)
        Decimal.append(number, to: &bytes)
        endLine()
    }

    private mutating func append(_ type: UInt8?, _ text: Span<UInt8>) {
        if let type { bytes.append(type) }
        bytes.append(copying: text)
        endLine()
    }

    private mutating func endLine() {
        bytes.append(0x0D)
        bytes.append(0x0A)
    }
}
