import TestSupport
import TestTraits
import Testing

@testable import Access

/// What `PathShape` looks for sixteen bytes at a time, one byte after the other.
private struct SlowShape {
    let path: [UInt8]

    var isPlain: Bool { !path.contains(UInt8(ascii: "%")) && !hasDoubledSlash }
    var endsInSlash: Bool { path.last == UInt8(ascii: "/") }
    var hasDoubledSlash: Bool { zip(path, path.dropFirst()).contains { $0 == 0x2F && $1 == 0x2F } }
    var mayBeReadLoosely: Bool { path.contains { "%\\;".utf8.contains($0) } }

    var firstEscapedEnd: Int? {
        path.indices.first { index in
            let escape = String(decoding: path[index...].prefix(3), as: UTF8.self).lowercased()
            return escape == "%3f" || escape == "%23"
        }
    }
}

@Suite struct `the shape of a path` {
    private static func agrees(_ path: [UInt8]) -> Bool {
        let slow = SlowShape(path: path)
        let shape = PathShape(path.span)
        return shape.isPlain == slow.isPlain && shape.endsInSlash == slow.endsInSlash
            && PathShape.hasDoubledSlash(path.span) == slow.hasDoubledSlash
            && PathShape.mayBeReadLoosely(path.span) == slow.mayBeReadLoosely
            && PathShape.firstEscapedEnd(in: path.span) == slow.firstEscapedEnd
            && PathShape.hasEscape(path.span) == path.contains(UInt8(ascii: "%"))
    }

    @Test(.holds("HTTP-55"), .refuses("HTTP-55"), arguments: ["%3F", "%3f", "%23", "//", "%", "\\", ";", "%2", "/"])
    func `is seen wherever what tells it stands, across the edges of a vector too`(piece: String) {
        for length in 0..<70 {
            for place in 0...length {
                let path =
                    Array(repeating: UInt8(ascii: "a"), count: place) + Array(piece.utf8)
                    + Array(repeating: UInt8(ascii: "a"), count: length - place)
                guard Self.agrees(path) else {
                    Issue.record("\(piece) at \(place) of \(path.count)")
                    return
                }
            }
        }
    }

    @Test(.refuses("HTTP-55"), arguments: 1...4 as ClosedRange<UInt64>)
    func `is what a slow reader says, of paths that a seed chooses`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        let bytes = Array("/%23fF?;\\a.\u{0}".utf8) + [0xFF]
        for _ in 0..<3000 {
            let path = (0..<numbers.below(50)).map { _ in numbers.pick(bytes) }
            guard Self.agrees(path) else {
                Issue.record("\(String(decoding: path, as: UTF8.self)) of seed \(seed)")
                return
            }
        }
    }
}
