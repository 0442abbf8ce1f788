import RESP

/// What a server is asked to say back (`PING`): 32 hexadecimal digits, which nobody else says on this connection.
///
///     a number that chance has chosen for the connection (16) ‖ which echo it is (16)
///
/// Answers have no numbers: whose they are, their order alone says. Something between us and the server that loses one, or
/// adds one, has each command answered with another's answer from then on. An echo in the wrong place shows it (SH-80).
struct LinkEcho {
    /// The connection's number.
    let seed: UInt64
    /// Which of its echoes.
    let number: UInt64

    private static let length = 32
    /// Bytes of the answer: `$32`, the digits, and two ends of lines.
    static let replyLength = 5 + length + 2

    /// Writes the command that asks for it.
    func write(to output: inout [UInt8]) {
        CommandBytes.begin(2, in: &output)
        CommandBytes.append("PING".utf8Span.span, to: &output)
        var digits = InlineArray<32, UInt8>(repeating: 0)
        for place in digits.indices { digits[place] = digit(place) }
        CommandBytes.append(digits.span, to: &output)
    }

    /// Whether this is what the server was asked to say.
    func isSaid(by text: Span<UInt8>) -> Bool { text.count == LinkEcho.length && agrees(text, digits: LinkEcho.length) }

    /// Whether this is an echo of the connection's, whichever.
    func isKin(of text: Span<UInt8>) -> Bool { text.count == LinkEcho.length && agrees(text, digits: 16) }

    private func agrees(_ text: Span<UInt8>, digits: Int) -> Bool {
        for place in 0..<digits where text[place] != digit(place) { return false }
        return true
    }

    private func digit(_ place: Int) -> UInt8 {
        let word = place < 16 ? seed : number
        let value = UInt8(truncatingIfNeeded: word &>> UInt64(60 - 4 * (place & 15))) & 0xF
        return value < 10 ? 0x30 + value : 0x57 + value
    }
}
