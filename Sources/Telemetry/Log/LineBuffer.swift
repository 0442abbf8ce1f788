// SPDX-License-Identifier: Apache-2.0

/// Bytes with room behind them: what is put in goes to the end, and nothing is allocated until the room is used up.
///
/// The storage is always filled to its capacity, so that a put is a bounds check and a copy; `count` says how much of
/// it is meant.
struct LineBuffer: ~Copyable {
    private(set) var storage: [UInt8]
    private(set) var count = 0

    init(capacity: Int) {
        storage = [UInt8](repeating: 0, count: max(capacity, 64))
    }

    var last: UInt8? { count > 0 ? storage[count - 1] : nil }

    var bytes: [UInt8] { Array(storage[..<count]) }

    /// Forgets everything behind the first `count` bytes.
    mutating func cut(to count: Int) {
        self.count = min(max(count, 0), self.count)
    }

    /// Takes another storage and gives this one away, without copying either.
    mutating func exchange(_ other: inout [UInt8]) {
        swap(&storage, &other)
        count = 0
        if storage.isEmpty { storage = [UInt8](repeating: 0, count: 64) }
    }

    @inline(__always)
    private mutating func makeRoom(for more: Int) {
        if storage.count &- count < more { grow(for: more) }
    }

    @inline(never)
    private mutating func grow(for more: Int) {
        let size = max(storage.count * 2, count + more)
        storage.append(contentsOf: repeatElement(0, count: size - storage.count))
    }

    mutating func put(_ byte: UInt8) {
        makeRoom(for: 1)
        storage[count] = byte
        count &+= 1
    }

    mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { put($0) }
    }

    mutating func put(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { put($0) }
    }

    private mutating func put(_ source: UnsafeBufferPointer<UInt8>) {
        guard let start = source.baseAddress, source.count > 0 else { return }
        makeRoom(for: source.count)
        let offset = count
        storage.withUnsafeMutableBytes { target in
            target.baseAddress?.advanced(by: offset).copyMemory(from: start, byteCount: source.count)
        }
        count &+= source.count
    }

    /// Decimal digits, with zeros in front up to `digits`.
    mutating func put(decimal value: UInt64, digits: Int = 1) {
        makeRoom(for: 20)
        var width = max(digits, 1)
        var bound: UInt64 = 10
        for _ in 1..<width { bound &*= 10 }
        while width < 20, value >= bound {
            width &+= 1
            let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
            if overflow { break }
            bound = next
        }
        var rest = value
        var position = count &+ width
        while position > count {
            position &-= 1
            storage[position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= width
    }

    /// `digits` lower-case hexadecimal digits of a number, zeros in front.
    mutating func put(hexadecimal value: UInt64, digits: Int) {
        var shift = digits * 4
        while shift > 0 {
            shift -= 4
            let nibble = UInt8(truncatingIfNeeded: (value >> UInt64(shift)) & 0xF)
            put(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
        }
    }
}
