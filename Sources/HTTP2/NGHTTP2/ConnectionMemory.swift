import CNGHTTP2
import HTTPMessage

/// What all HTTP/2 connections of one worker share: blocks for the library, room for the head that is being rebuilt, and the
/// library's tables of functions and options.
///
/// One thread's. It must outlive its connections, and is destroyed once.
@safe
public struct ConnectionMemory {
    @safe
    struct State {
        let pool: BlockPool
        /// Room for a head's lines, for what waits to become a part of them, and for the names of a head that is sent.
        let lines: UnsafeMutableBufferPointer<UInt8>
        let aside: UnsafeMutableBufferPointer<UInt8>
        let names: UnsafeMutableBufferPointer<UInt8>
        /// The names that rules speak about, lowered, each at the place of its identifier; made when it is first sent.
        let knownNames: UnsafeMutablePointer<UInt8>
        /// The fields of a head that is sent.
        let fields: UnsafeMutableBufferPointer<nghttp2_nv>
        var functions: nghttp2_mem
        let callbacks: OpaquePointer
        var resets = ResetTally()
        var trailers = TrailerTally()
    }

    // The worker's alone, until `destroy`.
    let state: UnsafeMutablePointer<State>

    /// Fields of a head that we send; one with more is not sent.
    static let sentFields = 192
    /// Room for each of the names that rules speak about; no longer one is known.
    static let knownName = 32

    /// Room for heads of so many bytes; larger ones take memory of their own; nil when there is no memory.
    public init?(headerList: Int = 64 << 10) {
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks else {
            return nil
        }
        unsafe SessionCallbacks.set(callbacks)
        let room = headerList + 4096
        unsafe state = .allocate(capacity: 1)
        let pool = BlockPool()
        let known = UnsafeMutablePointer<UInt8>.allocate(capacity: FieldID.count * Self.knownName)
        unsafe known.initialize(repeating: 0, count: FieldID.count * Self.knownName)
        unsafe state.initialize(
            to: State(
                pool: pool,
                lines: .allocate(capacity: room), aside: .allocate(capacity: room), names: .allocate(capacity: room),
                knownNames: known, fields: .allocate(capacity: Self.sentFields), functions: pool.functions,
                callbacks: callbacks))
    }

    /// Frees everything; no connection may be left.
    public func destroy() {
        let state = unsafe state.pointee
        unsafe nghttp2_session_callbacks_del(state.callbacks)
        unsafe state.lines.deallocate()
        unsafe state.aside.deallocate()
        unsafe state.names.deallocate()
        unsafe state.knownNames.deallocate()
        unsafe state.fields.deallocate()
        state.pool.destroy()
        unsafe self.state.deallocate()
    }

    /// Bytes that connections hold.
    public var used: Int { pool.used }
    /// Blocks that the system was asked for so far: it stands still while requests come and go.
    public var takenFromSystem: Int { pool.takenFromSystem }

    /// Streams of clients that ended in a reset.
    public var resets: ResetTally { unsafe state.pointee.resets }

    /// Fields behind a body that were dropped for what they are.
    public var droppedTrailers: TrailerTally { unsafe state.pointee.trailers }

    var pool: BlockPool { unsafe state.pointee.pool }
}
