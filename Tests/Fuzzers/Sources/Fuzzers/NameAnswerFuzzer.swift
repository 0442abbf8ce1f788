@testable import Transport

/// What a name server answers, of which one number is read.
enum NameAnswerFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let whole = lifetime(input)
        hold(whole == secondLifetime(input[...]), "a second reader finds the same lifetime")
        hold(whole ?? 0 <= UInt32(Int32.max), "a lifetime is one")
        // A message is as long as its answers: what is behind them says nothing, and without all of them there is none.
        hold(whole == nil || lifetime(input + [0xFF, 0, 0xC0]) == whole, "what is behind is not looked at")
        for count in 0..<min(input.count, 512) {
            let part = lifetime(Array(input[..<count]))
            hold(part == nil || part == whole, "part of an answer says nothing else")
        }
        return whole == nil ? .refused : .accepted
    }

    private static func lifetime(_ bytes: [UInt8]) -> UInt32? {
        bytes.withUnsafeBufferPointer { NameAnswer.leastLifetime(in: $0) }
    }

    /// Takes the message apart from its front, a record at a time, and looks at all of them afterwards.
    private static func secondLifetime(_ message: ArraySlice<UInt8>) -> UInt32? {
        var rest = message.dropFirst(12)
        guard message.count >= 12 else { return nil }
        let counts = number(message.dropFirst(4).prefix(4))
        for _ in 0..<counts >> 16 {
            guard let behind = behindName(rest), behind.count >= 4 else { return nil }
            rest = behind.dropFirst(4)
        }
        var records: [(kind: Int, lifetime: Int)] = []
        for _ in 0..<counts & 0xFFFF {
            guard let behind = behindName(rest), behind.count >= 10 else { return nil }
            let length = number(behind.dropFirst(8).prefix(2))
            guard behind.count >= 10 + length else { return nil }
            records.append((number(behind.prefix(4)), number(behind.dropFirst(4).prefix(4))))
            rest = behind.dropFirst(10 + length)
        }
        // A, CNAME, AAAA and DNAME, of the Internet.
        let kinds = [0x1_0001, 0x5_0001, 0x1C_0001, 0x27_0001]
        let lifetimes = records.filter { kinds.contains($0.kind) }.map { $0.lifetime >= 1 << 31 ? 0 : $0.lifetime }
        return lifetimes.min().map { UInt32($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func behindName(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0: return bytes.dropFirst()
        case 0xC0...: return bytes.count >= 2 ? bytes.dropFirst(2) : nil
        case 1..<0x40:
            var rest = bytes
            // Not by calling itself: a message has room for thousands of labels.
            while let length = rest.first, (1..<0x40).contains(length) {
                guard rest.count > Int(length) else { return nil }
                rest = rest.dropFirst(1 + Int(length))
            }
            guard let next = rest.first, next == 0 || next >= 0xC0 else { return nil }
            return behindName(rest)
        default: return nil
        }
    }
}
