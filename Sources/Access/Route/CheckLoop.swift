import Bytes
package import HTTPMessage

extension HeadView {
    /// Refuses a request that went through this gateway before: it would go round for ever (HTTP-51).
    ///
    /// `pseudonym` is the name that the gateway gives itself in Via.
    package func checkLoop(_ pseudonym: Span<UInt8>) throws(Refused) {
        guard count(of: .via) > 0 else { return }
        for index in 0..<fieldCount where id(at: index) == .via {
            let list = value(at: index)
            var position = 0
            while let range = CommaList.next(in: list, from: &position) {
                let member = list.extracting(range.range)
                guard HeadView.isReceived(by: pseudonym, member) else { continue }
                throw Refused(
                    .loopDetected, expected: "a request that was not here before",
                    found: "Via: \(String(copying: member.extracting(first: 128)))")
            }
        }
    }

    /// Whether a member of a Via field is a gateway of this name: `[name "/"] version RWS received-by [RWS comment]`.
    static func isReceived(by pseudonym: Span<UInt8>, _ member: Span<UInt8>) -> Bool {
        var start = 0
        while start < member.count, !isBlank(member[start]) { start += 1 }
        while start < member.count, isBlank(member[start]) { start += 1 }
        var end = start
        while end < member.count, !isBlank(member[end]) { end += 1 }
        return ASCII.equalsIgnoringCase(member.extracting(start..<end), pseudonym)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
