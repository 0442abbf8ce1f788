import Foundation
import TestTraits
import Testing

/// Row JOSE-30: how what a stranger could guess bit by bit is compared, wherever the gateway compares it.
///
/// The time that a comparison takes cannot be measured beside other tests. So the places are held to a list: secrets have no
/// equality of their own, bytes are compared by `ConstantTime.equal`, digests by the `==` of `SHA256Digest`, and a comparison
/// of anything named like these at another place, or in another way, fails.
@Suite struct `comparisons of secrets` {
    /// What is compared, where, and by what.
    private static let places: [(what: String, file: String, code: String)] = [
        ("a MAC", "Crypto/MAC", "return ConstantTime.equal(code, expected.span)"),
        (
            "the tag of a JWE", "Crypto/ContentCipher",
            "guard ConstantTime.equal(expected.span, tag) else { return nil }"
        ),
        (
            "nonce", "OAuth/OpenID/IDTokenClaims",
            "guard ConstantTime.equal(found.span, expected.span) else { throw .nonceMismatch }"
        ),
        (
            "at_hash and c_hash", "OAuth/OpenID/IDTokenClaims",
            "guard ConstantTime.equal(found.span, expected.span) else { throw .hashMismatch(claim: name) }"
        ),
        ("nonce after a refresh", "OAuth/OpenID/IDToken", "guard ConstantTime.equal(found.span, known.span) else {"),
        ("sid of a frame", "OAuth/OpenID/FrontchannelLogout", "&& ConstantTime.equal(found.span, known.span)"),
        (
            "ath", "OAuth/DPoP/UncheckedDPoPProof",
            "guard SHA256Digest(base64URL: claims.tokenHash.span) == tokenDigest else {"
        ),
        ("cnf.jkt", "OAuth/DPoP/UncheckedDPoPProof", "guard key.thumbprint == thumbprint else {"),
        (
            "cnf.x5t#S256", "Access/Authenticate/CheckCertificate",
            "guard digest == record.certificateThumbprint else {"
        ),
        (
            "state of a logout", "Sessions/Transactions/PostLogoutState",
            "return expected == digest(state, client: client)"
        ),
        ("a token that came a moment ago", "Access/Memory/RecentCredentials", "return difference == 0"),
        ("a session's secret", "Sessions/Stores/MemorySessionStore", "entry.secret == key.secret"),
    ]

    /// Where digests are compared, all of them `SHA256Digest`: those of the list, and caches that are searched by one.
    private static let filesWithDigests: Set = [
        "OAuth/DPoP/UncheckedDPoPProof", "Access/Authenticate/FindToken",
        "Access/Authenticate/CheckCertificate",
        "Access/Memory/RecentCredentials", "Access/Memory/RefusedTokens",
        "Access/Memory/TokenCache", "Access/Memory/VouchedTokens",
        "Sessions/Stores/MemorySessionStore", "Sessions/Stores/Successors",
        "SharedState/Sessions/KnownSessions", "SharedState/Sessions/MovingSessionStore",
        "SharedState/Sessions/SharedSessionStore", "SharedState/Sessions/SessionQuestion", "Gateway/Audit/KeyPrints",
        "Gateway/Authenticate/WaitForAnswers",
    ]

