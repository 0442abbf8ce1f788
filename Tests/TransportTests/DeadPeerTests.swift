import Glibc
import Testing
import Transport

@Suite struct `a TCP connection whose peer may be gone` {
    @Test func `is given up after two seconds without an acknowledgement`() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        Transport.Socket.noticeDeadPeer(descriptor)
        let tcp = Int32(IPPROTO_TCP)
        for (level, name, expected) in [
            (tcp, TCP_USER_TIMEOUT, 2000), (SOL_SOCKET, SO_KEEPALIVE, 1), (tcp, TCP_KEEPIDLE, 1),
            (tcp, TCP_KEEPINTVL, 1), (tcp, TCP_KEEPCNT, 2),
        ] as [(Int32, Int32, Int32)] {
            var (value, length): (Int32, socklen_t) = (0, 4)
            #expect(getsockopt(descriptor, level, name, &value, &length) == 0)
            #expect(value == expected, "option \(name)")
        }
    }
}
