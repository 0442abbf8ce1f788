// SPDX-License-Identifier: Apache-2.0

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
    /// Where the line being built begins.
    private var start = 0
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
        start = buffer.count
        buffer.put(UInt8(ascii: "{"))
    }

    /// Begins a line whose first member is `time`, in RFC 3339, UTC, with milliseconds.
    package mutating func begin(at timestamp: Timestamp) {
        begin()
        timestamps.move(to: timestamp)
        let upToSeconds = timestamps.upToSeconds
        buffer.put("\"time\":\"")
        buffer.put(upToSeconds.span)
        buffer.put(decimal: UInt64(timestamp.milliseconds), digits: 3)
        buffer.put("Z\"")
    }

    /// A string of foreign bytes: escaped (OPS-02), and cut at `limit` bytes with a mark that says so.
    package mutating func member(_ name: StaticString, _ value: Span<UInt8>, limit: Int) {
        putName(name)
        putString(value, limit: limit)
    }

    /// A string of ours: a constant that needs no escape.
    package mutating func member(_ name: StaticString, _ value: StaticString) {
        putName(name)
        buffer.put(UInt8(ascii: "\""))
        buffer.put(value)
        buffer.put(UInt8(ascii: "\""))
    }

    /// A string, escaped and cut like foreign bytes; for cold lines.
    package mutating func member(_ name: StaticString, text: String, limit: Int) {
        putName(name)
        putString(text.utf8.span, limit: limit)
    }

    /// A whole number.
    package mutating func member(_ name: StaticString, _ value: Int64) {
        putName(name)
        putNumber(value)
    }

    /// A duration, as milliseconds with three decimals: 1,234 microseconds are `1.234`.
    package mutating func member(_ name: StaticString, milliseconds microseconds: Int64) {
        putName(name)
        putMilliseconds(microseconds)
    }

    /// True or false.
    package mutating func member(_ name: StaticString, flag: Bool) {
        putName(name)
        buffer.put(flag ? "true" : "false")
    }

    /// The first `digits` hexadecimal digits of a number, as a string: the reference of a token is 8 of its SHA-256.
    package mutating func member(_ name: StaticString, hexadecimal value: UInt64, digits: Int = 16) {
        putName(name)
        let digits = min(max(digits, 1), 16)
        buffer.put(UInt8(ascii: "\""))
        buffer.put(hexadecimal: value >> UInt64((16 - digits) * 4), digits: digits)
        buffer.put(UInt8(ascii: "\""))
    }

    /// A request target: the path, then the query with its credentials taken out (OPS-01); `limit` bytes of both.
    package mutating func member(_ name: StaticString, path: Span<UInt8>, query: Span<UInt8>, limit: Int) {
        putName(name)
        if query.isEmpty {
            putString(path, limit: limit)
            return
        }
        // Taken out for the time of use: a span of a member would keep all of `self` from being written to.
        var text: [UInt8] = []
        swap(&text, &scratch)
        text.removeAll(keepingCapacity: true)
        path.withUnsafeBufferPointer { text.append(contentsOf: $0) }
        text.append(UInt8(ascii: "?"))
        QueryRedaction.append(query, limit: limit, to: &text)
        putString(text.span, limit: limit)
        swap(&text, &scratch)
    }

    /// A member of the operator log.
    mutating func member(_ field: LogField, limit: Int) {
        putSeparator()
        buffer.put(UInt8(ascii: "\""))
        buffer.put(field.name.rawValue.utf8.span)
        buffer.put("\":")
        switch field.value {
        case .text(let text): putString(text.utf8.span, limit: limit)
        case .bytes(let bytes): putString(bytes.span, limit: limit)
        case .number(let number): putNumber(number)
        case .microseconds(let microseconds): putMilliseconds(microseconds)
        case .flag(let flag): buffer.put(flag ? "true" : "false")
        }
    }

    /// Ends the line.
    package mutating func end() {
        buffer.put("}\n")
        lines += 1
    }

    /// Forgets the line that was begun.
    package mutating func abandon() {
        buffer.cut(to: start)
    }

    /// Gives the filled storage away for another one, whose content is forgotten.
    mutating func exchange(_ storage: inout [UInt8]) {
        buffer.exchange(&storage)
        start = 0
        lines = 0
    }

    /// Forgets all lines.
    package mutating func clear() {
        buffer.cut(to: 0)
        start = 0
        lines = 0
    }

    private mutating func putSeparator() {
        if buffer.last != UInt8(ascii: "{") { buffer.put(UInt8(ascii: ",")) }
    }

    private mutating func putName(_ name: StaticString) {
        putSeparator()
        buffer.put(UInt8(ascii: "\""))
        buffer.put(name)
        buffer.put("\":")
    }

    private mutating func putString(_ value: Span<UInt8>, limit: Int) {
        buffer.put(UInt8(ascii: "\""))
        buffer.put(escaped: value, limit: limit)
        buffer.put(UInt8(ascii: "\""))
    }

    private mutating func putNumber(_ value: Int64) {
        if value < 0 { buffer.put(UInt8(ascii: "-")) }
        buffer.put(decimal: value.magnitude)
    }

    private mutating func putMilliseconds(_ microseconds: Int64) {
        if microseconds < 0 { buffer.put(UInt8(ascii: "-")) }
        buffer.put(decimal: microseconds.magnitude / 1000)
        buffer.put(UInt8(ascii: "."))
        buffer.put(decimal: microseconds.magnitude % 1000, digits: 3)
    }

    /// The storage as it is, for whoever copies lines out of it.
    var storage: [UInt8] { buffer.storage }
}
