import Bytes
import HTTPMessage

/// What a server answers that is asked by gRPC's own protocol of health checks whether it is well (H2-92).
///
///     head ──▶ content … ──▶ trailers ──▶ isServing
///
/// It is well whose one message says SERVING, with a status of 0 behind it. Whatever else comes is no answer to that: a
/// server that does not know the service, or the protocol, is not called well for having answered at all.
public struct GRPCHealthAnswer: Sendable {
    /// The method that is called.
    public static let path = "/grpc.health.v1.Health/Check"
    /// The status in the message of a server that is well.
    private static let serving: UInt64 = 1
    /// Bytes of content at most; SERVING takes seven, and fields that nobody knows yet have room.
    private static let contentBound = 1024
    /// What stands before a message: whether it is compressed, and its length.
    private static let prefix = 5

    /// What the status behind the message says.
    private enum Status { case none, zero, other }

    private var isHeadRight = false
    private var content: [UInt8] = []
    private var status = Status.none
    /// More has come than any such answer has.
    public private(set) var isTooLong = false

    /// Nothing has come yet.
    public init() {}

    /// The message that asks about a service, or about the server as a whole where its name is empty, with its prefix.
    public static func question(about service: String) -> [UInt8] {
        let name = Array(service.utf8)
        var message: [UInt8] = []
        if !name.isEmpty {
            message.append(0x0A)
            var length = name.count
            while length >= 0x80 {
                message.append(UInt8(truncatingIfNeeded: length) | 0x80)
                length >>= 7
            }
            message.append(UInt8(truncatingIfNeeded: length))
            message += name
        }
        let length = UInt32(truncatingIfNeeded: message.count).bigEndian
        return [0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32($0 * 8)) } + message
    }

    /// Takes the head, as that of HTTP/1.1 that says the same.
    public mutating func head(_ lines: Span<UInt8>) {
        guard lines.count >= 12, ASCII.equalsExactly(lines.extracting(9..<12), "200") else { return }
        var types = 0
        var isNative = false
        var hasStatus = false
        Self.forEachLine(lines) { name, value in
            if ASCII.equalsIgnoringCase(name, "content-type") {
                types += 1
                isNative = GRPCContentType(value) == .native
            }
            // Of an answer of a head alone there is no message.
            if ASCII.equalsIgnoringCase(name, "grpc-status") { hasStatus = true }
        }
        isHeadRight = types == 1 && isNative && !hasStatus
    }

    /// Takes the next of the content.
    public mutating func content(_ bytes: Span<UInt8>) {
        guard content.count &+ bytes.count <= Self.contentBound else {
            isTooLong = true
            return
        }
        for index in bytes.indices { content.append(bytes[index]) }
    }

    /// Takes the lines behind the content.
    public mutating func trailers(_ lines: Span<UInt8>) {
        var status = status
        Self.forEachLine(lines) { name, value in
            guard ASCII.equalsIgnoringCase(name, "grpc-status") else { return }
            status = status == .none && ASCII.equalsExactly(value, "0") ? .zero : .other
        }
        self.status = status
    }

    /// Whether all that has come, to its end, says that the server is well.
    public var isServing: Bool {
        isHeadRight && !isTooLong && status == .zero && Self.status(in: content) == Self.serving
    }

    /// The status that the only message says; nil where the content is not one message of that kind.
    private static func status(in content: [UInt8]) -> UInt64? {
        // One that is compressed was not asked for.
        guard content.count >= prefix, content[0] == 0 else { return nil }
        let length = content[1..<prefix].reduce(0) { $0 << 8 | Int($1) }
        guard length == content.count - prefix else { return nil }
        var place = prefix
        var status: UInt64 = 0
        while place < content.count {
            guard let tag = number(in: content, at: &place), tag >> 3 > 0 else { return nil }
            switch tag & 7 {
            case 0:
                guard let value = number(in: content, at: &place) else { return nil }
                if tag >> 3 == 1 { status = value }
            case _ where tag >> 3 == 1: return nil
            case 1: place += 8
            case 2:
                guard let count = number(in: content, at: &place), count <= UInt64(content.count) else { return nil }
                place += Int(count)
            case 5: place += 4
            default: return nil
            }
        }
        return place == content.count ? status : nil
    }

    /// A number of seven bits a byte, of ten bytes at most.
    private static func number(in content: [UInt8], at place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard place < content.count else { return nil }
            let byte = content[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    private static func forEachLine(_ lines: Span<UInt8>, _ body: (Span<UInt8>, Span<UInt8>) -> Void) {
        var line = 0
        while line < lines.count {
            let end = lines.firstIndex(of: 0x0D, from: line, to: lines.count)
            let colon = lines.firstIndex(of: 0x3A, from: line, to: end)
            if colon < end {
                var start = colon + 1
                while start < end, lines[start] == 0x20 { start += 1 }
                body(lines.extracting(line..<colon), lines.extracting(start..<end))
            }
            line = end + 2
        }
    }
}
