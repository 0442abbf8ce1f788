/// Version 1: `PROXY TCP4 192.0.2.1 198.51.100.1 4711 443` and CR LF.
enum HeaderLine {
    private static let beginning = "PROXY "
    /// With CR LF: the longest that a sender may write.
    private static let mostBytes = 107

    static func read(_ bytes: Span<UInt8>) throws(ProxyHeaderRefusal) -> ProxyHeader? {
        guard bytes.agrees(with: beginning) else { throw .noHeader }
        let start = beginning.utf8.count
        var end = start
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] < 0x7F {
            end += 1
            guard end <= mostBytes - 2 else { throw .lineTooLong }
        }
        guard end < bytes.count else { return nil }
        guard bytes[end] == 0x0D else { throw .lineBroken }
        guard end + 1 < bytes.count else { return nil }
        guard bytes[end + 1] == 0x0A else { throw .lineBroken }
        return ProxyHeader(client: try client(bytes.extracting(start..<end)), length: end + 2)
    }

    /// What the words between `PROXY` and the line's end say.
    private static func client(_ text: Span<UInt8>) throws(ProxyHeaderRefusal) -> ProxyHeader.Client {
        let family = 0..<wordEnd(in: text, from: 0)
        // What else such a line says is to be ignored.
        if text.extracting(family).equals("UNKNOWN") { return .unsaid }
        let isIPv6 = text.extracting(family).equals("TCP6")
        guard isIPv6 || text.extracting(family).equals("TCP4") else { throw .familyUnknown }
        let source = try word(in: text, behind: family.upperBound)
        let destination = try word(in: text, behind: source.upperBound)
        let sourcePort = try word(in: text, behind: destination.upperBound)
        let destinationPort = try word(in: text, behind: sourcePort.upperBound)
        guard destinationPort.upperBound == text.count else { throw .wordsMissing }
        guard isPort(text.extracting(sourcePort)), isPort(text.extracting(destinationPort)) else {
            throw .portMalformed
        }
        if isIPv6 {
            guard let address = AddressText.ipv6(text.extracting(source)),
                AddressText.ipv6(text.extracting(destination)) != nil
            else { throw .addressMalformed }
            return .ipv6(address)
        }
        guard let address = AddressText.ipv4(text.extracting(source)),
            AddressText.ipv4(text.extracting(destination)) != nil
        else { throw .addressMalformed }
        return .ipv4(address)
    }

    /// The word behind one space.
    private static func word(in text: Span<UInt8>, behind position: Int) throws(ProxyHeaderRefusal) -> Range<Int> {
        guard position < text.count else { throw .wordsMissing }
        let end = wordEnd(in: text, from: position + 1)
        guard end > position + 1 else { throw .wordsMissing }
        return position + 1..<end
    }

    private static func wordEnd(in text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, text[end] != 0x20 { end += 1 }
        return end
    }

    private static func isPort(_ text: Span<UInt8>) -> Bool {
        guard text.count <= 5, text.count == 1 || text[0] != UInt8(ascii: "0") else { return false }
        var value = 0
        for index in text.indices {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return false }
            value = value * 10 + Int(digit)
        }
        return value <= 65_535
    }
}
