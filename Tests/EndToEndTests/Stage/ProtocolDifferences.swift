import TestSupport

/// Where the same message comes to something else by another protocol.
extension WireProtocol {
    /// Whether a request can be said at all: HTTP/2 has no lines whose end or colon could be missing, and no version.
    func says(_ message: String) -> Bool {
        guard self == .http2 else { return true }
        guard let (lines, _) = headLines(of: Array(message.utf8)), let first = lines.first else { return false }
        return text(first).hasSuffix(" HTTP/1.1") && text(first).split(separator: " ").count == 3
            && lines.dropFirst().allSatisfy { $0.contains(UInt8(ascii: ":")) || $0.contains(UInt8(ascii: " ")) }
    }
}

extension WireResponse {
    /// Whether it was said that nothing follows: in HTTP/2 each response is the last of its stream.
    var isLast: Bool { version == WireProtocol.http2.version || announcesClose }
}

extension RawClient {
    /// Whether what carried a last response is over: the connection, or in HTTP/2 the stream, which ended with it.
    func isOver() -> Bool { http2 != nil || isClosedByPeer() }
}
