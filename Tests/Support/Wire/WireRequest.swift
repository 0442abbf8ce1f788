/// One request as the recording upstream read it.
package struct WireRequest: Sendable {
    package let method: String
    package let target: String
    package let version: String
    package let fields: WireFields
    /// The head exactly as received.
    package let rawHead: [UInt8]
    /// The body without its framing; only the first megabyte of a large one.
    package internal(set) var body: [UInt8] = []
    /// Bytes of the whole body.
    package internal(set) var bodyCount = 0
    /// Sizes of the chunks as they came; empty for a body with a length.
    package internal(set) var chunks: [Int] = []
    /// Trailer lines after the last chunk.
    package internal(set) var trailers: [String] = []
    /// Whether the body's announced end was seen.
    package internal(set) var isComplete = false
    /// Which connection brought it, counted from 0.
    package let connection: Int

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// Body bytes as text.
    package var bodyText: String { text(body) }
    /// The head as text.
    package var headText: String { text(rawHead) }

    /// Parses a whole head strictly: what an upstream would take for two requests must not pass as one.
    init(head: [UInt8], connection: Int) throws {
        guard let (lines, length) = headLines(of: head), length == head.count, let first = lines.first else {
            throw WireFailure.malformed("no head")
        }
        let parts = text(first).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("HTTP/"), parts.allSatisfy({ !$0.isEmpty }) else {
            throw WireFailure.malformed("request line \(text(first))")
        }
        method = String(parts[0])
        target = String(parts[1])
        version = String(parts[2])
        fields = try WireFields(lines: Array(lines.dropFirst()))
        rawHead = head
        self.connection = connection
        guard fields["content-length"].count + fields["transfer-encoding"].count < 2 else {
            throw WireFailure.malformed("framed twice: \(text(head))")
        }
    }
}
