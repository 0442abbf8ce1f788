/// Builds JSON log lines, one after the other, in one buffer that is reused.
///
/// Once the buffer has grown to what lines need, nothing is allocated: names are constants, values are copied in, and
/// `LogSink.submit` trades the filled buffer for an emptied one. A worker owns one; it is not shared.
///
///     line.begin(at: now)
///     line.member("route", route.name.span, limit: 128)
///     line.member("status", 401)
///     line.end()
package struct LogLine: ~Copyable {
    private var buffer: LineBuffer
    private var hasMembers = false
    private var scratch: [UInt8] = []
    private var timestamps = TimestampText()
    /// Whole lines in the buffer.
    package private(set) var lines = 0

    /// A builder whose buffer holds `capacity` bytes before it first grows.
    package init(capacity: Int = 32 * 1024) {
        buffer = LineBuffer(capacity: capacity)
    }

    /// Bytes of all lines in the buffer, a begun one included.
    package var count: Int { buffer.count }

    /// A copy of the bytes of all lines in the buffer.
    package var bytes: [UInt8] { buffer.bytes }

    /// Begins a line.
    package mutating func begin() {
        hasMembers = false
        buffer.write(upTo: 1) { $0.put(UInt8(ascii: "{")) }
    }

    /// Begins a line whose first member is `time`, in RFC 3339, UTC, with milliseconds.
    package mutating func begin(at timestamp: Timestamp) {
        begin()
        timestamps.move(to: timestamp)
        let upToSeconds = timestamps.upToSeconds
        buffer.write(upTo: 64) { cursor in
            cursor.put("\"time\":\"")
            upToSeconds.withUnsafeBufferPointer { cursor.put($0) }
            cursor.put(decimal: UInt64(timestamp.milliseconds), digits: 3)
            cursor.put("Z\"")
        }
        hasMembers = true
    }

    /// A string of foreign bytes: escaped (OPS-02), and cut at `limit` bytes with a mark that says so.
    package mutating func member(_ name: StaticString, _ value: Span<UInt8>, limit: Int) {
        value.withUnsafeBufferPointer { value in
            write(name, upTo: LineCursor.bound(escaping: value.count, limit: limit) + 2) {
                $0.put(quoted: value, limit: limit)
            }
        }
    }

    /// A string of ours: a constant that needs no escape.
    package mutating func member(_ name: StaticString, _ value: StaticString) {
        write(name, upTo: value.utf8CodeUnitCount + 2) { cursor in
            cursor.put(UInt8(ascii: "\""))
            cursor.put(value)
            cursor.put(UInt8(ascii: "\""))
        }
    }

    /// A string, escaped and cut like foreign bytes; for cold lines.
    package mutating func member(_ name: StaticString, text: String, limit: Int) {
        member(name, text.utf8.span, limit: limit)
    }

    /// A whole number.
    package mutating func member(_ name: StaticString, _ value: Int64) {
        write(name, upTo: LineCursor.digits + 1) { $0.put(signed: value) }
    }

    /// A duration, as milliseconds with three decimals: 1,234 microseconds are `1.234`.
    package mutating func member(_ name: StaticString, milliseconds microseconds: Int64) {
        write(name, upTo: LineCursor.digits + 5) { $0.put(milliseconds: microseconds) }
    }

    /// The first `digits` hexadecimal digits of a number, as a string: the reference of a token is 8 of its SHA-256.
    package mutating func member(_ name: StaticString, hexadecimal value: UInt64, digits: Int = 16) {
        let digits = min(max(digits, 1), 16)
        write(name, upTo: 18) { cursor in
            cursor.put(UInt8(ascii: "\""))
            cursor.put(hexadecimal: value >> UInt64((16 - digits) * 4), digits: digits)
            cursor.put(UInt8(ascii: "\""))
        }
    }

    /// A request target: the path, then the query with its credentials taken out (OPS-01); `limit` bytes of both.
    package mutating func member(_ name: StaticString, path: Span<UInt8>, query: Span<UInt8>, limit: Int) {
        if query.isEmpty {
            member(name, path, limit: limit)
            return
        }
        // Taken out for the time of use: a span of a member would keep all of `self` from being written to.
        var text: [UInt8] = []
        swap(&text, &scratch)
        text.removeAll(keepingCapacity: true)
        path.withUnsafeBufferPointer { text.append(contentsOf: $0) }
        text.append(UInt8(ascii: "?"))
        QueryRedaction.append(query, of: path, limit: limit, to: &text)
        member(name, text.span, limit: limit)
        swap(&text, &scratch)
    }

    /// A member of the operator log.
    mutating func member(_ field: LogField, limit: Int) {
        member(named: field.name.rawValue, field.value, limit: limit)
    }

    /// A member whose name is a word of a catalogue; for cold lines.
    mutating func member(named name: String, _ value: LogField.Value, limit: Int) {
        let name = Array(name.utf8)
        let text: [UInt8]
        switch value {
        case .text(let words): text = Array(words.utf8)
        case .number: text = []
        }
        let bound = name.count + 4 + LineCursor.bound(escaping: text.count, limit: limit) + 2
        let isFirst = !hasMembers
        hasMembers = true
        buffer.write(upTo: bound) { cursor in
            if !isFirst { cursor.put(UInt8(ascii: ",")) }
            name.withUnsafeBufferPointer { cursor.put(quoted: $0, limit: name.count) }
            cursor.put(UInt8(ascii: ":"))
            switch value {
            case .text: text.withUnsafeBufferPointer { cursor.put(quoted: $0, limit: limit) }
            case .number(let number): cursor.put(signed: number)
            }
        }
    }

    /// Ends the line.
    package mutating func end() {
        buffer.write(upTo: 2) { $0.put("}\n") }
        lines += 1
    }

    /// Gives the filled storage away for another one, whose content is forgotten.
    mutating func exchange(_ storage: inout [UInt8]) {
        buffer.exchange(&storage)
        lines = 0
    }

    /// Forgets all lines.
    package mutating func clear() {
        buffer.cut(to: 0)
        lines = 0
    }

    /// A member's comma, name and colon, then up to `bound` bytes of value.
    @inline(__always)
    private mutating func write(_ name: StaticString, upTo bound: Int, _ value: (inout LineCursor) -> Void) {
        let isFirst = !hasMembers
        hasMembers = true
        buffer.write(upTo: bound + name.utf8CodeUnitCount + 4) { cursor in
            if !isFirst { cursor.put(UInt8(ascii: ",")) }
            cursor.put(UInt8(ascii: "\""))
            cursor.put(name)
            cursor.put(UInt8(ascii: "\""))
            cursor.put(UInt8(ascii: ":"))
            value(&cursor)
        }
    }

    /// The storage as it is, for whoever copies lines out of it.
    var storage: [UInt8] { buffer.storage }
}

extension LineCursor {
    fileprivate mutating func put(quoted text: UnsafeBufferPointer<UInt8>, limit: Int) {
        put(UInt8(ascii: "\""))
        put(escaped: text, limit: limit)
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    fileprivate mutating func put(milliseconds microseconds: Int64) {
        if microseconds < 0 { put(UInt8(ascii: "-")) }
        put(decimal: microseconds.magnitude / 1000)
        put(UInt8(ascii: "."))
        put(decimal: microseconds.magnitude % 1000, digits: 3)
    }
}
