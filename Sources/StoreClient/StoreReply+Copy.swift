import Bytes
package import RESP
package import SharedState

extension StoreReply {
    /// A reply that outlives its telling.
    package init(copying reply: borrowing Reply) {
        switch reply.kind {
        case .simpleString: self = .status([UInt8](copying: reply.bytes))
        case .bulkString: self = .bytes([UInt8](copying: reply.bytes))
        case .error: self = .error([UInt8](copying: reply.bytes))
        case .integer: self = .integer(Int64(reply.integer))
        case .null: self = .null
        case .array:
            var replies: [StoreReply] = []
            var elements = reply.elements
            while let element = elements.next() { replies.append(StoreReply(copying: element)) }
            self = .array(replies)
        }
    }
}
