import Bytes
import Glibc

extension PeerAddress {
    /// The address that a proxy wrote: IPv4 or IPv6, in brackets or not, with or without a port.
    ///
    /// RFC 7239 §6 has IPv6 in brackets, `X-Forwarded-For` has it bare, and some balancers put a port behind either. No
    /// name, no zone, no `unknown`. Wraps `inet_pton`; allocates nothing.
    init?(text: UnsafeBufferPointer<UInt8>) {
        guard let first = text.first, let last = text.firstIndex(of: 0x5D) ?? text.indices.last else { return nil }
        var host = text
        var rest = UnsafeBufferPointer(rebasing: text[text.endIndex...])
        if first == UInt8(ascii: "[") {
            guard text[last] == UInt8(ascii: "]") else { return nil }
            host = UnsafeBufferPointer(rebasing: text[1..<last])
            rest = UnsafeBufferPointer(rebasing: text[(last + 1)...])
            guard host.contains(UInt8(ascii: ":")) else { return nil }
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")),
            !text[(colon + 1)...].contains(UInt8(ascii: ":"))
        {
            // An IPv6 address has two colons at least: one alone stands before a port.
            host = UnsafeBufferPointer(rebasing: text[..<colon])
            rest = UnsafeBufferPointer(rebasing: text[colon...])
        }
        guard rest.isEmpty || PeerAddress.isPort(rest) else { return nil }
        self.init()
        guard read(host) else { return nil }
    }

    /// A colon and up to five digits.
    private static func isPort(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count > 1 && text.count <= 6 && text[0] == UInt8(ascii: ":") && text.dropFirst().allSatisfy(ASCII.isDigit)
    }

    private mutating func read(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 46) { memory in
            // The longest text of an address, and its NUL.
            guard host.count > 0, host.count < 46, !host.contains(0), let start = memory.baseAddress else {
                return false
            }
            for index in host.indices { start[index] = CChar(bitPattern: host[index]) }
            start[host.count] = 0
            var six: (UInt64, UInt64) = (0, 0)
            var four: UInt32 = 0
            if inet_pton(AF_INET, start, &four) == 1 {
                self = PeerAddress(octets: (UInt64(four), 0), isIPv6: false)
            } else if inet_pton(AF_INET6, start, &six) == 1 {
                self = PeerAddress(octets: six, isIPv6: true)
            } else {
                return false
            }
            return true
        }
    }
}
