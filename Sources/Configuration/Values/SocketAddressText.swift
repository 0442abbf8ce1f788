import Gateway
import Glibc
import Transport

/// Addresses to listen on: `127.0.0.1:8443`, `[::1]:8443`, `unix:/run/portcullis.sock`.
enum SocketAddressText {
    static let shape = TextShape(
        expected: "an IP address and a port such as 0.0.0.0:8443 or [::]:8443",
        pattern: #"^((([0-9]{1,3}\.){3}[0-9]{1,3}|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}|unix:/.{1,106})$"#
    ) { text in
        if parse(text) != nil { return nil }
        if text.hasPrefix(UnixSocketText.scheme) { return UnixSocketText.fault(text) }
        if text.hasPrefix("localhost:") { return TextFault(remedy: "write it as  127.0.0.1:\(text.dropFirst(10))") }
        if text.count(where: { $0 == ":" }) > 1 {
            return TextFault(remedy: "write IPv6 in brackets, and a port: [::1]:8443")
        }
        if let port = UInt16(text), port > 0 {
            return TextFault(remedy: "write it as  0.0.0.0:\(port)  for all addresses, or  127.0.0.1:\(port)")
        }
        if text.hasPrefix(":") { return TextFault(remedy: "write it as  0.0.0.0\(text) or [::]\(text)") }
        return TextFault(remedy: "names are not looked up here: write the address itself and a port up to 65535")
    }

    static func parse(_ text: String) -> SocketAddressSettings? {
        if let path = UnixSocketText.path(text) { return SocketAddressSettings(unixPath: path) }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            digits.count == 1 || digits.first != "0"
        else { return nil }
        var host = text[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
            return IPAddress.isIPv6(String(host)) ? SocketAddressSettings(host: String(host), port: port) : nil
        }
        return IPAddress.isIPv4(String(host)) ? SocketAddressSettings(host: String(host), port: port) : nil
    }
}

/// Unix sockets: `unix:` and an absolute path.
enum UnixSocketText {
    static let scheme = "unix:"

    /// The path, or nil when the text is none or the kernel would not take it.
    static func path(_ text: String) -> String? { fault(text) == nil ? String(text.dropFirst(scheme.count)) : nil }

    /// What is wrong with a text that is to be one.
    static func fault(_ text: String) -> TextFault? {
        guard text.hasPrefix(scheme + "/"), text.utf8.count > scheme.count + 1 else {
            return TextFault(remedy: "write the socket's absolute path: unix:/run/app.sock")
        }
        guard SocketAddress(unixPath: String(text.dropFirst(scheme.count))) != nil else {
            return TextFault(remedy: "choose a path of at most \(SocketAddress.longestUnixPath) bytes")
        }
        return nil
    }
}

/// Address literals, judged by the C library's strict parser (`inet_pton`).
enum IPAddress {
    static func isIPv4(_ text: String) -> Bool { bytes(text)?.count == 4 }
    static func isIPv6(_ text: String) -> Bool { bytes(text)?.count == 16 }

    /// The address's bytes in network order, or nil when the text is no literal.
    static func bytes(_ text: String) -> [UInt8]? {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 { return four }
        var sixteen = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &sixteen) == 1 ? sixteen : nil
    }

    /// Whether the text is `localhost` or an address of this machine's loopback interface.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        guard let bytes = bytes(host) else { return false }
        if bytes.count == 4 { return bytes[0] == 127 }
        return bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether the text is an address that stands for every address of this machine.
    static func isWildcard(_ host: String) -> Bool {
        bytes(host)?.allSatisfy { $0 == 0 } ?? false
    }
}

extension SocketAddressSettings {
    /// Whether both cannot be listened on at once; port 0 is a different port each time.
    func collides(with other: SocketAddressSettings) -> Bool {
        if unixPath != nil || other.unixPath != nil { return unixPath == other.unixPath }
        guard port == other.port, port != 0 else { return false }
        return IPAddress.bytes(host) == IPAddress.bytes(other.host) || IPAddress.isWildcard(host)
            || IPAddress.isWildcard(other.host)
    }

    /// Whether connecting to `host` (a name or a literal) and `port` reaches this listener, as far as a file can tell.
    func isReached(byHost host: String, port: UInt16) -> Bool {
        guard unixPath == nil, port == self.port else { return false }
        if IPAddress.isLoopback(host), IPAddress.isLoopback(self.host) || IPAddress.isWildcard(self.host) {
            return true
        }
        if IPAddress.isWildcard(host) { return true }
        guard let bytes = IPAddress.bytes(host) else { return false }
        return bytes == IPAddress.bytes(self.host)
    }
}
