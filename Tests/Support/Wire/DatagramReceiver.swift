internal import Foundation
internal import Glibc

/// A Unix socket that takes datagrams, as a service manager listens for notifications.
package final class DatagramReceiver: Sendable {
    /// How `NOTIFY_SOCKET` names it.
    package let address: String
    /// What was received so far, in order.
    package let datagrams = Watched<[String]>([])
    private let descriptor: Int32
    private let folder: String?

    /// Receives at a path in a folder of its own, or at an abstract name.
    package init(isAbstract: Bool) throws {
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw WireFailure.system("socket", errno) }
        folder = isAbstract ? nil : try TemporaryFolder.make(for: "notify")
        address = folder.map { $0 + "/notify" } ?? "@portcullis-tests/\(getpid())/\(UInt64.random(in: 0...UInt64.max))"
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let (bytes, isNamed) = (Array(address.utf8), isAbstract)
        withUnsafeMutableBytes(of: &name.sun_path) { space in
            space.copyBytes(from: bytes)
            if isNamed { space[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw WireFailure.system("bind", errno) }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        if let folder { TemporaryFolder.remove(folder) }
    }

    /// Begins to take what is sent.
    package func start() {
        // The thread has a descriptor of its own: this object may go away while it waits.
        let own = Inheritance.whileNothingIsSpawned { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        Thread.detachNewThread { [datagrams] in
            defer { close(own) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(own, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                let received = text(Array(buffer[..<count]))
                datagrams.withLock { $0.append(received) }
            }
        }
    }

    /// Sends itself so many datagrams that there is room for none more.
    package func fill() throws {
        let sender = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(sender) }
        var name = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isFull = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return false }
                while sendto(sender, "full", 4, Int32(MSG_DONTWAIT), address, length) == 4 {}
                return errno == EAGAIN
            }
        }
        guard isFull else { throw WireFailure.system("sendto", errno) }
    }
}
