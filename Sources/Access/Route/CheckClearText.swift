import Bytes
package import HTTPMessage

extension HeadView {
    /// Refuses a request in the clear that cannot go on at the same address over https with nothing lost.
    ///
    /// GET and HEAD can. What else there is has been read on the way already, and would be sent once more as if nothing
    /// had happened: a refusal is what its sender notices. So is a token that was sent. `expected` says what is served.
    package func checkRedirect(expected: Refused.Words) throws(Refused) {
        guard methodID == .get || methodID == .head, targetForm == .origin || targetForm == .absolute else {
            throw Refused(
                .plainHTTP, expected: expected, found: "another method than GET and HEAD over plain HTTP")
        }
        guard count(of: .authorization) == 0 else {
            throw Refused(.plainHTTP, expected: expected, found: "credentials over plain HTTP")
        }
    }

    /// Whether it is for the path that ACME servers ask at over plain HTTP, and for a token below it (RFC 8555 §8.3).
    ///
    /// Only in letters that have one reading: what is found here is what the route is found by afterwards.
    package var isACMEChallenge: Bool {
        let path = self.path
        let prefix = HeadView.acmeChallenges.utf8.span
        guard path.count > prefix.count, path.extracting(first: prefix.count).isEqual(to: prefix) else { return false }
        for index in prefix.count..<path.count where !HeadView.isBase64URL(path[index]) { return false }
        return true
    }

    /// What these paths begin with.
    package static var acmeChallenges: String { "/.well-known/acme-challenge/" }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || ASCII.isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
