import Compression
import TestSupport
import TestTraits
import Testing

/// Row ECO-53: what is exported in gzip is what was to be exported.
@Suite struct `content in gzip` {
    private func coded(_ content: [UInt8]) throws -> [UInt8] {
        let coded = Gzip.encode(content.span)
        return try #require(coded)
    }

    private func random(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    @Test(.holds("ECO-53"), arguments: [0, 1, 16 << 10, (16 << 10) + 1, 1 << 20])
    func `is read as what it was`(count: Int) throws {
        for content in [[UInt8](repeating: 0x7B, count: count), random(count)] {
            let coded = try coded(content)
            #expect(coded.starts(with: [0x1F, 0x8B, 8]))
            #expect(gunzip(coded, atMost: count) == content)
        }
    }

    @Test(.holds("ECO-53")) func `is a tenth of what repeats itself, and hardly more than what does not`() throws {
        let span = #",{"traceId":"0123456789abcdef","name":"GET api","attributes":[{"key":"url.path"}]}"#
        let spans = Array(String(repeating: span, count: 1000).utf8)
        #expect(try coded(spans).count < spans.count / 10)
        let noise = random(1 << 20)
        #expect(try coded(noise).count < noise.count + 1024)
    }

    @Test(.refuses("ECO-53")) func `that was changed or cut is none`() throws {
        let content = random(1000)
        let coded = try coded(content)
        #expect(gunzip(Array(coded.dropLast()), atMost: 1000) == nil)
        var changed = coded
        changed[coded.count - 6] ^= 1
        #expect(gunzip(changed, atMost: 1000) == nil)
    }
}
