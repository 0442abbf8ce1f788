import HTTP1
import HTTP2
import HTTPMessage

/// The fields of a request over HTTP/2: each a length and so many bytes of name, a length and so many bytes of value.
enum HTTP2HeadFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let fields = self.fields(input)
        guard !fields.isEmpty, fields.reduce(0, { $0 + $1.name.count + $1.value.count + 3 }) < 16_000 else {
            return .refused
        }
        guard let head = rebuilt(fields) else { return .refused }
        guard let read = StrictHead(head, skippingEmptyLine: false) else {
            hold(false, "a second reader reads a rebuilt head")
            return .refused
        }
        hold(read.length == head.count, "a rebuilt head is one head")
        hold(
            read.first == [text(value(":method", fields)), text(value(":path", fields)), "HTTP/1.1"],
            "its first line is what was sent")
        hold(read.fields == expected(fields), "its fields are what was sent, no more and no fewer")
        hold(read.values(of: "transfer-encoding").isEmpty, "no framing was added")
        var parser = RequestHeadParser()
        var parsed = RequestHead()
        guard parser.parse(head.span, limits: HTTP1Limits(), into: &parsed) == .complete else { return .refused }
        return .accepted
    }

    private struct Field {
        var name: [UInt8]
        var value: [UInt8]
    }

    private static func fields(_ input: [UInt8]) -> [Field] {
        var fields: [Field] = []
        var rest = input[...]
        func take() -> [UInt8]? {
            guard let count = rest.popFirst(), rest.count >= Int(count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Array(rest.prefix(Int(count)))
        }
        while let name = take(), let value = take() { fields.append(Field(name: name, value: value)) }
        return fields
    }

    private static func text(_ bytes: [UInt8]) -> String { StrictRequest.latin1(bytes) }

    private static func value(_ name: String, _ fields: [Field]) -> [UInt8] {
        fields.first { $0.name == Array(name.utf8) }?.value ?? []
    }

    /// What a reader of the fields alone would write: Host, the others in their order, and one cookie.
    private static func expected(_ fields: [Field]) -> [StrictHead.Field] {
        let authority = value(":authority", fields)
        var expected = authority.isEmpty ? [] : [StrictHead.Field(name: "host", value: text(authority))]
        var cookies: [String] = []
        for field in fields where field.name.first != UInt8(ascii: ":") {
            let (name, value) = (text(field.name), text(field.value))
            switch name {
            case "host" where !authority.isEmpty: continue
            case "cookie": cookies.append(value)
            default: expected.append(StrictHead.Field(name: name, value: value))
            }
        }
        guard !cookies.isEmpty else { return expected }
        // A last one that is empty leaves a space at the end, which is no part of a value.
        var cookie = cookies.joined(separator: "; ")
        while cookie.last == " " { cookie.removeLast() }
        return expected + [StrictHead.Field(name: "cookie", value: cookie)]
    }

    /// The head that a connection tells of these fields, sent as literals; nil when it refuses them.
    private static func rebuilt(_ fields: [Field]) -> [UInt8]? {
        guard let memory,
            let connection = ServerConnection(ConnectionLimits(), memory: memory, source: source)
        else { fatalError("there is memory") }
        defer { connection.destroy() }
        let block: [UInt8] = fields.flatMap {
            [0] + length($0.name.count) + $0.name + length($0.value.count) + $0.value
        }
        let header = [
            UInt8(block.count >> 16), UInt8(block.count >> 8 & 255), UInt8(block.count & 255), 1, 5, 0, 0, 0, 1,
        ]
        let bytes: [UInt8] =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0] + header + block
        return bytes.withUnsafeBufferPointer { bytes -> [UInt8]? in
            connection.receive(bytes, now: 0)
            var head: [UInt8]?
            while let event = connection.nextEvent() {
                if case .request(1, let told, false, false) = event { head = Array(told) }
            }
            return head
        }
    }

    nonisolated(unsafe) private static let memory = ConnectionMemory()
    private static let source = ContentSource(available: { _, _ in .later }, copy: { _, _, _ in })

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 127 else { return [UInt8(count)] }
        let left = count - 127
        return left < 128 ? [127, UInt8(left)] : [127, UInt8(left & 127 | 128), UInt8(left >> 7)]
    }
}
