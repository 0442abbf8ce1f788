public import COpenSSL
public import Glibc

/// One connected socket, plain or TLS, read and written without blocking.
///
/// A plain value for slabs; whoever holds it closes it exactly once with `close()`.
public struct ByteStream {
    /// The socket, -1 when there is none.
    public var descriptor: Int32
    /// The TLS state, nil on a plain connection.
    public var tls: OpaquePointer?

    /// No connection.
    @inlinable
    public init() {
        descriptor = -1
        tls = nil
    }

    /// A plain connection over `descriptor`.
    @inlinable
    public init(descriptor: Int32) {
        self.descriptor = descriptor
        tls = nil
    }

    /// Nothing now; wait until the socket is readable.
    public static let wantsRead = -1
    /// Nothing now; wait until the socket is writable.
    public static let wantsWrite = -2
    /// The connection is broken.
    public static let failed = -3

    /// Reads up to `capacity` bytes: how many, 0 at the peer's orderly end, or one of the negative values above.
    ///
    /// On TLS this also advances the handshake, and takes one record at most: `wantsRead` may be said while more of them
    /// wait in the kernel, so that no peer can hold a worker up. Wraps `recv` and `SSL_read`.
    @inlinable
    public func read(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        if tls != nil { return readTLS(into: bytes, capacity: capacity) }
        while true {
            let count = recv(descriptor, bytes, capacity, 0)
            if count >= 0 { return count }
            if errno == EAGAIN { return ByteStream.wantsRead }
            if errno != EINTR { return ByteStream.failed }
        }
    }

    /// Writes as many of `count` bytes as the connection takes: how many, or one of the negative values above.
    ///
    /// Wraps `send` and `SSL_write`.
    @inlinable
    public func write(_ bytes: UnsafePointer<UInt8>, count: Int) -> Int {
        if tls != nil { return writeTLS(bytes, count: count) }
        while true {
            let sent = send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            if sent >= 0 { return sent }
            if errno == EAGAIN { return ByteStream.wantsWrite }
            if errno != EINTR { return ByteStream.failed }
        }
    }

    /// Whether bytes to read wait inside the TLS layer, where the socket's readiness does not show them.
    ///
    /// Decrypted ones only, not `SSL_has_pending`: a peer may leave a record unfinished for as long as it likes, and
    /// whoever reads again at once because of it reads for ever. Nothing else is read ahead (`SSL_CTX_set_read_ahead`).
    @inlinable public var hasBufferedBytes: Bool { tls != nil && SSL_pending(tls) > 0 }

