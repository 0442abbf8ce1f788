import ProxyProtocol

/// What a proxy writes in front of a connection's own bytes.
enum ProxyHeaderFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let whole = Verdict(input)
        // The first verdict is the last one, however the bytes came.
        var count = 0
        while count < input.count, Verdict(Array(input[..<count])) == .incomplete { count += 1 }
        hold(
            count == input.count || Verdict(Array(input[..<count])) == whole,
            "what follows a verdict does not change it")
        hold(count <= ProxyHeader.mostBytes, "there is a verdict within the bound")
        let behind = Verdict(input + Array("\r\n\r\n\0\r\nQUIT\n".utf8))
        hold(behind == whole || whole == .incomplete, "what is behind is not looked at")
        let second = SecondHeaderReader.read(input)
        guard case .header(let header) = whole else {
            hold(second == nil, "what is no header is none to a second reader")
            return .refused
        }
        hold(
            second?.client == header.client && second?.length == header.length,
            "a header says to a second reader what it says here")
        hold(header.length <= input.count && header.length <= ProxyHeader.mostBytes, "a header lies in what arrived")
        return .accepted
    }

    private enum Verdict: Equatable {
        case incomplete, refused
        case header(ProxyHeader)

        init(_ bytes: [UInt8]) {
            do throws(ProxyHeaderRefusal) {
                self = try ProxyHeader.read(bytes.span).map { .header($0) } ?? .incomplete
            } catch {
                self = .refused
            }
        }
    }
}

/// A reader that has all bytes before it, and takes lines and values apart before it looks at them.
private enum SecondHeaderReader {
    static func read(_ bytes: [UInt8]) -> ProxyHeaderReading? {
        bytes.starts(with: Array("PROXY ".utf8)) ? line(bytes) : block(bytes)
    }

    private static func line(_ bytes: [UInt8]) -> ProxyHeaderReading? {
        guard let feed = bytes.prefix(107).firstIndex(of: 0x0A), feed > 6, bytes[feed - 1] == 0x0D else { return nil }
        let text = bytes[6..<feed - 1]
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let words = text.split(separator: 0x20, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        if words[0] == "UNKNOWN" { return ProxyHeaderReading(client: .unsaid, length: feed + 1) }
        guard words.count == 5, words[3...].allSatisfy({ UInt16($0).map { "\($0)" } == $0 }) else { return nil }
        switch words[0] {
        case "TCP4":
            guard let source = ipv4(words[1]), ipv4(words[2]) != nil else { return nil }
            return ProxyHeaderReading(client: .ipv4(source), length: feed + 1)
        case "TCP6":
            guard let source = ipv6(words[1]), ipv6(words[2]) != nil else { return nil }
            return ProxyHeaderReading(client: .ipv6(source), length: feed + 1)
        default: return nil
        }
    }

    private static func ipv4(_ text: String) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
            UInt8(part).flatMap { "\($0)" == part ? $0 : nil }
        }
        guard parts.count == 4, !parts.contains(nil) else { return nil }
        return parts.reduce(0) { $0 << 8 | UInt32($1 ?? 0) }
    }

    private static func ipv6(_ text: String) -> UInt128? {
        guard text.utf8.count <= 45, !text.contains(":::") else { return nil }
        // What stands before and behind the gap, of which there is one at most.
        var halves: [String] = []
        var rest = Substring(text)
        while let gap = range(of: "::", in: rest) {
            halves.append(String(rest[..<gap.lowerBound]))
            rest = rest[gap.upperBound...]
        }
        halves.append(String(rest))
        guard halves.count <= 2 else { return nil }
        guard let last = groups(halves[halves.count - 1], mayEndInIPv4: true) else { return nil }
        if halves.count == 1 { return last.count == 8 ? number(last) : nil }
        guard let first = groups(halves[0], mayEndInIPv4: false), first.count + last.count < 8 else { return nil }
        return number(first + [UInt16](repeating: 0, count: 8 - first.count - last.count) + last)
    }

    private static func range(of wanted: String, in text: Substring) -> Range<Substring.Index>? {
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(wanted) { return start..<text.index(start, offsetBy: wanted.count) }
            start = text.index(after: start)
        }
        return nil
    }

    private static func groups(_ text: String, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var found: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(".") {
                guard let four = ipv4(part) else { return nil }
                found += [UInt16(four >> 16), UInt16(four & 0xFFFF)]
                continue
            }
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
                let group = UInt16(part, radix: 16)
            else { return nil }
            found.append(group)
        }
        return found
    }

    private static func number(_ groups: [UInt16]) -> UInt128 { groups.reduce(0) { $0 << 16 | UInt128($1) } }

    private static func block(_ bytes: [UInt8]) -> ProxyHeaderReading? {
        guard bytes.count >= 16, bytes.starts(with: Array("\r\n\r\n\0\r\nQUIT\n".utf8)) else { return nil }
        let end = 16 + Int(bytes[14]) * 256 + Int(bytes[15])
        guard [0x20, 0x21].contains(bytes[12]), end <= min(bytes.count, 4112) else { return nil }
        if bytes[12] == 0x20 { return ProxyHeaderReading(client: .unsaid, length: end) }
        guard let size = [0x00: 0, 0x11: 12, 0x21: 36, 0x31: 216][Int(bytes[13])], 16 + size <= end,
            let values = values(bytes[(16 + size)..<end])
        else { return nil }
        for type in [2, 3, 0x20] as [UInt8] where values.filter({ $0.type == type }).count > 1 { return nil }
        for value in values {
            let content = value.content
            switch value.type {
            case 2:
                guard (1...255).contains(content.count), content.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                    return nil
                }
            case 3: guard content.count == 4, holds(content, Array(bytes[..<end])) else { return nil }
            case 0x20: guard content.count >= 5, self.values(content.dropFirst(5)) != nil else { return nil }
            default: break
            }
        }
        let address = bytes[16..<end]
        let client: ProxyHeader.Client =
            switch bytes[13] {
            case 0x11: .ipv4(address.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
            case 0x21: .ipv6(address.prefix(16).reduce(0) { $0 << 8 | UInt128($1) })
            default: .unsaid
            }
        return ProxyHeaderReading(client: client, length: end)
    }

    private static func values(_ bytes: ArraySlice<UInt8>) -> [(type: UInt8, content: ArraySlice<UInt8>)]? {
        var found: [(type: UInt8, content: ArraySlice<UInt8>)] = []
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 3 else { return nil }
            let head = Array(rest.prefix(3))
            let count = Int(head[1]) * 256 + Int(head[2])
            rest = rest.dropFirst(3)
            guard rest.count >= count else { return nil }
            found.append((head[0], rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return found
    }

    /// CRC-32C by a table.
    private static func holds(_ sum: ArraySlice<UInt8>, _ header: [UInt8]) -> Bool {
        var zeros = header
        for index in sum.indices { zeros[index] = 0 }
        let computed = ~zeros.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
        return computed == sum.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
    }
}

/// What a second reader finds.
private struct ProxyHeaderReading {
    let client: ProxyHeader.Client
    let length: Int
}
