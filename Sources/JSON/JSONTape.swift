/// One value of a parsed text, in the order of the text.
///
///     {"a":[1,2]}   ──▶   object(1)  string "a"  array(2)  number 1  number 2
///
/// A member is its name's node followed by its value's nodes; `end` skips a value with everything inside.
struct JSONNode {
    /// What the value is.
    var kind: JSONValue.Kind
    /// Where a string's decoded bytes or a number's letters start.
    var start: UInt32
    /// Bytes of a string or number; members or elements of an object or array.
    var count: UInt32
    /// The index after this value's last node.
    var end: UInt32
    /// For strings: tells most different names apart without reading them.
    var hash: UInt32
}

/// What parsing leaves behind: the bytes and the nodes that point into them.
final class JSONTape: Sendable {
    /// The text, followed by the decoded form of each string that had escapes.
    let bytes: [UInt8]
    let nodes: [JSONNode]

    init(bytes: [UInt8], nodes: [JSONNode]) {
        self.bytes = bytes
        self.nodes = nodes
    }
}
