extension Array where Element == UInt8 {
    /// A copy of the span's bytes.
    public init(copying span: Span<UInt8>) {
        self.init(capacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }

    /// Appends a copy of the span's bytes.
    public mutating func append(copying span: Span<UInt8>) {
        // Nothing added to an empty array would be written all the same: to the storage that all empty arrays share.
        guard !span.isEmpty else { return }
        append(addingCapacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }
}

extension String {
    /// The text of the span's bytes as UTF-8; what is not UTF-8 becomes U+FFFD.
    public init(copying span: Span<UInt8>) {
        self.init(decoding: [UInt8](copying: span), as: UTF8.self)
    }
}
