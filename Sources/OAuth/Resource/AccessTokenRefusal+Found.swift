import JOSE

extension AccessTokenRefusal {
    /// What the operator's log says was there instead; never a claim about the user, never the token.
    ///
    /// Before the signature holds, words of the token are quoted as unverified (JOSE-33).
    public func found(in token: UncheckedAccessToken?) -> String {
        switch self {
        case .tooLarge: token.map { "\($0.byteCount) bytes" } ?? "more"
        case .malformed(let cause): cause.found
        case .encrypted: "five segments"
        case .issuerMismatch: "iss \(Unverified.quote(token?.issuer))"
        case .typeNotAccepted: "typ \(Unverified.quote(token?.type))"
        case .algorithmNotAllowed: "alg \(Unverified.quote(token?.algorithmName))"
        case .unknownKey, .tooManyKeys, .signatureInvalid:
            "alg \(Unverified.quote(token?.algorithmName)) kid \(Unverified.quote(token?.keyID))"
        case .expired(let seconds): "expired \(seconds) s ago"
        case .notYetValid(let seconds): "valid in \(seconds) s"
        case .issuedInFuture(let seconds): "issued \(seconds) s ahead"
        case .missingClaim: "absent"
        case .claimMalformed: "something else"
        case .looksLikeIDToken: "claims of an ID token"
        case .otherPurpose(let claim): "claim \(claim)"
        case .boundToKey: "cnf, and no proof"
        }
    }
}

/// Text of a stranger on its way into a log line.
package enum Unverified {
    private static let limit = 64

    /// The text in quotation marks, cut after 64 characters, with nothing in it that could end or forge a line.
    package static func quote(_ text: String?) -> String {
        guard let text else { return "(absent)" }
        var quoted = ""
        for byte in text.utf8 {
            guard quoted.utf8.count < limit else { return "\"\(quoted)...\"" }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "%"), 0x00..<0x20, 0x7F...0xFF:
                let digits = String(byte, radix: 16, uppercase: true)
                quoted += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            default:
                quoted.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return "\"\(quoted)\""
    }
}
