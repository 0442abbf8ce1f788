import CNGHTTP2

extension Session {
    /// Room below which no frame is begun: a download would else be cut into crumbs.
    static let leastRoom = 1024

    /// Writes frames until there are none, or no room for more; how many bytes it wrote.
    func send(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        unsafe state.pointee.output.base = target.baseAddress
        unsafe state.pointee.output.capacity = target.count
        unsafe state.pointee.output.used = 0
        writePending()
        while unsafe state.pointee.output.pendingCount == 0 && state.pointee.output.room >= Self.leastRoom {
            let before = unsafe state.pointee.output.used
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(session, &frame)
            if count < 0 {
                fail(.library(Int32(truncatingIfNeeded: count)), nil)
                break
            }
            // DATA is written by its callback, and so before the frame that this call ends with.
            guard unsafe count > 0 || state.pointee.output.used > before else { break }
            unsafe state.pointee.output.pending = frame
            unsafe state.pointee.output.pendingCount = count
            writePending()
        }
        unsafe state.pointee.output.base = nil
        return unsafe state.pointee.output.used
    }

    /// Writes what is left of a frame: what was taken from the library cannot be given back.
    private func writePending() {
        let count = unsafe min(state.pointee.output.pendingCount, state.pointee.output.room)
        guard count > 0, let frame = unsafe state.pointee.output.pending, let base = unsafe state.pointee.output.base
        else { return }
        unsafe (base + state.pointee.output.used).update(from: frame, count: count)
        unsafe state.pointee.output.used += count
        unsafe state.pointee.output.pending = frame + count
        unsafe state.pointee.output.pendingCount -= count
    }

    /// How many bytes the next DATA frame may have: as many as there is room for, so that it can be written whole.
    func frameSize(window: Int, most: Int) -> Int {
        let room = unsafe state.pointee.output.room - FrameHeader.count
        return max(1, min(window, most, room))
    }

    /// Writes a DATA frame whose payload the caller's source copies into its place.
    func write(_ header: UnsafePointer<UInt8>, _ count: Int, _ stream: UnsafeMutablePointer<StreamState>) -> Int32 {
        guard let base = unsafe state.pointee.output.base,
            unsafe state.pointee.output.room >= FrameHeader.count + count
        else { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
        let place = unsafe base + state.pointee.output.used
        unsafe place.update(from: header, count: FrameHeader.count)
        if count > 0 {
            guard let owner = unsafe stream.pointee.place else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
            unsafe state.pointee.source.copy(owner, place + FrameHeader.count, count)
        }
        unsafe state.pointee.output.used += FrameHeader.count + count
        return unsafe state.pointee.output.room >= Self.leastRoom ? 0 : NGHTTP2_ERR_PAUSE.rawValue
    }

    /// What a stream has to send: `nghttp2_data_source_read_callback`.
    func read(
        _ stream: UnsafeMutablePointer<StreamState>, _ most: Int, _ flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard let place = unsafe stream.pointee.place else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        unsafe flags.pointee = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
        switch unsafe state.pointee.source.available(place, most) {
        case .later: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .bytes(let count, let ends):
            guard count > 0 || ends else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
            if ends { unsafe endBody(stream, flags, trailersFollow: false) }
            unsafe state.pointee.isDribbled = count >= most && most < Int(ConnectionBudget.smallestWindowUpdate)
            return max(0, min(count, most))
        case .ended(let trailersFollow):
            unsafe endBody(stream, flags, trailersFollow: trailersFollow)
            return 0
        }
    }

    private func endBody(
        _ stream: UnsafeMutablePointer<StreamState>, _ flags: UnsafeMutablePointer<UInt32>, trailersFollow: Bool
    ) {
        unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        guard unsafe trailersFollow || stream.pointee.trailers != nil else { return }
        unsafe flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
        guard let trailers = unsafe stream.pointee.trailers else {
            unsafe stream.pointee.awaitsTrailers = true
            return
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: trailers, count: stream.pointee.trailersCount)
        unsafe submitTrailers(now: stream.pointee.stream, bytes.assumingMemoryBound(to: UInt8.self))
    }

    /// A source over the stream's place.
    func provider(_ stream: UnsafeMutablePointer<StreamState>) -> nghttp2_data_provider {
        unsafe nghttp2_data_provider(
            source: nghttp2_data_source(ptr: UnsafeMutableRawPointer(stream)),
            read_callback: { _, _, _, most, flags, source, user in
                guard let user = unsafe user, let flags = unsafe flags, let stream = unsafe source?.pointee.ptr else {
                    return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
                }
                return unsafe Session(opaque: user).read(stream.assumingMemoryBound(to: StreamState.self), most, flags)
            })
    }
}
