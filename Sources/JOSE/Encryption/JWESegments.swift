/// Where the five segments of an encrypted token are; nothing in them has been looked at.
struct JWESegments {
    private let dots: InlineArray<4, Int>
    private let end: Int

    /// Finds the four dots; sizes are checked before anything is decoded (JOSE-26).
    init(_ token: Span<UInt8>, maximumBytes: Int) throws(JWERefusal) {
        guard token.count <= maximumBytes else { throw .tooLarge }
        var dots = InlineArray<4, Int>(repeating: 0)
        var count = 0
        for index in token.indices where token[index] == UInt8(ascii: ".") {
            guard count < 4 else { throw .notCompact }
            dots[count] = index
            count += 1
        }
        guard count == 4 else { throw .notCompact }
        guard dots[0] <= (CompactJWS.maximumHeaderBytes * 4 + 2) / 3 else { throw .headerTooLarge }
        self.dots = dots
        end = token.count
    }

    var header: Range<Int> { 0..<dots[0] }
    var encryptedKey: Range<Int> { dots[0] + 1..<dots[1] }
    var nonce: Range<Int> { dots[1] + 1..<dots[2] }
    var ciphertext: Range<Int> { dots[2] + 1..<dots[3] }
    var tag: Range<Int> { dots[3] + 1..<end }
}
