import Access

/// Names what one configuration decided about one request: `3-9f86d081884c7d65`, the configuration's number since the
/// start and the first sixteen digits of the request's id.
///
/// The request's id says which request it was, the first number by which configuration it was decided; the audit log says
/// which text that was.
struct DecisionID: Equatable {
    let generation: UInt32
    /// The first half of the request's id.
    let request: UInt64

    init(_ request: RequestID, generation: UInt32) {
        self.generation = generation
        self.request = request.words.0
    }

    /// What lines and pages show; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let generation = UInt32(parts[0]), parts[1].utf8.count == 16,
            let id = RequestID(hexadecimal: (String(parts[1]) + parts[1])[...])
        else { return nil }
        self.generation = generation
        request = id.words.0
    }

    /// The most bytes that `write` writes.
    static let longest = 10 + 1 + 16

    /// Writes the text, and answers how many bytes that was; allocates nothing.
    func write(into buffer: UnsafeMutablePointer<UInt8>) -> Int {
        var divisor: UInt32 = 1
        while generation / divisor >= 10 { divisor *= 10 }
        var count = 0
        while divisor > 0 {
            buffer[count] = 48 + UInt8(truncatingIfNeeded: generation / divisor % 10)
            count += 1
            divisor /= 10
        }
        buffer[count] = UInt8(ascii: "-")
        RequestID.write(request, into: buffer + count + 1)
        return count + 17
    }

    var text: String {
        String(unsafeUninitializedCapacity: Self.longest) { buffer in buffer.baseAddress.map(write) ?? 0 }
    }
}

extension ExchangeRef {
    /// What the decision on it is called, by the configuration that it began by.
    var decisionID: DecisionID { DecisionID(pointee.id, generation: pointee.generation) }
}