    /// A comparison that may end at the first difference, of something that is named as secrets and their digests are.
    ///
    /// Not one with nil or with a case of an enum, and not of what such a thing has.
    private static var comparison: Regex<Substring> {
        #/
        \b(?:nonce|nonceDigest|tokenHash|digest|\w*[tT]humbprint|secret|sid|seed|verifier|mac|csrf)
            (?:\)(?=\s*[!=]=\s*\w+\s))?\s*(?:==|!=)(?!\s*(?:nil\b|\.|=))
        | (?:==|!=)\s*(?:\w+[.?!]+)*
            (?:nonce|nonceDigest|tokenHash|digest|\w*[tT]humbprint|secret|sid|seed|verifier|mac|csrf)\b(?![.(\w?])(?!\s*==\s*nil)
        | \b(?:nonce|nonceDigest|tokenHash|digest|\w*[tT]humbprint|secret|sid|seed|verifier|mac|csrf)
            (?:\.\w+(?:\(\))?)*\.(?:elementsEqual|starts)\(
        /#.wordBoundaryKind(.simple)
    }

    /// Whether a line compares anything: the expression above takes its time, and most lines do not.
    private static func isSome(_ line: Substring) -> Bool {
        var last: UInt8 = 0
        for byte in line.utf8 {
            if byte == UInt8(ascii: "="), last == byte || last == UInt8(ascii: "!") { return true }
            last = byte
        }
        return line.contains("elementsEqual(") || line.contains("starts(")
    }

    private func path(_ name: String) -> String { "Sources/\(name).swift" }

    @Test(.holds("JOSE-30"), arguments: places.indices) func `take as long for a near miss as for a far one`(index: Int)
        throws
    {
        let place = Self.places[index]
        let file = try #require(SourceTree.file(path(place.file)), "\(place.file)")
        #expect(file.code.contains(place.code), "\(place.what) is compared in another way in \(file)")
    }

    @Test(.refuses("JOSE-30")) func `are nowhere else, and by nothing that ends at the first difference`() {
        let known = Set(Self.filesWithDigests.map(path))
        var seen: Set<String> = []
        for file in SourceTree.sources {
            for line in file.code.split(separator: "\n") where Self.isSome(line) && line.contains(Self.comparison) {
                seen.insert(file.path)
                #expect(known.contains(file.path), "\(file): \(line)")
            }
        }
        #expect(known.subtracting(seen).sorted() == [], "no comparison there any more")
    }

    @Test(
        .holds("JOSE-30"), .refuses("JOSE-30"),
        arguments: [
            ("guard nonce == expected else {", true), ("guard expected != claims.nonce else {", true),
            ("return found.secret == other.secret", true), ("if session.sid.utf8.elementsEqual(sid.utf8) {", true),
            ("guard Original.nonceDigest(nonce) != known else {", true), ("if nonce == nil {", false),
            ("case .off where policy.nonce == .off:", false),
            ("if values.update(target, forKey: digest) == nil {", false),
            ("guard (issuer == nil) == (sid == nil) else {", false),
            ("guard subject != nil || sid != nil else {", false),
            ("guard keys.count == digest.count else {", false),
        ])
    func `are told from others by their names`(line: String, isOne: Bool) {
        #expect(line.contains(Self.comparison) == isOne, "\(line)")
    }

    @Test(.holds("JOSE-30")) func `of digests look at every bit`() throws {
        let file = try #require(SourceTree.file(path("Crypto/SHA256")))
        let equality = try #require(file.code.range(of: "public static func == ("))
        let body = file.code[equality.lowerBound...].prefix { $0 != "}" }
        #expect(body.contains { $0 == "^" } && body.contains { $0 == "|" } && !body.contains("&&"), "\(body)")
        for word in ["elementsEqual", " for ", "guard", "if "] { #expect(!body.contains(word), "\(body)") }
        let comparison = try #require(SourceTree.file(path("Crypto/OpenSSL/ConstantTime")))
        #expect(comparison.code.contains("CRYPTO_memcmp("))
    }
}

/// What is left of secrets in memory that was freed: tests cannot look there, so the places are held to a list.
@Suite struct `secrets that nobody holds any more` {
    @Test(arguments: [
        ("Crypto/OpenSSL/SecretBytes", "deinit {\n        Self.overwrite(&bytes)\n    }"),
        ("Crypto/OpenSSL/SecretBytes", "unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)"),
        ("Crypto/Secret", "private let storage: SecretBytes\n"),
        ("Crypto/Keys/PrivateKey+Scalar", "defer { SecretBytes.overwrite(&number) }"),
        ("Transport/TLS/TicketKeys", "for index in state.keys.indices { state.keys[index].overwrite() }"),
    ]) func `are overwritten`(file: String, code: String) throws {
        let source = try #require(SourceTree.file("Sources/\(file).swift"))
        #expect(source.code.contains(code), "\(source)")
    }
}
