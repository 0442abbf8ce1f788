import Bytes
import TestTraits
import Testing

@Suite struct `bytes in words` {
    @Test func `a word is eight bytes, the first one lowest`() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        #expect(bytes.span.word(at: 0) == 0x0807_0605_0403_0201)
        #expect(bytes.span.word(at: 1) == 0x0908_0706_0504_0302)
        #expect(bytes.span.halfWord(at: 5) == 0x0908_0706)
    }

    @Test func `fewer bytes than a word are none`() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        #expect(bytes.span.word(at: 2) == 0)
        #expect(bytes.span.word(at: 9) == 0)
        #expect(bytes.span.halfWord(at: 6) == 0)
    }

    /// The word with `byte` at `place` among bytes that are all `other`.
    private func word(_ byte: UInt8, at place: Int, among other: UInt8) -> UInt64 {
        var bytes = [UInt8](repeating: other, count: 8)
        bytes[place] = byte
        return bytes.span.word(at: 0)
    }

    @Test(.holds("HTTP-11"), .refuses("HTTP-11"), arguments: 0..<8)
    func `letters and dashes are told from all others, each byte by itself`(
        place: Int
    ) {
        for byte in UInt8.min...UInt8.max {
            let isOne = ASCII.isLetter(byte) || byte == 0x2d
            for other: UInt8 in [0x2d, 0x41, 0x7a] {
                let marks = ByteWord.lettersAndDashes(word(byte, at: place, among: other))
                let expected = isOne ? ByteWord.tops : ByteWord.tops ^ 0x80 << UInt64(place * 8)
                if marks != expected { Issue.record("\(byte) among \(other)") }
            }
            let alone = ByteWord.lettersAndDashes(word(byte, at: place, among: 0))
            if alone != (isOne ? 0x80 << UInt64(place * 8) : 0) { Issue.record("\(byte) alone") }
        }
    }

    @Test(.holds("RS-01"), .refuses("RS-01"), arguments: 0..<8)
    func `bytes of a token are told from all others, each byte by itself`(
        place: Int
    ) {
        let common = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/".utf8)
        for byte in UInt8.min...UInt8.max {
            let isOne = common.contains(byte)
            for other: UInt8 in [0x2d, 0x39, 0x5f, 0x7a] {
                let marks = ByteWord.commonToken68(word(byte, at: place, among: other))
                let expected = isOne ? ByteWord.tops : ByteWord.tops ^ 0x80 << UInt64(place * 8)
                if marks != expected { Issue.record("\(byte) among \(other)") }
            }
            let alone = ByteWord.commonToken68(word(byte, at: place, among: 0))
            if alone != (isOne ? 0x80 << UInt64(place * 8) : 0) { Issue.record("\(byte) alone") }
        }
    }

    @Test func `zero bytes are found`() {
        #expect(ByteWord.zeros(0x0101_0101_0101_0101) == 0)
        #expect(ByteWord.firstMark(ByteWord.zeros(0x0101_0100_0101_0101)) == 4)
        #expect(ByteWord.firstMark(ByteWord.zeros(ByteWord.repeating(0x3f) ^ 0x3f3f_3f3f_3f3f_613f)) == 0)
        #expect(ByteWord.firstMark(ByteWord.zeros(.max)) == 8)
    }
}
