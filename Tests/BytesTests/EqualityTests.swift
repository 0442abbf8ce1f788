import Bytes
import Testing

@Suite struct `equal spans` {
    @Test(arguments: 0..<40) func `are those whose every byte is equal`(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        let isEqual = bytes.span.isEqual(to: Array(bytes).span)
        #expect(isEqual)
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 0x80
            let differs = !bytes.span.isEqual(to: other.span)
            #expect(differs, "at \(place) of \(count)")
        }
    }

    @Test(arguments: 0..<20) func `are equally long`(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        for other in 0..<20 where other != count {
            let isEqual = bytes.span.isEqual(to: [UInt8](repeating: 0, count: other).span)
            #expect(!isEqual, "\(count) and \(other)")
        }
    }
}
