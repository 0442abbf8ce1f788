import Bytes

/// What a glance at a path tells: whether it is its own canonical form.
struct PathShape {
    private(set) var isPlain = true
    private(set) var endsInSlash = false

    /// Looks at each byte once.
    init(_ path: Span<UInt8>) {
        var previous: UInt8 = 0
        for index in path.indices {
            let byte = path[index]
            if byte == UInt8(ascii: "%") || (byte == UInt8(ascii: "/") && previous == UInt8(ascii: "/")) {
                isPlain = false
            }
            previous = byte
        }
        endsInSlash = previous == UInt8(ascii: "/")
    }

    /// Where `%3F` or `%23` is, `?` or `#` to whoever decodes.
    static func firstEscapedEnd(in path: Span<UInt8>) -> Int? {
        var index = 0
        while index + ByteVector.count + 2 <= path.count {
            let second = path.vector(at: index + 1)
            let third = path.vector(at: index + 2)
            let isQuery = (second .== vector("3")) .& ((third | SIMD16(repeating: 0x20)) .== vector("f"))
            let isFragment = (second .== vector("2")) .& (third .== vector("3"))
            let place = ((path.vector(at: index) .== vector("%")) .& (isQuery .| isFragment)).first
            if place < ByteVector.count { return index + place }
            index += ByteVector.count
        }
        while index + 2 < path.count {
            let isQuery = path[index + 1] == UInt8(ascii: "3") && ASCII.lowercase(path[index + 2]) == UInt8(ascii: "f")
            let isFragment = path[index + 1] == UInt8(ascii: "2") && path[index + 2] == UInt8(ascii: "3")
            if path[index] == UInt8(ascii: "%"), isQuery || isFragment { return index }
            index += 1
        }
        return nil
    }

    /// Whether the loosest reading may be another one than the canonical form with its slashes merged; overlong forms of
    /// characters, which are refused everywhere, aside.
    static func mayBeReadLoosely(_ path: Span<UInt8>) -> Bool {
        contains(UInt8(ascii: "%"), path) || contains(UInt8(ascii: "\\"), path) || contains(UInt8(ascii: ";"), path)
    }

    static func hasEscape(_ path: Span<UInt8>) -> Bool { contains(UInt8(ascii: "%"), path) }

    private static func contains(_ byte: UInt8, _ path: Span<UInt8>) -> Bool {
        path.firstIndex(of: byte, from: 0, to: path.count) < path.count
    }

    static func hasDoubledSlash(_ path: Span<UInt8>) -> Bool {
        var index = 0
        while index + ByteVector.count + 1 <= path.count {
            let slashes = (path.vector(at: index) .== vector("/")) .& (path.vector(at: index + 1) .== vector("/"))
            if slashes.first < ByteVector.count { return true }
            index += ByteVector.count
        }
        while index + 1 < path.count {
            if path[index] == UInt8(ascii: "/"), path[index + 1] == UInt8(ascii: "/") { return true }
            index += 1
        }
        return false
    }

    @inline(__always)
    private static func vector(_ character: Unicode.Scalar) -> SIMD16<UInt8> {
        SIMD16(repeating: UInt8(ascii: character))
    }
}
