import Bytes

/// The parameters of a query that a browser brings to our own paths.
struct QueryParameters: Sendable {
    private let pairs: [(name: [UInt8], value: [UInt8])]

    /// Parameters of one query; more of them are none of ours.
    static let limit = 64

    /// Nil for more parameters than any of ours, and for escapes that are none.
    init?(_ query: [UInt8]) {
        let parts = query.split(separator: UInt8(ascii: "&"), maxSplits: Self.limit)
        guard parts.count <= Self.limit else { return nil }
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        for part in parts {
            let sign = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let name = part[..<sign], value = part[sign...].dropFirst()
            guard let name = FormEncoding.decode(name.span), let value = FormEncoding.decode(value.span) else {
                return nil
            }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    /// What is there under one name.
    enum Value: Sendable, Equatable {
        case none
        case one([UInt8])
        /// More than once: two readers could read different ones.
        case repeated
    }

    subscript(_ name: String) -> Value {
        let found = pairs.filter { $0.name.elementsEqual(name.utf8) }
        guard let first = found.first else { return .none }
        return found.count == 1 ? .one(first.value) : .repeated
    }

    /// Whether some parameter of these names is there.
    func contains(anyOf names: [String]) -> Bool {
        names.contains { self[$0] != .none }
    }
}
