/// How much JSON is read before it is refused.
public struct JSONLimits: Sendable, Equatable {
    /// Bytes of the whole text.
    public var bytes: Int
    /// Objects and arrays inside one another.
    public var depth: Int
    /// Members of one object.
    public var members: Int
    /// Elements of one array.
    public var elements: Int

    /// More than any honest token or document has, unless said otherwise.
    public init(bytes: Int = 1024 * 1024, depth: Int = 16, members: Int = 256, elements: Int = 4096) {
        // Positions are kept in 32 bits.
        self.bytes = min(bytes, 0x3FFF_FFFF)
        self.depth = min(depth, 128)
        self.members = members
        self.elements = elements
    }

    /// So many bytes, and as many elements in an array as these can hold.
    ///
    /// For answers of a server that is trusted with their size: a list of names is bounded by the bytes alone. Time and
    /// memory are in proportion to the bytes in any case, for arrays can stand inside one another.
    public static func filled(to bytes: Int) -> JSONLimits { JSONLimits(bytes: bytes, elements: bytes) }
}
