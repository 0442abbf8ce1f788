import JOSE

/// Names of signature algorithms as the configuration writes them (RFC 7518 §3.1, RFC 8037 §3.1).
enum AlgorithmText {
    static let names = SignatureAlgorithm.allCases.map(\.name)

    static let shape = TextShape(
        expected: "one of \(names.joined(separator: ", "))", pattern: "^(\(names.joined(separator: "|")))$"
    ) { text in
        if names.contains(text) { return nil }
        if text.lowercased() == "none" {
            return TextFault(remedy: "unsigned tokens are never accepted")
        }
        if ["HS256", "HS384", "HS512"].contains(text.uppercased()) {
            return TextFault(
                remedy: "a shared secret would let whoever checks tokens also make them; let the issuer use ES256")
        }
        return TextFault(remedy: Suggestion.remedy(for: text, among: names, called: "algorithms"))
    }

    /// Those of DPoP proofs, which clients sign with keys of their own (RFC 9449 §4.2).
    static let ofProofs = TextShape(expected: shape.expected, pattern: shape.pattern) { text in
        if names.contains(text) { return nil }
        if text.lowercased() == "none" || text.uppercased().hasPrefix("HS") {
            return TextFault(remedy: "a proof is signed with the client's private key; choose ES256")
        }
        return TextFault(remedy: Suggestion.remedy(for: text, among: names, called: "algorithms"))
    }

    /// Those of client assertions: codes of a shared secret, or signatures (OpenID Connect Core §9).
    static let ofAssertions = TextShape(
        expected: "one of \(ofClients.joined(separator: ", "))", pattern: "^(\(ofClients.joined(separator: "|")))$"
    ) { text in
        if ofClients.contains(text) { return nil }
        if text.lowercased() == "none" { return TextFault(remedy: "an unsigned assertion proves nothing") }
        return TextFault(remedy: Suggestion.remedy(for: text, among: ofClients, called: "algorithms"))
    }

    /// Those of request objects: signatures alone (RFC 9101 §10.1).
    static let ofRequestObjects = TextShape(expected: shape.expected, pattern: shape.pattern) { text in
        if names.contains(text) { return nil }
        if text.lowercased() == "none" {
            return TextFault(remedy: "whoever sees an unsigned request can change it; choose ES256 or PS256")
        }
        if text.uppercased().hasPrefix("HS") {
            return TextFault(remedy: "it is signed with a private key; choose ES256 or PS256")
        }
        return TextFault(remedy: Suggestion.remedy(for: text, among: names, called: "algorithms"))
    }

    /// Those of ID tokens: signatures, or codes of the client's secret (OpenID Connect Core §3.1.3.7).
    static let ofIDTokens = TextShape(expected: ofAssertions.expected, pattern: ofAssertions.pattern) { text in
        if ofClients.contains(text) { return nil }
        if text.lowercased() == "none" { return TextFault(remedy: "anybody could write an unsigned ID token") }
        return TextFault(remedy: Suggestion.remedy(for: text, among: ofClients, called: "algorithms"))
    }

    private static let ofClients = MACAlgorithm.allCases.map(\.name) + names

    @Sendable static func algorithm(_ text: String) -> SignatureAlgorithm? { SignatureAlgorithm(name: text) }
}
