import Bytes
import HTTPMessage

/// The two names that a request may call its server by, `:authority` and `host` (H2-27).
enum AuthorityCheck {
    /// Whether both are one authority: without case, and without the port that the scheme has anyway.
    ///
    /// Whoever sends two that differ has one of them looked at by us and the other by somebody else.
    static func areEqual(_ one: Span<UInt8>, _ other: Span<UInt8>, isTLS: Bool) -> Bool {
        ASCII.equalsIgnoringCase(withoutDefaultPort(one, isTLS: isTLS), withoutDefaultPort(other, isTLS: isTLS))
    }

    @_lifetime(copy authority)
    private static func withoutDefaultPort(_ authority: Span<UInt8>, isTLS: Bool) -> Span<UInt8> {
        let count = isTLS ? 4 : 3
        guard authority.count > count else { return authority }
        let end = authority.extracting(last: count)
        let isDefault = isTLS ? ASCII.equalsIgnoringCase(end, ":443") : ASCII.equalsIgnoringCase(end, ":80")
        return isDefault ? authority.extracting(first: authority.count &- count) : authority
    }
}
