import Bytes

/// The methods of gRPC services that a route names in its rights, found by the path of a call (H2-90).
///
/// A path is compared byte for byte, as it goes to the upstream. `*` stands for methods that nobody named, and for no other
/// spelling of one that is named: a path with an escape, with another slash, or with a name in another case is none of them.
package struct GRPCMethodNames: Sendable {
    private let names: FixedList<FixedBytes>
    /// How many are of one method each; behind them are those with `*`, the longest first.
    private let methodCount: Int

    init(_ names: [String]) {
        let texts = GRPCMethodNames.inOrder(names)
        self.names = FixedList(count: texts.count) { FixedBytes(texts[$0]) }
        methodCount = texts.count { !$0.hasSuffix("*") }
    }

    /// Frees them; nobody may look for any of them any longer.
    func destroy() {
        for index in 0..<names.count { names[index].destroy() }
        names.destroy()
    }

    /// The places of the names: each method before its service, and that before all services.
    static func inOrder(_ names: some Sequence<String>) -> [String] {
        names.sorted { one, other in
            let (first, second) = (one.hasSuffix("*"), other.hasSuffix("*"))
            guard first == second else { return second }
            return first && one.utf8.count != other.utf8.count ? one.utf8.count > other.utf8.count : one < other
        }
    }

    var isEmpty: Bool { names.count == 0 }

    /// The place of the name that a path is of; nil where it is of none.
    func place(of path: Span<UInt8>) -> Int? {
        var isInOtherCase = false
        for index in 0..<methodCount {
            if names[index].span.isEqual(to: path) { return index }
            if ASCII.equalsIgnoringCase(names[index].span, path) { isInOtherCase = true }
        }
        guard !isInOtherCase, GRPCMethodNames.isMethod(path) else { return nil }
        for index in methodCount..<names.count {
            let count = names[index].span.count &- 1
            guard path.count > count,
                ASCII.equalsIgnoringCase(names[index].span.extracting(first: count), path.extracting(first: count))
            else { continue }
            let isSame = names[index].span.extracting(first: count).isEqual(to: path.extracting(first: count))
            return isSame ? index : nil
        }
        return nil
    }

    /// Whether it is `/package.Service/Method`, in letters, digits and what names have between them.
    package static func isMethod(_ path: Span<UInt8>) -> Bool {
        guard !path.isEmpty, path[0] == UInt8(ascii: "/") else { return false }
        var slashes = 0
        var isAtBeginning = false
        for index in path.indices {
            let byte = path[index]
            if byte == UInt8(ascii: "/") {
                guard !isAtBeginning else { return false }
                slashes += 1
                isAtBeginning = true
            } else {
                let begins = ASCII.isLetter(byte) || byte == UInt8(ascii: "_")
                guard
                    begins
                        || !isAtBeginning
                            && (ASCII.isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-"))
                else { return false }
                isAtBeginning = false
            }
        }
        return slashes == 2 && !isAtBeginning
    }
}

extension RightsSettings {
    /// Which of the names by which `scopesByGRPCMethod` knows methods the path of a call is of; not on the hot path.
    package func grpcMethod(ofCall path: String) -> String? {
        let names = GRPCMethodNames(Array(scopesByGRPCMethod.keys))
        defer { names.destroy() }
        let place = names.place(of: path.utf8Span.span)
        return place.map { GRPCMethodNames.inOrder(scopesByGRPCMethod.keys)[$0] }
    }
}
