import CNGHTTP2

extension Session {
    /// Room below which no frame is begun: a download would else be cut into crumbs.
    static let leastRoom = 1024
    /// Bytes below which a body that has more of them waits for its peer's window; less than there is always room for.
    static let leastContent = 1000

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
            guard count > 0 || ends, unsafe !awaitsWindow(stream, for: count, most) else {
                return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            }
            if ends { unsafe endBody(stream, flags, trailersFollow: false) }
            unsafe state.pointee.isDribbled = count >= most && most < ConnectionBudget.smallestWindow
            return max(0, min(count, most))
        case .ended(let trailersFollow):
            unsafe endBody(stream, flags, trailersFollow: trailersFollow)
            return 0
        }
    }

    /// Whether a stream waits for more window than just now cuts its body to a crumb.
    ///
    /// Who gives back the window of each frame by itself would have crumbs for ever: each small frame makes room for
    /// another as small, and small frames never become large ones again (RFC 9293 §3.8.6.2.1 has the same of TCP). They cost both
    /// sides more than they carry, and what answers them looks like a flood. A peer whose windows are small from
    /// the start is sent half of one.
    private func awaitsWindow(_ stream: UnsafeMutablePointer<StreamState>, for count: Int, _ most: Int) -> Bool {
        guard most < Self.leastContent, count > most else { return false }
        let initial = unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
        let least = min(count, Self.leastContent, Int(initial / 2))
        guard most < least else { return false }
        unsafe stream.pointee.awaitsWindow = true
        unsafe state.pointee.leastAwaited = min(state.pointee.leastAwaited, least)
        return true
    }

    /// Lets streams go on that wait for a window: all of them where it is the connection's, once it is worth it to one.
    func windowGrew(_ stream: Int32) {
        guard unsafe state.pointee.leastAwaited < .max else { return }
        guard stream == 0 else {
            if let kept = unsafe known(stream) { unsafe endAwaitingWindow(kept) }
            return
        }
        guard unsafe Int(nghttp2_session_get_remote_window_size(session)) >= state.pointee.leastAwaited else { return }
        unsafe state.pointee.leastAwaited = .max
        var place = unsafe state.pointee.open.first
        while let kept = unsafe place {
            unsafe place = kept.pointee.next
            unsafe endAwaitingWindow(kept)
        }
    }

    private func endAwaitingWindow(_ stream: UnsafeMutablePointer<StreamState>) {
        guard unsafe stream.pointee.awaitsWindow else { return }
        unsafe stream.pointee.awaitsWindow = false
        unsafe resume(stream.pointee.stream)
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
