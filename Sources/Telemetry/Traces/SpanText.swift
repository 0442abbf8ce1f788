/// What a span is in its trace, and when it was.
package struct SpanPlace: Sendable, Equatable {
    /// The trace's id, its first byte in the highest bits.
    package var trace: UInt128
    /// The span's own.
    package var span: UInt64
    /// The span that caused it; 0 for none.
    package var parent: UInt64
    /// Nanoseconds since 1970.
    package var start: UInt64
    package var end: UInt64

    package init(trace: UInt128, span: UInt64, parent: UInt64, start: UInt64, end: UInt64) {
        self.trace = trace
        self.span = span
        self.parent = parent
        self.start = start
        self.end = end
    }
}

/// Builds spans in the JSON of OTLP (opentelemetry-proto 1.x, "JSON Protobuf Encoding"), one after the other, in one buffer
/// that is reused.
///
/// Ids are hexadecimal there, and whole numbers of 64 bits are texts. Foreign bytes are escaped as in log lines: nothing in
/// them can end a text. Each span has a comma before it. A worker owns one; it is not shared.
package struct SpanText: ~Copyable {
    /// What a span tells of: `SpanKind` of OTLP.
    package enum Kind: UInt8, Sendable {
        case within = 1
        case server = 2
        case client = 3
    }

    private var buffer: LineBuffer
    private var hasAttributes = false
    /// Whole spans in the buffer.
    package private(set) var spans = 0

    /// A builder whose buffer holds `capacity` bytes before it first grows.
    package init(capacity: Int) { buffer = LineBuffer(capacity: capacity) }

    /// Bytes of all spans in the buffer.
    package var count: Int { buffer.count }

    /// A copy of the bytes of all spans in the buffer.
    package var bytes: [UInt8] { buffer.bytes }

    /// Begins a span that is called after a method, and after a route where there is one.
    package mutating func begin(_ place: SpanPlace, _ kind: Kind, method: Span<UInt8>, route: Span<UInt8>) {
        begin(place, kind)
        method.withUnsafeBufferPointer { method in
            route.withUnsafeBufferPointer { route in
                let bound = LineCursor.bound(escaping: method.count, limit: 32)
                buffer.write(upTo: bound + LineCursor.bound(escaping: route.count, limit: 128) + 1) { cursor in
                    cursor.put(escaped: method, limit: 32)
                    guard !route.isEmpty else { return }
                    cursor.put(UInt8(ascii: " "))
                    cursor.put(escaped: route, limit: 128)
                }
            }
        }
        beginAttributes()
    }

    /// Begins a span that has a name of ours.
    package mutating func begin(_ place: SpanPlace, _ kind: Kind, name: StaticString) {
        begin(place, kind)
        put(name)
        beginAttributes()
    }

    private mutating func begin(_ place: SpanPlace, _ kind: Kind) {
        hasAttributes = false
        buffer.write(upTo: 320) { cursor in
            cursor.put(",{\"traceId\":\"")
            cursor.put(trace: place.trace)
            cursor.put("\",\"spanId\":\"")
            cursor.put(hexadecimal: place.span, digits: 16)
            if place.parent != 0 {
                cursor.put("\",\"parentSpanId\":\"")
                cursor.put(hexadecimal: place.parent, digits: 16)
            }
            cursor.put("\",\"kind\":")
            cursor.put(decimal: UInt64(kind.rawValue))
            cursor.put(",\"startTimeUnixNano\":\"")
            cursor.put(decimal: place.start)
            cursor.put("\",\"endTimeUnixNano\":\"")
            cursor.put(decimal: max(place.start, place.end))
            cursor.put("\",\"name\":\"")
        }
    }

    private mutating func beginAttributes() { put("\",\"attributes\":[") }

    /// A text of foreign bytes, cut at `limit` of them.
    package mutating func attribute(_ key: StaticString, _ text: Span<UInt8>, limit: Int) {
        text.withUnsafeBufferPointer { text in
            attribute(key, textUpTo: LineCursor.bound(escaping: text.count, limit: limit)) {
                $0.put(escaped: text, limit: limit)
            }
        }
    }

    /// A text of ours that needs no escape.
    package mutating func attribute(_ key: StaticString, _ word: StaticString) {
        attribute(key, textUpTo: word.utf8CodeUnitCount) { $0.put(word) }
    }

    /// A whole number.
    package mutating func attribute(_ key: StaticString, _ number: Int64) {
        attribute(key, upTo: LineCursor.digits + 20) { cursor in
            cursor.put("\"intValue\":\"")
            cursor.put(signed: number)
        }
    }

    /// A whole number as a text, such as a status that is the kind of an error.
    package mutating func attribute(_ key: StaticString, digits number: UInt16) {
        attribute(key, textUpTo: LineCursor.digits) { $0.put(decimal: UInt64(number)) }
    }

    /// An id of sixteen bytes, in hexadecimal digits.
    package mutating func attribute(_ key: StaticString, id: UInt128) {
        attribute(key, textUpTo: 32) { $0.put(trace: id) }
    }

    /// Ends the span: `link` is a span that it came from and does not belong to.
    package mutating func end(isError: Bool, link: (trace: UInt128, span: UInt64)? = nil) {
        buffer.write(upTo: 160) { cursor in
            cursor.put("]")
            if let link {
                cursor.put(",\"links\":[{\"traceId\":\"")
                cursor.put(trace: link.trace)
                cursor.put("\",\"spanId\":\"")
                cursor.put(hexadecimal: link.span, digits: 16)
                cursor.put("\"}]")
            }
            // STATUS_CODE_ERROR; a span that went well has none, for only its receiver knows what that is.
            if isError { cursor.put(",\"status\":{\"code\":2}") }
            cursor.put("}")
        }
        spans += 1
    }

    /// Attributes without a span around them.
    mutating func attributes(_ attributes: [(key: StaticString, value: String)]) {
        hasAttributes = false
        for (key, value) in attributes { attribute(key, value.utf8.span, limit: 256) }
    }

    /// An instrumentation scope.
    mutating func scope(name: StaticString, version: String) {
        put("{\"name\":\"")
        put(name)
        put("\",\"version\":\"")
        version.utf8.span.withUnsafeBufferPointer { text in
            buffer.write(upTo: LineCursor.bound(escaping: text.count, limit: 64)) { $0.put(escaped: text, limit: 64) }
        }
        put("\"}")
    }

    /// Forgets all spans.
    package mutating func clear() {
        buffer.cut(to: 0)
        spans = 0
    }

    @inline(__always)
    private mutating func attribute(
        _ key: StaticString, textUpTo bound: Int, _ value: (inout LineCursor) -> Void
    ) {
        attribute(key, upTo: bound + 20) { cursor in
            cursor.put("\"stringValue\":\"")
            value(&cursor)
        }
    }

    /// Room is made once for all of an attribute: each piece of it is then a copy and no check.
    @inline(__always)
    private mutating func attribute(_ key: StaticString, upTo bound: Int, _ value: (inout LineCursor) -> Void) {
        let isFirst = !hasAttributes
        hasAttributes = true
        buffer.write(upTo: bound + key.utf8CodeUnitCount + 40) { cursor in
            if !isFirst { cursor.put(UInt8(ascii: ",")) }
            cursor.put("{\"key\":\"")
            cursor.put(key)
            cursor.put("\",\"value\":{")
            value(&cursor)
            cursor.put("\"}}")
        }
    }

    @inline(__always)
    private mutating func put(_ text: StaticString) {
        buffer.write(upTo: text.utf8CodeUnitCount) { $0.put(text) }
    }

    /// The storage as it is, for whoever copies spans out of it.
    var storage: [UInt8] { buffer.storage }
}

extension LineCursor {
    @inline(__always)
    fileprivate mutating func put(trace: UInt128) {
        put(hexadecimal: UInt64(truncatingIfNeeded: trace >> 64), digits: 16)
        put(hexadecimal: UInt64(truncatingIfNeeded: trace), digits: 16)
    }
}
