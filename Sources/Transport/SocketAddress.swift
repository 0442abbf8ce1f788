public import Glibc

/// An IPv4 or IPv6 address and port, or the path of a Unix socket, in the kernel's own form.
public struct SocketAddress: Sendable {
    /// The address as `bind`, `connect` and `accept` take it.
    public var storage: sockaddr_storage
    /// How much of `storage` is meant.
    public var length: socklen_t

    /// An address of no family.
    public init() {
        storage = sockaddr_storage()
        length = 0
    }

    /// The address a literal says, or nil when `host` is not an IPv4 or IPv6 literal (without brackets).
    public init?(literal host: String, port: UInt16) {
        self.init()
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
        } else if inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        } else {
            return nil
        }
    }

    /// The Unix socket at a path, or nil when the path is empty, holds a zero byte or is longer than the kernel takes.
    public init?(unixPath path: String) {
        self.init()
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= SocketAddress.longestUnixPath, !bytes.contains(0) else { return nil }
        storage.ss_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &storage) { space in
            for (index, byte) in bytes.enumerated() { space[SocketAddress.unixPathOffset + index] = byte }
        }
        length = socklen_t(SocketAddress.unixPathOffset + bytes.count + 1)
    }

    /// The Unix socket of an abstract name, which has no file (unix(7)); nil when the name is empty or longer than the
    /// kernel takes.
    public init?(abstractName name: String) {
        self.init()
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count <= SocketAddress.longestUnixPath else { return nil }
        storage.ss_family = sa_family_t(AF_UNIX)
        // Behind a zero byte, and without one at its end.
        withUnsafeMutableBytes(of: &storage) { space in
            for (index, byte) in bytes.enumerated() { space[SocketAddress.unixPathOffset + 1 + index] = byte }
        }
        length = socklen_t(SocketAddress.unixPathOffset + 1 + bytes.count)
    }

    /// Most bytes that the path of a Unix socket may have (`sun_path` less its final zero).
    public static let longestUnixPath = 107
    private static let unixPathOffset = MemoryLayout<sa_family_t>.size

    /// Whether it is a Unix socket's.
    public var isUnix: Bool { family == AF_UNIX }

    /// The path of a Unix socket; empty for a client's, which has none.
    public var unixPath: String {
        guard isUnix else { return "" }
        return withUnsafeBytes(of: storage) { bytes in
            let path = bytes[min(SocketAddress.unixPathOffset, Int(length))..<min(Int(length), bytes.count)]
            return String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    public var family: Int32 { Int32(storage.ss_family) }

    /// The port, in host order; 0 of a Unix socket.
    public var port: UInt16 {
        if isUnix { return 0 }
        return withUnsafeBytes(of: storage) { bytes in
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// The same address with another port; a Unix socket has none.
    public func with(port: UInt16) -> SocketAddress {
        guard !isUnix else { return self }
        var other = self
        withUnsafeMutableBytes(of: &other.storage) {
            $0.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
        return other
    }

    /// The address without its port, as `inet_ntop` writes it; of a Unix socket `unix`.
    public var host: String {
        if isUnix { return "unix" }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        withUnsafeBytes(of: storage) { bytes in
            guard let start = bytes.baseAddress else { return }
            let offset = family == AF_INET6 ? 8 : 4
            inet_ntop(family, start + offset, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `host:port`, with brackets around an IPv6 host; `unix:` and the path of a Unix socket.
    public var description: String {
        if isUnix { return "unix:\(unixPath)" }
        return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
