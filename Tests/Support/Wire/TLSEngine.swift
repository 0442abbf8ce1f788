internal import COpenSSL
internal import Glibc

/// What a client keeps of a connection to resume it with another.
package final class TLSSession: @unchecked Sendable {
    // Only read, and counted by OpenSSL with atomics.
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { SSL_SESSION_free(pointer) }

    /// Bytes that the server takes before the next handshake is over (RFC 8446 §4.2.10).
    package var maximumEarlyData: Int { Int(SSL_SESSION_get_max_early_data(pointer)) }

    /// The same session, of a client that believes the server to take so many.
    package func believing(maximumEarlyData: Int) -> TLSSession? {
        guard let copy = SSL_SESSION_dup(pointer) else { return nil }
        SSL_SESSION_set_max_early_data(copy, UInt32(clamping: maximumEarlyData))
        return TLSSession(copy)
    }
}

/// One SSL object over a blocking socket, used by one thread at a time.
final class TLSEngine {
    let socket: Socket
    private let connection: OpaquePointer

    init(context: OpaquePointer, socket: Socket) throws {
        guard let connection = SSL_new(context) else { throw WireFailure.tls("SSL_new") }
        self.connection = connection
        self.socket = socket
        // OpenSSL writes without MSG_NOSIGNAL: a peer that is gone would end the whole test run.
        signal(SIGPIPE, SIG_IGN)
        SSL_set_fd(connection, socket.descriptor)
        // A handshake that never ends must fail the test, not hang it.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { SSL_free(connection) }

    var version: String { SSL_get_version(connection).map { String(cString: $0) } ?? "none" }

    var session: TLSSession? { SSL_get1_session(connection).map(TLSSession.init) }

    var isResumed: Bool { SSL_session_reused(connection) == 1 }

    func resume(_ session: TLSSession) { SSL_set_session(connection, session.pointer) }

    var requestedServerName: String? {
        SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    var peerCommonName: String? {
        guard let certificate = SSL_get1_peer_certificate(connection) else { return nil }
        defer { X509_free(certificate) }
        var name = [CChar](repeating: 0, count: 256)
        let length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, &name, 256)
        return length > 0 ? text(name.prefix(Int(length)).map { UInt8(bitPattern: $0) }) : nil
    }

    /// Shakes hands, with `earlyData` behind the first message of ours.
    func connect(serverName: String?, verifiesName: Bool, earlyData: [UInt8]) throws {
        if let serverName {
            serverName.withCString { name in
                _ = SSL_ctrl(
                    connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                    UnsafeMutableRawPointer(mutating: name))
            }
            if verifiesName { SSL_set1_host(connection, serverName) }
        }
        if !earlyData.isEmpty {
            var sent = 0
            guard SSL_write_early_data(connection, earlyData, earlyData.count, &sent) == 1, sent == earlyData.count
            else { throw failure("early data") }
        }
        guard SSL_connect(connection) == 1 else { throw failure("handshake") }
    }

    /// What the server made of the early data; nil when none was sent.
    var isEarlyDataAccepted: Bool? {
        switch SSL_get_early_data_status(connection) {
        case SSL_EARLY_DATA_ACCEPTED: true
        case SSL_EARLY_DATA_REJECTED: false
        default: nil
        }
    }

    func accept() throws {
        guard SSL_accept(connection) == 1 else { throw failure("handshake") }
    }

    func read(atMost count: Int, until deadline: Deadline) throws -> ReadOutcome {
        if SSL_pending(connection) == 0 {
            var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, deadline.milliseconds) > 0 else { return .nothingYet }
        }
        var buffer = [UInt8](repeating: 0, count: count)
        let received = SSL_read(connection, &buffer, Int32(clamping: count))
        if received > 0 { return .bytes(Array(buffer[..<Int(received)])) }
        switch SSL_get_error(connection, received) {
        case SSL_ERROR_ZERO_RETURN: return .end
        case SSL_ERROR_WANT_READ: return .nothingYet
        default:
            ERR_clear_error()
            return .reset
        }
    }

    func write(_ bytes: [UInt8], until deadline: Deadline) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { space in
                SSL_write(connection, space.baseAddress.map { $0 + sent }, Int32(clamping: bytes.count - sent))
            }
            guard count > 0 else { throw failure("write") }
            sent += Int(count)
        }
    }

    func shutdownWriting() {
        // Not when it was reset: the alert would go to whoever has the descriptor's number by now.
        if !socket.isClosed { SSL_shutdown(connection) }
    }

    func close() {
        shutdownWriting()
        socket.close()
    }

    private func failure(_ step: String) -> WireFailure {
        var reason = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_get_error(), &reason, 256)
        ERR_clear_error()
        return .tls("\(step): \(text(reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }))")
    }
}
