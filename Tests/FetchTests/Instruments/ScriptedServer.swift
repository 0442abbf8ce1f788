import Foundation
import Synchronization

/// A TCP server on a free port of 127.0.0.1 that answers every request by one script, badly if it says so.
final class ScriptedServer: @unchecked Sendable {
    enum Action: Sendable {
        /// Sends this as soon as the client has connected.
        case greet(String)
        case send(String)
        /// Sends this many bytes, or as many as the client takes.
        case flood(Int)
        /// Waits until the client is gone.
        case stall
        case close
    }

    /// What happened, in order.
    enum Event: Sendable, Equatable {
        case connected
        case request(String)
        case clientLeft
    }

    let port: UInt16
    private let listener: Int32
    private let script: [Action]
    private let log = Mutex<[Event]>([])
    private let open = Mutex<Set<Int32>>([])
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init(_ script: Action...) throws {
        self.script = script
        (stream, continuation) = AsyncStream.makeStream()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = listen(listener, 16)
                getsockname(listener, $0, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        guard port != 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        open.withLock { [listener] in _ = $0.insert(listener) }
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// Closes everything, which ends the threads.
    func stop() {
        // While none of them can be closed: the number might be somebody else's already.
        open.withLock { for descriptor in $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
        continuation.finish()
    }

    var events: [Event] { log.withLock { $0 } }
    var requests: [String] {
        events.compactMap { if case .request(let head) = $0 { head } else { nil } }
    }
    var connections: Int { events.filter { $0 == .connected }.count }

    /// Suspends until an event like this has happened.
    func waits(for isExpected: (Event) -> Bool) async -> Bool {
        for await event in stream where isExpected(event) { return true }
        return false
    }

    private func note(_ event: Event) {
        log.withLock { $0.append(event) }
        continuation.yield(event)
    }

    private func acceptConnections() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            open.withLock { _ = $0.insert(descriptor) }
            note(.connected)
            Thread.detachNewThread { [self] in
                serve(descriptor)
                open.withLock {
                    $0.remove(descriptor)
                    Glibc.close(descriptor)
                }
            }
        }
        open.withLock {
            $0.remove(listener)
            Glibc.close(listener)
        }
    }

    private func serve(_ descriptor: Int32) {
        if case .greet(let text)? = script.first { send(Array(text.utf8), descriptor) }
        while let head = receiveHead(descriptor) {
            note(.request(head))
            for action in script {
                switch action {
                case .greet: break
                case .send(let text): send(Array(text.utf8), descriptor)
                case .flood(let count): flood(count, descriptor)
                case .close: return
                case .stall:
                    while receive(descriptor) != nil {}
                    note(.clientLeft)
                    return
                }
            }
        }
    }

    private func receiveHead(_ descriptor: Int32) -> String? {
        var head: [UInt8] = []
        while true {
            guard let bytes = receive(descriptor) else { return nil }
            head += bytes
            if head.count >= 4, String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
                return String(decoding: head, as: UTF8.self)
            }
        }
    }

    private func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    @discardableResult
    private func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func flood(_ count: Int, _ descriptor: Int32) {
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        var left = count
        while left > 0, send(Array(block.prefix(left)), descriptor) { left -= block.count }
    }
}