    /// Whether nothing waits to be read, not even the peer's end, in the TLS layer or in the kernel.
    ///
    /// Wraps `recv` with `MSG_PEEK`.
    public var isQuiet: Bool {
        guard !hasBufferedBytes else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// Whether the peer has broken the connection off, as far as nothing is left to read that it sent before.
    ///
    /// Not where it has ended its own side: it may still wait for an answer. Wraps `recv` with `MSG_PEEK`.
    public var isBroken: Bool {
        guard descriptor >= 0 else { return false }
        var byte: UInt8 = 0
        let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        return recv(descriptor, &byte, 1, flags) < 0 && errno != EAGAIN && errno != EINTR
    }

    /// Whether a TLS handshake is still under way, or failed.
    ///
    /// Wraps `SSL_is_init_finished`.
    public var isHandshaking: Bool { tls != nil && SSL_is_init_finished(tls) == 0 }

    /// Whether a TLS peer has said nothing yet that its handshake was given.
    ///
    /// Wraps `SSL_in_before`.
    public var awaitsHello: Bool { tls != nil && SSL_in_before(tls) == 1 }

    /// The first byte that waits in the kernel, left where it is; nil where none does.
    ///
    /// Wraps `recv` with `MSG_PEEK`.
    public var firstByte: UInt8? {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1 ? byte : nil
    }

    /// Looks at up to `capacity` bytes that wait in the kernel and leaves them there: how many, or what `read` says.
    ///
    /// Never of what TLS has decrypted. Wraps `recv` with `MSG_PEEK`.
    public func peek(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        while true {
            let count = recv(descriptor, bytes, capacity, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            if count >= 0 { return count }
            if errno == EAGAIN { return ByteStream.wantsRead }
            if errno != EINTR { return ByteStream.failed }
        }
    }

    /// Goes on without TLS, which nothing was said in yet.
    ///
    /// Wraps `SSL_free`.
    public mutating func dropTLS() {
        guard let tls else { return }
        SSL_free(tls)
        self.tls = nil
    }

    /// Why the peer's certificate was not accepted, in OpenSSL's words; nil when nothing was wrong with it.
    ///
    /// Wraps `SSL_get_verify_result`.
    public var certificateProblem: String? {
        guard let tls else { return nil }
        let code = SSL_get_verify_result(tls)
        return code == Int(X509_V_OK) ? nil : String(cString: X509_verify_cert_error_string(code))
    }

    /// Advances a TLS handshake: 0 when it is complete, otherwise one of the negative values above.
    ///
    /// Wraps `SSL_do_handshake`.
    public func handshake() -> Int {
        guard let tls else { return 0 }
        ERR_clear_error()
        let result = SSL_do_handshake(tls)
        return result == 1 ? 0 : outcome(tls, result)
    }

    /// Ends the connection; a TLS peer is told when that needs no waiting.
    ///
    /// Wraps `SSL_shutdown` and `close`.
    public mutating func close() {
        if let tls {
            ERR_clear_error()
            if SSL_is_init_finished(tls) == 1 { SSL_shutdown(tls) }
            ERR_clear_error()
            SSL_free(tls)
            self.tls = nil
        }
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Tells the peer that nothing more follows, and keeps reading possible.
    ///
    /// Wraps `SSL_shutdown` and `shutdown(SHUT_WR)`.
    public func finishWriting() {
        if let tls {
            ERR_clear_error()
            if SSL_is_init_finished(tls) == 1 { SSL_shutdown(tls) }
            ERR_clear_error()
        }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    @usableFromInline
    func readTLS(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        guard let tls else { return ByteStream.failed }
        ERR_clear_error()
        let count = SSL_read(tls, bytes, Int32(clamping: capacity))
        return count > 0 ? Int(count) : outcome(tls, count)
    }

    @usableFromInline
    func writeTLS(_ bytes: UnsafePointer<UInt8>, count: Int) -> Int {
        guard let tls else { return ByteStream.failed }
        ERR_clear_error()
        let sent = SSL_write(tls, bytes, Int32(clamping: count))
        if sent > 0 { return Int(sent) }
        let outcome = outcome(tls, sent)
        return outcome == 0 ? ByteStream.failed : outcome
    }

    private func outcome(_ tls: OpaquePointer, _ result: Int32) -> Int {
        switch SSL_get_error(tls, result) {
        case SSL_ERROR_WANT_READ:
            // Set by `onState` of ServerTLS: nothing that the peer sends is read any more.
            return SSL_get_shutdown(tls) & SSL_RECEIVED_SHUTDOWN == 0 ? ByteStream.wantsRead : ByteStream.failed
        case SSL_ERROR_WANT_WRITE: return ByteStream.wantsWrite
        case SSL_ERROR_ZERO_RETURN: return 0
        default:
            // The manual: no further I/O and no SSL_shutdown after a fatal error; the queue would taint the next call.
            // A handshake leaves its error for `HandshakeFailure.take`, and so does a fatal alert behind it, after which
            // OpenSSL calls the handshake unfinished again; whatever comes next empties the queue.
            if SSL_is_init_finished(tls) == 1 { ERR_clear_error() }
            SSL_set_quiet_shutdown(tls, 1)
            return ByteStream.failed
        }
    }
}
