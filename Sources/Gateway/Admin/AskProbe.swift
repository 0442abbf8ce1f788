import Bytes
import Glibc
import Transport

/// What the admin listener of a running gateway answers to a probe, asked from another process of the same machine.
package enum AskProbe {
    /// The status of the answer, or why there is none.
    package enum Answer: Equatable, Sendable {
        case status(Int)
        case missing(String)
    }

    /// Asks for a page such as `/healthz`, once, and waits for so many milliseconds in all.
    ///
    /// A listener on all addresses is asked on the loopback.
    package static func ask(
        _ page: String, at address: SocketAddressSettings, milliseconds: Int
    ) -> Answer {
        let deadline = WorkerClock().microseconds() + UInt64(max(1, milliseconds)) * 1000
        guard var peer = peer(of: address) else { return .missing("\(address.text) is no address") }
        let descriptor = Socket.connect(to: &peer)
        guard descriptor >= 0 else { return .missing(reason(errno)) }
        defer { close(descriptor) }
        guard wait(for: Int16(POLLOUT), descriptor, until: deadline) else { return late(milliseconds) }
        let failure = Socket.pendingError(of: descriptor)
        guard failure == 0 else { return .missing(reason(failure)) }
        // By an address, which the listener answers to whatever names it has (ECO-32).
        let request = Array("GET \(page) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        // It fits into the socket's buffer, which is empty.
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return .missing(reason(errno))
        }
        return status(descriptor, until: deadline, milliseconds)
    }

    /// Where to connect to.
    private static func peer(of address: SocketAddressSettings) -> SocketAddress? {
        if let path = address.unixPath { return SocketAddress(unixPath: path) }
        let onLoopback = ["0.0.0.0": "127.0.0.1", "::": "::1"][address.host] ?? address.host
        return SocketAddress(literal: onLoopback, port: address.port)
    }

    /// The three digits of a status line: between `HTTP/1.1` and the reason a space each, and no digit more.
    private static func status(_ descriptor: Int32, until deadline: UInt64, _ milliseconds: Int) -> Answer {
        let digits = 9..<12
        var head: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256)
        while head.count <= digits.upperBound {
            guard wait(for: Int16(POLLIN), descriptor, until: deadline) else { return late(milliseconds) }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return .missing(count == 0 ? "the connection was closed" : reason(errno)) }
            head += chunk[..<count]
        }
        let space = UInt8(ascii: " ")
        guard head.starts(with: "HTTP/1.".utf8), ASCII.isDigit(head[7]), head[8] == space,
            head[digits].allSatisfy(ASCII.isDigit), head[digits.upperBound] == space
        else { return .missing("the answer is not HTTP") }
        return .status(head[digits].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }

    private static func wait(for events: Int16, _ descriptor: Int32, until deadline: UInt64) -> Bool {
        while true {
            let now = WorkerClock().microseconds()
            guard now < deadline else { return false }
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let ready = poll(&entry, 1, Int32((deadline - now + 999) / 1000))
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
        }
    }

    private static func late(_ milliseconds: Int) -> Answer { .missing("no answer within \(milliseconds) ms") }

    private static func reason(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
