import HTTP1
import TestSupport
import TestTraits
import Testing

/// A frame of RFC 6455 §5.2 with this much payload, its length written in the shortest form unless said otherwise.
private func frame(
    _ opcode: UInt8, payload count: Int, isMasked: Bool = false, isFinal: Bool = true, lengthBytes: Int? = nil
) -> [UInt8] {
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    let mask: UInt8 = isMasked ? 0x80 : 0
    switch lengthBytes ?? (count < 126 ? 0 : count < 65_536 ? 2 : 8) {
    case 0: bytes.append(mask | UInt8(count))
    case 2: bytes += [mask | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
    default: bytes += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    if isMasked { bytes += [0x81, 0x7E, 0x88, 0x00] }
    // A payload that looks like frame headers itself.
    bytes += (0..<count).map { $0 % 2 == 0 ? 0x88 : 0x02 }
    return bytes
}

extension WebSocketFrames {
    fileprivate mutating func pass(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        pass(bytes.span)
    }
}

@Suite struct `the frames of a tunnel` {
    /// Every interesting length in every form, masked and not.
    private static let frames: [[UInt8]] = [false, true].flatMap { isMasked in
        [
            frame(1, payload: 0, isMasked: isMasked), frame(1, payload: 1, isMasked: isMasked),
            frame(2, payload: 125, isMasked: isMasked), frame(2, payload: 126, isMasked: isMasked),
            frame(1, payload: 127, isMasked: isMasked, isFinal: false), frame(0, payload: 300, isMasked: isMasked),
            frame(9, payload: 5, isMasked: isMasked), frame(8, payload: 2, isMasked: isMasked),
            // Longer forms than needed are wrong (RFC 6455 §5.2), but their ends are where they say.
            frame(2, payload: 3, isMasked: isMasked, lengthBytes: 2),
            frame(2, payload: 0, isMasked: isMasked, lengthBytes: 8),
            frame(2, payload: 130, isMasked: isMasked, lengthBytes: 8),
        ]
    }

    @Test func `begin between two frames`() { #expect(WebSocketFrames().isBetweenFrames) }

    @Test(.holds("HTTP-60")) func `end where their headers say, however they are cut`() {
        let ends = Set(Self.frames.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) })
        for pieces in everyCut(of: Self.frames.flatMap { $0 }) {
            var frames = WebSocketFrames()
            var passed = 0
            for piece in pieces {
                frames.pass(piece[...])
                passed += piece.count
                #expect(frames.isBetweenFrames == ends.contains(passed), "\(passed) bytes in \(pieces.count) pieces")
            }
        }
    }

    @Test(.holds("HTTP-60"), arguments: [65_535, 65_536, 70_000], [false, true])
    func `end behind long payloads`(count: Int, isMasked: Bool) {
        let bytes = frame(2, payload: count, isMasked: isMasked)
        let cuts = Array(0..<20) + [bytes.count / 2, bytes.count - 2, bytes.count - 1]
        for cut in cuts {
            var frames = WebSocketFrames()
            frames.pass(bytes[..<cut])
            #expect(frames.isBetweenFrames == (cut == 0))
            frames.pass(bytes[cut...])
            #expect(frames.isBetweenFrames)
            frames.pass([0x81])
            #expect(!frames.isBetweenFrames)
            frames.pass([0x00])
            #expect(frames.isBetweenFrames)
        }
    }

    @Test(.refuses("HTTP-60")) func `that claim to be endless neither end nor trap`() {
        for mask in [UInt8(0x7F), 0xFF] {
            var frames = WebSocketFrames()
            frames.pass([0x82, mask] + [UInt8](repeating: 0xFF, count: mask == 0xFF ? 12 : 8))
            for _ in 0..<50 {
                frames.pass([UInt8](repeating: 0, count: 4096)[...])
                #expect(!frames.isBetweenFrames)
            }
        }
    }

    @Test func `do not carry a length over from the frame before`() {
        var frames = WebSocketFrames()
        for bytes in [
            frame(2, payload: 200), frame(2, payload: 1), frame(2, payload: 66_000), frame(2, payload: 126),
            frame(2, payload: 0), frame(2, payload: 5, isMasked: true), frame(2, payload: 5),
        ] {
            for byte in bytes.dropLast() {
                frames.pass([byte])
                #expect(!frames.isBetweenFrames)
            }
            frames.pass(bytes.suffix(1))
            #expect(frames.isBetweenFrames)
        }
    }
}
