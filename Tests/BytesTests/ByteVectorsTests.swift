import Bytes
import TestTraits
import Testing

@Suite struct `bytes in vectors` {
    /// Sixteen bytes that are all `other`, but for `byte` at `place`.
    private func vector(_ byte: UInt8, at place: Int, among other: UInt8) -> SIMD16<UInt8> {
        var bytes = [UInt8](repeating: other, count: 16)
        bytes[place] = byte
        return bytes.span.vector(at: 0)
    }

    @Test(.holds("HTTP-04"), arguments: 0..<16) func `the first control octet is found`(place: Int) {
        for byte in UInt8.min...UInt8.max {
            let isControl = byte < 0x20 || byte == 0x7f
            for other: UInt8 in [0x20, 0x61, 0x7e, 0x80, 0xa0, 0xff] {
                let found = ByteVector.controls(vector(byte, at: place, among: other)).first
                if found != (isControl ? place : 16) { Issue.record("\(byte) among \(other)") }
            }
        }
    }

    @Test(.holds("HTTP-04")) func `the first of several control octets is found`() {
        for place in 0..<16 {
            for byte: UInt8 in [0, 1, 0x1f, 0x7f, 0x0d] {
                var bytes = [UInt8](repeating: 0x7f, count: 16)
                for index in 0..<place { bytes[index] = 0x80 }
                bytes[place] = byte
                #expect(ByteVector.controls(bytes.span.vector(at: 0)).first == place)
            }
        }
    }

    @Test func `a byte is found wherever it is, and only within its range`() {
        for count in 0..<50 {
            for place in 0..<count {
                var bytes = [UInt8](repeating: 0x61, count: count)
                bytes[place] = 0x3b
                let found = bytes.span.firstIndex(of: 0x3b, from: 0, to: count)
                #expect(found == place)
                #expect(bytes.span.firstIndex(of: 0x3b, from: place, to: count) == place)
                #expect(bytes.span.firstIndex(of: 0x3b, from: place + 1, to: count) == count)
                #expect(bytes.span.firstIndex(of: 0x3b, from: 0, to: place) == place)
            }
        }
    }
}
