import CCurl
import EventLoop

// What curl calls while it works, always inside one of our own calls on the loop's thread. The context of an easy
// handle's callbacks is its `CurlTransfer`, of a multi handle's its `CurlMulti`; both outlive their handle.

let onBody: portcullis_receive = { bytes, size, count, context in
    // curl_easy_setopt(CURLOPT_WRITEFUNCTION): `size` is always 1; any other count than the given one stops.
    let bytes = UnsafeRawBufferPointer(start: bytes, count: size &* count)
    return transfer(context).receive(body: bytes) ? bytes.count : bytes.count &+ 1
}

let onFieldLine: portcullis_receive = { _, size, count, context in
    let length = size &* count
    return transfer(context).receive(fieldLine: length) ? length : length &+ 1
}

let onOpenSocket: portcullis_open_socket = { context, _, address in
    guard let address else { return CURL_SOCKET_BAD }
    let found = IPAddress(portcullis_address(address))
    guard transfer(context).permits(found, described: found?.description ?? "unknown family") else {
        return CURL_SOCKET_BAD
    }
    return portcullis_open(address)
}

let onBeforeRequest: portcullis_before_request = { context, address, _, _, _ in
    let text = address.map { String(cString: $0) } ?? ""
    return transfer(context).maySend(to: IPAddress(text), described: text) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

let onSocketChanged: portcullis_socket_changed = { _, socket, what, context, _ in
    multi(context).socketChanged(socket, what)
    return 0
}

let onTimerChanged: portcullis_timer_changed = { _, milliseconds, context in
    multi(context).timerChanged(milliseconds)
    return 0
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    CallbackContext.object(context, of: CurlTransfer.self)
}

private func multi(_ context: UnsafeMutableRawPointer?) -> CurlMulti {
    CallbackContext.object(context, of: CurlMulti.self)
}
