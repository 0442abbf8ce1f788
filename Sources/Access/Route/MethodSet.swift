import Bytes
package import HTTPMessage

/// Which methods a route lets through (HTTP-19).
package struct MethodSet: Sendable {
    /// One bit for each `MethodID` that is let through; that of `other` for those that nobody named.
    package private(set) var known: UInt16 = 0
    private let others: [String]
    /// The value of `Allow` in a 405.
    package let allow: String

    /// The methods that have an ID of their own, and the empty name of those that have none.
    package static let all: [(id: MethodID, name: String)] = [
        (.other, ""), (.get, "GET"), (.head, "HEAD"), (.post, "POST"), (.put, "PUT"), (.delete, "DELETE"),
        (.patch, "PATCH"), (.options, "OPTIONS"), (.connect, "CONNECT"), (.trace, "TRACE"), (.track, "TRACK"),
    ]
    /// How many these are.
    package static let count = 11

    /// The methods named, or all but CONNECT, TRACE and TRACK when nil.
    package init(_ names: [String]?) {
        let ordinary = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
        let listed = (names ?? ordinary).filter { !["CONNECT", "TRACE", "TRACK"].contains($0.uppercased()) }
        for method in MethodSet.all where listed.contains(method.name) { known |= 1 << UInt16(method.id.rawValue) }
        if names == nil { known |= 1 << UInt16(MethodID.other.rawValue) }
        others = listed.filter { name in !MethodSet.all.contains { $0.name == name } }
        allow = listed.joined(separator: ", ")
    }

    /// The identifier of a method by its exact name.
    package static func id(of name: Span<UInt8>) -> MethodID {
        for method in all where method.name.utf8.span.isEqual(to: name) { return method.id }
        return .other
    }

    /// The name of a method that has an ID of its own; empty for any other.
    package static func name(of method: MethodID) -> String { all.first { $0.id == method }?.name ?? "" }

    /// Whether a method without an ID of its own is let through by this name.
    package func isListed(_ name: String) -> Bool { others.contains(name) }

    /// Whether the method is let through.
    ///
    /// A spelling like `get` is another method, which no list means.
    package func allows(_ method: MethodID, named name: Span<UInt8>) -> Bool {
        let isKnown = known >> UInt16(method.rawValue) & 1 == 1
        guard method == .other else { return isKnown }
        return isKnown && !MethodSet.isMisspelt(name) || contains(named: name)
    }

    /// Whether a script of another page may use the method, by this list (the Fetch standard's CORS protocol).
    package func allowsScript(_ method: MethodID, named name: Span<UInt8>) -> Bool {
        guard method == .other else { return known >> UInt16(method.rawValue) & 1 == 1 }
        return known & 1 == 1 || contains(named: name)
    }

    func contains(named name: Span<UInt8>) -> Bool {
        for other in others where other.utf8.span.isEqual(to: name) { return true }
        return false
    }

    /// Whether the name is a known method but for its case: some upstream would read it as that one.
    private static func isMisspelt(_ name: Span<UInt8>) -> Bool {
        for known in all where ASCII.equalsIgnoringCase(name, known.name) { return true }
        return false
    }
}
