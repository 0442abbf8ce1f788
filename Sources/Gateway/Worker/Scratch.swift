import HTTPMessage

/// Memory that every message of one worker passes through, one after the other.
struct Scratch {
    static let readCapacity = 64 << 10
    static let writeCapacity = BufferPool.largest
    /// Request line and fields together: what a client may send of a head before it is whole (HTTP-66).
    static let headBytes = 64 << 10

    let head: UnsafeMutablePointer<RequestHead>
    let responseHead: UnsafeMutablePointer<ResponseHead>
    /// What is read goes here first; a message that fits is never copied before it is sent on.
    let read: UnsafeMutablePointer<UInt8>
    /// What is to be written is put together here.
    let write: UnsafeMutablePointer<UInt8>
    /// The nonce that answers carry at this time, as field value.
    var nonce = NonceText()

    init() {
        head = .allocate(capacity: 1)
        head.initialize(to: RequestHead())
        responseHead = .allocate(capacity: 1)
        responseHead.initialize(to: ResponseHead())
        read = .allocate(capacity: Scratch.readCapacity)
        write = .allocate(capacity: Scratch.writeCapacity)
    }
}
