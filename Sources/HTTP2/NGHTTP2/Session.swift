import CNGHTTP2

/// One HTTP/2 connection of either side: the library's session, and what its callbacks recorded.
///
///     bytes ──receive──▶ input ──(a frame at a time)──▶ library ──callbacks──▶ recorded ──nextEvent──▶ caller
///     caller ──submit──▶ library ──(a frame at a time)──▶ send ──▶ bytes
///
/// Callbacks only record. Nothing of the caller's runs inside the library, and so nothing there can free what it is using.
/// A pointer and nothing else: whoever holds it destroys it once.
@safe
struct Session {
    // Its own alone, until `destroy`.
    let state: UnsafeMutablePointer<SessionState>

    /// The session that the library's callbacks are told of.
    init(opaque: UnsafeMutableRawPointer) { unsafe state = opaque.assumingMemoryBound(to: SessionState.self) }

    /// A session, with our SETTINGS queued; nil when there is no memory.
    init?(isServer: Bool, _ limits: ConnectionLimits, _ memory: ConnectionMemory, _ source: ContentSource) {
        unsafe state = memory.pool.take(MemoryLayout<SessionState>.size).assumingMemoryBound(to: SessionState.self)
        unsafe state.initialize(to: SessionState(isServer: isServer, limits, memory, source))
        let session = unsafe Self.make(state, isServer: isServer)
        guard let session = unsafe session, unsafe configure(session) else {
            destroy()
            return nil
        }
    }

    private static func make(_ state: UnsafeMutablePointer<SessionState>, isServer: Bool) -> OpaquePointer? {
        let memory = unsafe state.pointee.memory.state
        var option: OpaquePointer?
        guard unsafe nghttp2_option_new(&option) == 0, let option = unsafe option else { return nil }
        defer { unsafe nghttp2_option_del(option) }
        // Windows are given back when bytes have been taken by the other side (H2-42).
        unsafe nghttp2_option_set_no_auto_window_update(option, 1)
        // The count is of calls, and ours is of frames.
        unsafe nghttp2_option_set_max_continuations(option, 1 << 30)
        unsafe nghttp2_option_set_stream_reset_rate_limit(option, 1 << 30, 1 << 30)
        unsafe nghttp2_option_set_max_deflate_dynamic_table_size(option, state.pointee.limits.compressionTable)
        // A client with less would queue what the peer has no room for inside the library.
        unsafe nghttp2_option_set_peer_max_concurrent_streams(option, 100)
        let (callbacks, user) = unsafe (memory.pointee.callbacks, UnsafeMutableRawPointer(state))
        let result =
            isServer
            ? unsafe nghttp2_session_server_new3(
                &state.pointee.session, callbacks, user, option, &memory.pointee.functions)
            : unsafe nghttp2_session_client_new3(
                &state.pointee.session, callbacks, user, option, &memory.pointee.functions)
        return result == 0 ? unsafe state.pointee.session : nil
    }

    /// Queues our SETTINGS (H2-06) and the connection's window; false when there is no memory.
    private func configure(_ session: OpaquePointer) -> Bool {
        let limits = unsafe state.pointee.limits
        var settings: InlineArray<7, nghttp2_settings_entry> = InlineArray(repeating: nghttp2_settings_entry())
        var count = 0
        func add(_ id: nghttp2_settings_id, _ value: Int) {
            settings[count] = nghttp2_settings_entry(
                settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
            count += 1
        }
        add(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.streamWindow)
        add(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headerList)
        if limits.compressionTable != 4096 { add(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, limits.compressionTable) }
        if unsafe state.pointee.isServer {
            add(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams)
            add(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1)
            if limits.announcesTunnels { add(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1) }
        } else {
            add(NGHTTP2_SETTINGS_ENABLE_PUSH, 0)
        }
        // The library copies the entries.
        let result = unsafe settings.span.withUnsafeBufferPointer {
            unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), $0.baseAddress, count)
        }
        let window = Int32(clamping: limits.connectionWindow)
        guard result == 0 else { return false }
        return unsafe nghttp2_session_set_local_window_size(session, 0, 0, window) == 0
    }

    /// Frees everything, streams whose closing was not told included.
    func destroy() {
        if let session = unsafe state.pointee.session { unsafe nghttp2_session_del(session) }
        let pool = unsafe state.pointee.memory.pool
        while let stream = unsafe state.pointee.open.removeFirst() { unsafe free(stream) }
        while let stream = unsafe state.pointee.closed.removeFirst() { unsafe free(stream) }
        releaseSection()
        unsafe state.deinitialize(count: 1)
        unsafe pool.give(UnsafeMutableRawPointer(state))
    }

    /// The library's session, which is there as long as this is.
    var session: OpaquePointer? { unsafe state.pointee.session }

    /// Whether something waits to be sent.
    var wantsToSend: Bool {
        unsafe state.pointee.output.pendingCount > 0 || nghttp2_session_want_write(session) != 0
    }

    /// Whether everything is said on both sides.
    var isOver: Bool {
        guard !wantsToSend else { return false }
        if case .calm = unsafe state.pointee.fault, unsafe state.pointee.isServer {
            return unsafe state.pointee.openCount == 0
        }
        return unsafe state.pointee.fault != nil || nghttp2_session_want_read(session) == 0
    }

    // MARK: Streams

    /// What is kept of a stream that was told; nil when it is over, or never was.
    func known(_ stream: Int32) -> UnsafeMutablePointer<StreamState>? {
        // Only pointers of this kind are given to `nghttp2_session_set_stream_user_data`.
        let kept = unsafe nghttp2_session_get_stream_user_data(session, stream)
        if let kept = unsafe kept { return unsafe kept.assumingMemoryBound(to: StreamState.self) }
        // The library does not know a stream of its own before its head is written.
        return unsafe state.pointee.isServer ? nil : state.pointee.open.find(stream)
    }

    /// Keeps a stream whose head is about to be told.
    func keep(_ stream: Int32) -> UnsafeMutablePointer<StreamState> {
        let block = unsafe state.pointee.memory.pool.take(MemoryLayout<StreamState>.size)
        let kept = unsafe block.bindMemory(to: StreamState.self, capacity: 1)
        unsafe kept.initialize(to: StreamState(stream))
        unsafe state.pointee.open.append(kept)
        unsafe state.pointee.openCount += 1
        unsafe nghttp2_session_set_stream_user_data(session, stream, UnsafeMutableRawPointer(kept))
        return unsafe kept
    }

    func free(_ stream: UnsafeMutablePointer<StreamState>) {
        let pool = unsafe state.pointee.memory.pool
        if let trailers = unsafe stream.pointee.trailers { unsafe pool.give(trailers) }
        unsafe stream.deinitialize(count: 1)
        unsafe pool.give(UnsafeMutableRawPointer(stream))
    }

    /// Ends the input, with GOAWAY queued where that is possible.
    func fail(_ fault: ConnectionFault, _ code: ErrorCode?) {
        guard unsafe state.pointee.fault == nil else { return }
        unsafe state.pointee.fault = fault
        guard let code else { return }
        let last = unsafe nghttp2_session_get_last_proc_stream_id(session)
        unsafe nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, nil, 0)
    }
}
