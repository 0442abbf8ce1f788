import CCurl
import EventLoop
import HTTPMessage

/// All transfers of one loop, driven by that loop's readiness and timers; lives on its thread.
///
///     curl ── wants this socket, that timer ──▶ Watcher, LoopTimer ── ready, due ──▶ curl ── done ──▶ CurlTransfer
///
/// Wraps a curl multi handle and its socket interface (`curl_multi_socket_action`).
final class CurlMulti: @unchecked Sendable {
    private let loop: EventLoop
    private var handle: UnsafeMutableRawPointer?
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// How long servers have said that they keep connections, in seconds.
    private var keepAlive: [String: Int] = [:]
    private var queue: FetchQueue<CurlTransfer>
    private var watchers: [Int32: Watcher] = [:]
    private var timer: LoopTimer?

    /// With so many connections at a time at most.
    init(loop: EventLoop, connections: Int) {
        self.loop = loop
        queue = FetchQueue(connections: connections)
        _ = CurlMulti.isLibraryReady
        handle = curl_multi_init()
        guard let handle else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        portcullis_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, context)
        portcullis_multi_set_socket_changed(handle, onSocketChanged)
        portcullis_multi_set_pointer(handle, CURLMOPT_TIMERDATA, context)
        portcullis_multi_set_timer_changed(handle, onTimerChanged)
        portcullis_multi_set_long(handle, CURLMOPT_MAXCONNECTS, min(FetchLimits.idleConnections, connections))
        // How many to one host is for the queue to say: behind curl's own bound all purposes would wait in one row.
        portcullis_multi_set_long(handle, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    }

    /// Lets `transfer`, which is prepared, begin when it is its turn.
    func add(_ transfer: CurlTransfer) {
        guard handle != nil, let lane = transfer.lane else { return transfer.end(.failure(.cancelled)) }
        switch queue.admit(transfer, lane, of: transfer.request.client) {
        case .start: begin(transfer, lane)
        case .wait: break
        case .refuse: transfer.end(.failure(.crowded))
        case .refuseClient: transfer.end(.failure(.tooManyOfClient))
        }
    }

    /// Ends `transfer` before its time.
    func cancel(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        guard transfers.removeValue(forKey: easy) != nil else {
            // It waits; its place in the row is passed over.
            return transfer.end(.failure(.cancelled))
        }
        curl_multi_remove_handle(handle, easy)
        transfer.end(.failure(.cancelled))
        beginNext(after: transfer)
    }

    /// Ends everything; the multi handle takes no transfer any more.
    func close() {
        guard let handle else { return }
        for transfer in queue.removeAll() where !transfer.isOver { transfer.end(.failure(.cancelled)) }
        for transfer in transfers.values {
            curl_multi_remove_handle(handle, transfer.easy)
            transfer.end(.failure(.cancelled))
        }
        transfers = [:]
        self.handle = nil
        // curl closes its idle connections in here and calls back for each.
        curl_multi_cleanup(handle)
        watchers = [:]
        timer = nil
    }

    private func begin(_ transfer: CurlTransfer, _ lane: FetchQueue<CurlTransfer>.Lane) {
        guard let handle, let easy = transfer.easy else {
            transfer.end(.failure(.cancelled))
            return beginNext(after: transfer)
        }
        let connection = transfer.request.connection ?? (transfer.request.method == .post ? .recent : .kept)
        transfer.use(connectionOf: ConnectionAge(connection, serverTimeout: keepAlive[lane.server]))
        transfers[easy] = transfer
        let code = curl_multi_add_handle(handle, easy)
        guard code == CURLM_OK else {
            transfers[easy] = nil
            transfer.end(.failure(.failed(String(cString: curl_multi_strerror(code)))))
            return beginNext(after: transfer)
        }
    }

    /// Remembers how long the server of a transfer keeps connections.
    private func note(_ transfer: CurlTransfer) {
        guard let lane = transfer.lane, let seconds = transfer.keepAliveSeconds else { return }
        if keepAlive.count >= FetchLimits.rememberedServers, keepAlive[lane.server] == nil { keepAlive = [:] }
        keepAlive[lane.server] = seconds
    }

    /// Lets the next ones of a lane begin, after one that was under way has ended.
    private func beginNext(after ended: CurlTransfer, wasAnswered: Bool = false) {
        guard let lane = ended.lane else { return }
        // Where a connection was free, only its client's share kept a request from it; but behind requests that a server
        // leaves unanswered it is the server that is late.
        let isOwnDoing = wasAnswered && !queue.isFull(lane)
        var late: [CurlTransfer] = []
        let next = queue.end(lane, of: ended.request.client) { transfer in
            guard !transfer.isOver else { return false }
            if transfer.beginsInTime() { return true }
            late.append(transfer)
            return false
        }
        // Nothing of it was sent: a code or an assertion in it is as good as before (CA-16).
        for transfer in late {
            transfer.end(.failure(isOwnDoing && transfer.request.client != nil ? .tooManyOfClient : .crowded))
        }
        for transfer in next { begin(transfer, lane) }
    }

    // MARK: called by curl

    func socketChanged(_ socket: curl_socket_t, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            watchers.removeValue(forKey: socket)?.cancel()
            return
        }
        var interest: FileEvent.Interest = []
        if what & CURL_POLL_IN != 0 { interest.insert(.read) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
        let watcher =
            watchers[socket]
            ?? Watcher(loop: loop, descriptor: socket) { [unowned self] ready in
                var mask: Int32 = 0
                if ready.contains(.read) { mask |= CURL_CSELECT_IN }
                if ready.contains(.write) { mask |= CURL_CSELECT_OUT }
                act(socket, mask)
            }
        watchers[socket] = watcher
        watcher.watch(for: interest)
    }

    func timerChanged(_ milliseconds: Int) {
        // curl must not be called from inside its own callback, so even "now" goes through the loop.
        let timer = self.timer ?? LoopTimer(loop: loop) { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
        self.timer = timer
        if milliseconds < 0 { timer.cancel() } else { timer.arm(milliseconds: milliseconds) }
    }

    // MARK: called by the loop

    private func act(_ socket: curl_socket_t, _ what: Int32) {
        guard let handle else { return }
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, what, &running)
        endFinishedTransfers()
    }

    private func endFinishedTransfers() {
        var left: Int32 = 0
        while let handle, let message = curl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message is curl's and gone once its handle is removed.
            let result = portcullis_message_result(message)
            curl_multi_remove_handle(handle, easy)
            guard let transfer = transfers.removeValue(forKey: easy) else { continue }
            transfer.end(result)
            note(transfer)
            beginNext(after: transfer, wasAnswered: result == CURLE_OK)
        }
    }

    /// Made on first use; `curl_global_init` is called once in the process.
    private static let isLibraryReady = curl_global_init(portcullis_global_all()) == CURLE_OK
}
