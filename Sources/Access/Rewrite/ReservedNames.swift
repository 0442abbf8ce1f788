import Bytes
package import HTTPMessage

/// Field names that only the gateway may set towards an upstream, in every spelling (HTTP-12, HTTP-42).
///
/// A name is compared in lower case with everything but letters and digits read as `-`. CGI, WSGI and PHP read `_` and
/// some `.` alike, so that a client's `X_User` becomes the upstream's `X-User` (CVE-2025-64484); lighttpd makes one
/// variable of `X+User` too. Immutable, searched without allocating.
package struct ReservedNames: ~Copyable, Sendable {
    private let names: TextList
    private let families: TextList
    private let slots: [Int32]
    private let mask: Int
    /// How long the reserved names that begin with each byte of `a`…`z` are, a bit for each length: a look at this spares
    /// nearly every other name its hash.
    private let lengths: [UInt64]
    /// What may stand behind `x-` in a family's names, one bit each of `a`…`z`.
    private let familyLetters: UInt32

    /// Names reserved whatever the configuration says; `-method` is how `_method` reads here (HTTP-19).
    ///
    /// `Content_Length` and `Transfer_Encoding` frame the message for servers that read `_` as `-`, such as uWSGI: a
    /// second request would hide in what we take for no body. `Proxy` becomes `HTTP_PROXY` behind CGI (CVE-2016-5385).
    package static let fixed = [
        "content-length", "transfer-encoding", "proxy",
        "forwarded", "client-cert", "client-cert-chain", "remote-user", "x-real-ip", "x-remote-user", "x-rewrite-url",
        "x-http-method-override", "x-http-method", "x-method-override", "-method", "x-forwarded-client-cert",
        "x-request-id", "x-forwarded", "true-client-ip", "ssl-client-cert", "ssl-client-verify", "ssl-client-s-dn",
    ]

    /// Families: every name that begins so is reserved.
    package static let familyPrefixes = [
        "x-forwarded-", "x-original-", "x-ssl-", "x-client-cert", "x-authenticated-", "x-portcullis-",
    ]

    /// The fixed ones and these, and what gRPC would read as bytes of the same name.
    package init(_ identityNames: [String]) {
        let ours = identityNames.map(ReservedNames.normalized)
        let all = Array(Set(ReservedNames.fixed + ours + ours.map { $0 + "-bin" })).sorted()
        var size = 64
        while size < all.count * 4 { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        var lengths = [UInt64](repeating: 0, count: 26)
        for (index, name) in all.enumerated() {
            var slot = Int(truncatingIfNeeded: ReservedNames.hash(Array(name.utf8))) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(index)
            if let first = name.utf8.first, first >= 97, first <= 122 {
                lengths[Int(first - 97)] |= ReservedNames.bit(ofLength: name.utf8.count)
            }
        }
        names = TextList(all)
        families = TextList(ReservedNames.familyPrefixes)
        familyLetters = ReservedNames.familyPrefixes.reduce(0) { $0 | 1 << UInt32(Array($1.utf8)[2] - 97) }
        mask = size - 1
        self.slots = slots
        self.lengths = lengths
    }

    /// One bit for each length; all of 63 and more share the last.
    private static func bit(ofLength length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

    /// Lower case, with `-` for all that is neither letter nor digit.
    package static func normalized(_ name: String) -> String {
        String(decoding: name.utf8.map(normalized), as: UTF8.self)
    }

    private static func normalized(_ byte: UInt8) -> UInt8 {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) ? ASCII.lowercase(byte) : UInt8(ascii: "-")
    }

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    /// Whether a client must not say this name to an upstream.
    package func contains(_ name: Span<UInt8>) -> Bool {
        guard !name.isEmpty else { return false }
        let letter = ReservedNames.normalized(name[0])
        // Names that begin otherwise, such as `2FA` or `_user`, are rare enough to be looked up.
        if letter < 97 || letter > 122 { return isListed(name) }
        if lengths[Int(letter - 97)] & ReservedNames.bit(ofLength: name.count) != 0, isListed(name) { return true }
        return letter == UInt8(ascii: "x") && belongsToFamily(name)
    }

    private func isListed(_ name: Span<UInt8>) -> Bool {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in name.indices {
            hash = (hash ^ UInt64(ReservedNames.normalized(name[index]))) &* 0x0000_0100_0000_01b3
        }
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] >= 0 {
            if ReservedNames.equal(name, names[Int(slots[slot])]) { return true }
            slot = (slot + 1) & mask
        }
        return false
    }

    private func belongsToFamily(_ name: Span<UInt8>) -> Bool {
        guard name.count > 2, ReservedNames.normalized(name[1]) == UInt8(ascii: "-") else { return false }
        let letter = ReservedNames.normalized(name[2])
        guard letter >= 97, letter <= 122, familyLetters >> UInt32(letter - 97) & 1 == 1 else { return false }
        for index in 0..<families.count where name.count >= families[index].count {
            if ReservedNames.equal(name.extracting(first: families[index].count), families[index]) { return true }
        }
        return false
    }

    static func equal(_ name: Span<UInt8>, _ normal: Span<UInt8>) -> Bool {
        guard name.count == normal.count else { return false }
        for index in 0..<name.count where normalized(name[index]) != normal[index] { return false }
        return true
    }
}

extension HeadView {
    /// Refuses a head whose Connection names a field that only the gateway may touch (HTTP-44).
    package func checkConnectionOptions(_ reserved: borrowing ReservedNames) throws(Refused) {
        for index in 0..<connectionNameCount where reserved.contains(connectionName(index)) {
            throw Refused(
                .reservedConnectionOption, expected: "no reserved field in Connection",
                found: .text(String(copying: connectionName(index).extracting(first: 64))))
        }
    }
}
