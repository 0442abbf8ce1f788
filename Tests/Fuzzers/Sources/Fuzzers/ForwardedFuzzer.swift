import HTTPMessage

/// The Forwarded field that a trusted proxy sends (RFC 7239 §4), to which ours is added.
enum ForwardedFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let count = count(of: input)
        hold(count == Self.count(of: input), "the same field says the same")
        hold(count == SecondForwardedReader.count(of: input), "what is taken is strictly a Forwarded field")
        guard let count else { return .refused }
        hold((1...ForwardedField.maximumElements).contains(count), "a field has an element, and not many")
        hold(input.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }, "a field stays on its line")
        // What we add must be ours to whoever reads it: nothing before it may swallow it.
        let ours = Array("for=192.0.2.1;proto=https".utf8)
        let more = count < ForwardedField.maximumElements ? count + 1 : nil
        hold(Self.count(of: input + Array(", ".utf8) + ours) == more, "an element that is added is one more")
        hold(Self.count(of: ours + Array(",".utf8) + input) == more, "an element before others is one more")
        let twice = 2 * count <= ForwardedField.maximumElements ? 2 * count : nil
        hold(Self.count(of: input + Array(",".utf8) + input) == twice, "two lines are the elements of both")
        hold(Self.count(of: input + Array(",".utf8)) == nil, "nothing is no element")
        hold(Self.count(of: input + Array("\"".utf8)) == nil, "quotation marks stand in pairs")
        return .accepted
    }

    /// The elements; nil when the field is refused.
    private static func count(of field: [UInt8]) -> Int? {
        try? ForwardedField.elementCount(of: field.span)
    }
}

/// A second reader, which cuts the field at commas and semicolons outside of quotation marks and looks at the pieces.
private enum SecondForwardedReader {
    static func count(of field: [UInt8]) -> Int? {
        let elements = pieces(of: field[...], at: 0x2c)
        return elements.count <= 32 && elements.allSatisfy { isElement(trimmed($0)) } ? elements.count : nil
    }

    private static func isElement(_ element: ArraySlice<UInt8>) -> Bool {
        var names: [String] = []
        for pair in pieces(of: element, at: 0x3b) {
            guard let equals = pair.firstIndex(of: 0x3d) else { return false }
            let name = StrictHead.lowercase(StrictRequest.latin1(Array(pair[..<equals])))
            guard StrictHead.isToken(name), !names.contains(name), isValue(pair[(equals + 1)...], of: name) else {
                return false
            }
            names.append(name)
        }
        return names.count <= 8
    }

    private static func isValue(_ value: ArraySlice<UInt8>, of name: String) -> Bool {
        let text = StrictRequest.latin1(Array(value))
        if StrictHead.isToken(text) { return isGood(text, for: name) }
        guard value.count >= 2, value.first == 0x22, value.last == 0x22 else { return false }
        var inside = value.dropFirst().dropLast()
        let isEscaped = inside.contains(0x5c)
        let quoted = StrictRequest.latin1(Array(inside))
        while let byte = inside.popFirst() {
            guard byte >= 0x20 && byte != 0x7f || byte == 0x09, byte != 0x22 else { return false }
            guard byte == 0x5c else { continue }
            guard let next = inside.popFirst(), next >= 0x20 && next != 0x7f || next == 0x09 else { return false }
        }
        return isEscaped ? !["for", "by", "host", "proto"].contains(name) : isGood(quoted, for: name)
    }

    private static func isGood(_ text: String, for name: String) -> Bool {
        switch name {
        case "for", "by": isNode(text)
        case "host": StrictAuthority.isValid(text)
        case "proto":
            text.utf8.first.map { Unicode.Scalar($0).properties.isAlphabetic && $0 < 0x80 } ?? false
                && text.utf8.allSatisfy { isAlphanumeric($0) || [0x2b, 0x2d, 0x2e].contains($0) }
        default: true
        }
    }

    /// RFC 7239 §6: a node's name and perhaps its port.
    private static func isNode(_ text: String) -> Bool {
        var name = text
        var port: String?
        if text.hasPrefix("[") {
            let parts = StrictHead.split(text, at: "]", most: 1)
            guard parts.count == 2, parts[1].isEmpty || parts[1].hasPrefix(":") else { return false }
            guard StrictAuthority.isIPv6(String(parts[0].dropFirst())) else { return false }
            port = parts[1].isEmpty ? nil : String(parts[1].dropFirst())
        } else {
            let parts = StrictHead.split(text, at: ":", most: 1)
            name = parts[0]
            port = parts.count == 2 ? parts[1] : nil
            guard StrictAuthority.isIPv4(name) || StrictHead.lowercase(name) == "unknown" || isObfuscated(name) else {
                return false
            }
        }
        guard let port else { return true }
        let isNumber = (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber || isObfuscated(port)
    }

    private static func isObfuscated(_ text: String) -> Bool {
        text.utf8.count > 1 && text.utf8.first == 0x5f
            && text.utf8.allSatisfy { isAlphanumeric($0) || [0x2d, 0x2e, 0x5f].contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        byte < 0x80 && (Unicode.Scalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte))
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let front = text.drop(while: isBlank)
        return front.prefix((front.lastIndex { !isBlank($0) }).map { $0 + 1 - front.startIndex } ?? 0)
    }

    /// What stands between separators, but for those inside quotation marks.
    private static func pieces(of text: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var isQuoted = false
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case 0x22: isQuoted.toggle()
            case 0x5c where isQuoted: index += 1
            case separator where !isQuoted:
                pieces.append(text[start..<index])
                start = index + 1
            default: break
            }
            index += 1
        }
        return pieces + [text[min(start, text.endIndex)...]]
    }
}
