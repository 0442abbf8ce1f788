import Bytes

/// Where the three segments of a compact serialization are; nothing in them has been looked at.
public struct JWSSegments: Sendable {
    /// The header, in base64url.
    public let header: Range<Int>
    /// The payload, in base64url.
    public let payload: Range<Int>
    /// The signature, in base64url.
    public let signature: Range<Int>

    /// Finds the two dots; sizes are checked before anything is decoded (JOSE-26).
    ///
    /// - Throws: `.tooLarge`, `.headerTooLarge`, and for another number of dots `.encrypted` or `.notCompact`
    ///   (JOSE-01).
    public init(_ token: Span<UInt8>, maximumBytes: Int) throws(JOSERefusal) {
        guard token.count <= maximumBytes else { throw .tooLarge }
        var dots: InlineArray<5, Int> = [0, 0, 0, 0, 0]
        var count = 0
        var index = Self.dot(in: token, from: 0)
        while index < token.count, count < 5 {
            dots[count] = index
            count += 1
            index = Self.dot(in: token, from: index + 1)
        }
        if count == 4 { throw .encrypted }
        guard count == 2 else { throw .notCompact }
        guard dots[0] <= (CompactJWS.maximumHeaderBytes * 4 + 2) / 3 else { throw .headerTooLarge }
        header = 0..<dots[0]
        payload = dots[0] + 1..<dots[1]
        signature = dots[1] + 1..<token.count
    }

    /// Header, dot and payload: what the signature covers.
    public var signingInput: Range<Int> { 0..<payload.upperBound }

    /// The first dot at or behind `start`, or the end.
    private static func dot(in token: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index + 8 <= token.count {
            let marks = ByteWord.zeros(token.word(at: index) ^ ByteWord.repeating(UInt8(ascii: ".")))
            if marks != 0 { return index + ByteWord.firstMark(marks) }
            index += 8
        }
        while index < token.count, token[index] != UInt8(ascii: ".") { index += 1 }
        return index
    }
}
