// SPDX-License-Identifier: Apache-2.0
public import Glibc

/// An IPv4 or IPv6 address and port, in the kernel's own form.
public struct SocketAddress: @unchecked Sendable {
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

    /// `AF_INET` or `AF_INET6`.
    public var family: Int32 { Int32(storage.ss_family) }

    /// The port, in host order.
    public var port: UInt16 {
        withUnsafeBytes(of: storage) { bytes in
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// The address without its port, as `inet_ntop` writes it.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        withUnsafeBytes(of: storage) { bytes in
            guard let start = bytes.baseAddress else { return }
            let offset = family == AF_INET6 ? 8 : 4
            inet_ntop(family, start + offset, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `host:port`, with brackets around an IPv6 host.
    public var description: String { family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
