import Glibc
import Transport

/// Which protocol a client's first bytes begin: what its handshake agreed on, or the preface of HTTP/2 (RFC 9113 §3.3, §3.4).
private enum FirstBytes {
    case http1, http2
    /// Part of the preface, so far.
    case undecided

    /// The client connection preface.
    private static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        let length = FirstBytes.preface.utf8CodeUnitCount
        guard memcmp(bytes, FirstBytes.preface.utf8Start, min(count, length)) == 0 else {
            self = .http1
            return
        }
        self = count < length ? .undecided : .http2
    }
}

extension WorkerRef {
    /// Whether the first bytes of a connection are to be read as HTTP/1.1; otherwise they are seen to here.
    ///
    /// Nothing is answered before that is certain, and bytes that leave the preface before its end are read as HTTP/1.1 from
    /// the first of them on (H2-03).
    func readsHTTP1(
        _ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool
    ) -> Bool {
        let first: FirstBytes =
            client.pointee.stream.tls == nil
            ? FirstBytes(bytes, count) : client.pointee.stream.speaksHTTP2 ? .http2 : .http1
        switch first {
        case .http1:
            client.pointee.part = .none
            return true
        case .undecided:
            // The clock of a first head runs already.
            if !isKept, !client.pointee.input.append(bytes, count, from: &pointee.connections.buffers) {
                closeClient(client)
            }
        case .http2:
            client.pointee.part = .none
            pointee.connections.http2.frames.copy(bytes, count)
            dropInput(client)
            beginHTTP2(client, count)
        }
        return false
    }
}
