import Bytes
package import HTTPMessage

extension HeadView {
    /// Host, or the authority of the absolute-form, which must be one of the listener's (HTTP-21).
    ///
    /// HTTP/1.0 may do without Host; there is but one resource it can mean.
    package func checkAuthority(_ listed: borrowing TextList) throws(Refused) {
        guard authority.isEmpty || listed.containsIgnoringCase(authority) else {
            throw Refused(
                .authorityUnknown, expected: "an authority of this listener",
                found: .text(String(copying: authority.extracting(first: 128))))
        }
    }

    /// The authority without its port.
    package var host: Span<UInt8> {
        @_lifetime(copy self) get {
            let authority = self.authority
            var end = authority.count
            while end > 0, ASCII.isDigit(authority[end - 1]) { end -= 1 }
            guard end > 0, authority[end - 1] == UInt8(ascii: ":") else { return authority }
            return authority.extracting(first: end - 1)
        }
    }
}
