/// `DPoP-Nonce` (RFC 9449 §8.1).
enum NonceField {
    /// The nonce of the one field there is; nil when there are several, or when its value is none.
    ///
    /// The value goes into a proof, and a store keeps it: a server must be able to fill neither with anything else.
    static func nonce(_ fieldValues: [String]) -> String? {
        guard fieldValues.count == 1, let value = fieldValues.first else { return nil }
        guard (1...FetchLimits.nonceBytes).contains(value.utf8.count), value.utf8.allSatisfy(isAllowed) else {
            return nil
        }
        return value
    }

    /// NQCHAR of RFC 6749 appendix A: printable ASCII without space, quotation mark and backslash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
    }
}
