import Bytes

/// An address of mail that its issuer says is the user's, as rules compare it: ASCII in lower case, with one `@`.
///
/// Readers differ in which of two `@` counts, in what other scripts look like and what a quoted name means: such an address is
/// none here, whoever verified it.
struct VerifiedEmail {
    private let bytes: [UInt8]
    private let domain: ArraySlice<UInt8>

    /// Nil for what is no such address.
    init?(_ text: [UInt8]) {
        guard text.count <= 320, let at = text.firstIndex(of: UInt8(ascii: "@")), at > 0,
            text[..<at].allSatisfy(Self.isOfName)
        else { return nil }
        bytes = text.map(ASCII.lowercase)
        domain = bytes[(at + 1)...]
        guard domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(Self.isLabel)
        else { return nil }
    }

    /// What stands before the `@` without quotation marks (RFC 5322 §3.2.3).
    private static func isOfName(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "!#$%&'*+-/=?^_`{|}~.".utf8.contains(byte)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        !label.isEmpty && label.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether it is in one of these domains, or below one where those count too, or one of these addresses.
    func isAmong(_ domains: [String], subdomains: Bool, addresses: [String]) -> Bool {
        domains.contains { one in
            domain.elementsEqual(one.utf8)
                || subdomains && domain.count > one.utf8.count + 1
                    && domain.suffix(one.utf8.count + 1).elementsEqual(".\(one)".utf8)
        } || addresses.contains { bytes.elementsEqual($0.utf8) }
    }
}
