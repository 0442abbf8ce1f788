extension RequirementTable {
    /// Rows of signed and encrypted tokens, whoever made them.
    static let tokens: [Requirement] = [
        Requirement(
            id: "JOSE-01", source: "RFC 7519 §7.2; RFC 7515 §7.1; RFC 8725bis (draft)",
            promise: """
                The gateway takes a token in compact form alone: three parts if it is signed, five if it is \
                encrypted.
                """),
        Requirement(
            id: "JOSE-02", source: "RFC 7515 §2, §5.2; RFC 7519 §7.2",
            promise: "The gateway takes base64url alone, without padding, white space or unused bits that are set."),
        Requirement(
            id: "JOSE-03", source: "RFC 7519 §7.2; RFC 8725 §3.7",
            promise: """
                The gateway takes header and claims only as one JSON object in UTF-8 each, with nothing behind \
                it.
                """),
        Requirement(
            id: "JOSE-04", source: "RFC 7515 §4; RFC 7519 §4",
            promise: "The gateway refuses a token that names one member of its header or its claims twice."),
        Requirement(
            id: "JOSE-05", source: "RFC 8725 §3.1-3.2; RFC 9068 §4",
            promise: """
                The gateway takes only algorithms that are listed for the issuer and the purpose, case for \
                case. It never takes none.
                """),
        Requirement(
            id: "JOSE-06", source: "RFC 8725 §3.1; RFC 7517 §4.2-4.4",
            promise: """
                The gateway uses a key only with the algorithms of its type and curve, and only as the key's \
                own members permit.
                """),
        Requirement(
            id: "JOSE-07", source: "RFC 7518 §3.3, §3.5; FAPI 2.0 Security Profile §5.4.1",
            promise: """
                The gateway ignores an RSA key that is smaller than 2048 bits, unreasonably large, or has an \
                unsafe exponent.
                """),
        Requirement(
            id: "JOSE-08", source: "RFC 7518 §3.4; RFC 8725 §3.4",
            promise: """
                The gateway takes an ECDSA signature of the fixed length alone, with both numbers in range, \
                and a key that is on its curve.
                """),
        Requirement(
            id: "JOSE-09", source: "RFC 8037 §3.1; RFC 9864",
            promise: """
                The gateway takes EdDSA with Ed25519 alone, spelt EdDSA or Ed25519, and refuses a signature \
                that is not canonical.
                """),
        Requirement(
            id: "JOSE-10", source: "RFC 7518 §3.5",
            promise: "The gateway takes an RSA-PSS signature only if its salt is as long as its hash."),
        Requirement(
            id: "JOSE-11", source: "RFC 7518 §3.2; OpenID Connect Core §3.1.3.7",
            promise: """
                The gateway verifies an HMAC only with the client's own secret, and only if that is as long as \
                the hash. It never uses a published key.
                """),
        Requirement(
            id: "JOSE-12", source: "RFC 7515 §4.1.11",
            promise: "The gateway refuses every token with crit, since it knows no critical extension."),
        Requirement(
            id: "JOSE-13", source: "RFC 8725 §3.10; FAPI 2.0 Security Profile §5.4.2",
            promise: """
                The gateway takes no key from a token's header, and fetches nothing that a header names. A \
                DPoP proof's jwk is the one exception.
                """),
        Requirement(
            id: "JOSE-14", source: "RFC 8725 §3.10",
            promise: """
                The gateway takes kid for an opaque name of bounded length. It is never a path, an address or \
                a query.
                """),
        Requirement(
            id: "JOSE-15", source: "RFC 7515 §6, appendix D; OpenID Connect Core §10.1",
            promise: """
                The gateway tries the suitable keys for a token without kid, a few at most, and refuses it if \
                there are more.
                """),
        Requirement(
            id: "JOSE-16", source: "FAPI 2.0 Security Profile §5.4.3",
            promise: "The gateway tells keys with the same kid apart by type, algorithm, use and curve."),
        Requirement(
            id: "JOSE-17", source: "OpenID Connect Core §10.1.1, appendix A.2",
            promise: """
                The gateway fetches the keys once for an unknown kid of a client, and not again for a while. Without any \
                usable keys it answers 503.
                """),
        Requirement(
            id: "JOSE-18", source: "RFC 7517 §5",
            promise: """
                The gateway ignores a key that it cannot use and keeps the others. It keeps its old set if the \
                new document is no key set.
                """),
        Requirement(
            id: "JOSE-19", source: "RFC 7515 §4.1.9, §5.3",
            promise: "The gateway compares typ as a media type: without regard to case, with application/ or without."),
        Requirement(
            id: "JOSE-20", source: "RFC 8725 §3.11-3.12, §2.8",
            promise: """
                The gateway verifies each kind of token by rules of its own, so that a token for one purpose \
                is invalid for every other.
                """),
        Requirement(
            id: "JOSE-21", source: "RFC 8725 §3.8",
            promise: """
                The gateway finds an issuer by iss among the configured ones alone. A key of one issuer never \
                verifies a token of another.
                """),
        Requirement(
            id: "JOSE-22", source: "RFC 8725 §3.2; RFC 8725bis (draft)",
            promise: """
                The gateway decrypts only where a key is configured for it, and only listed algorithms. It \
                takes neither RSA1_5 nor PBES2.
                """),
        Requirement(
            id: "JOSE-23", source: "RFC 8725 §3.6; RFC 8725bis (draft)",
            promise: "The gateway refuses a token with zip, and obeys no number of iterations in a token."),
        Requirement(
            id: "JOSE-24", source: "RFC 8725 §3.3, §3.11; RFC 7519 §7.2",
            promise: """
                The gateway takes an encrypted token only if a signed one is inside, which it verifies. It \
                decrypts one layer.
                """),
        Requirement(
            id: "JOSE-25", source: "RFC 8725 §3.4",
            promise: """
                The gateway checks that the ephemeral key of a token is on its curve, and refuses a shared \
                secret of zeros.
                """),
        Requirement(
            id: "JOSE-26", source: "policy of this gateway",
            promise: "The gateway holds a token to its size limits before it decodes anything."),
        Requirement(
            id: "JOSE-27", source: "RFC 7519 §2, §4.1.4",
            promise: "The gateway takes a time in a token only as a finite, positive JSON number."),
        Requirement(
            id: "JOSE-28", source: "RFC 7519 §4.1.4-6; RFC 9068 §4",
            promise: """
                The gateway refuses a token that is expired, not valid yet or issued in the future, with the \
                configured leeway.
                """),
        Requirement(
            id: "JOSE-29", source: "RFC 7519 §4.1.1, §4.1.3, §7.3; RFC 8414 §4",
            promise: "The gateway compares iss byte for byte, and takes aud as a string or a list of strings alone."),
        Requirement(
            id: "JOSE-30", source: "policy of this gateway",
            promise: "The gateway compares secrets, digests and random values in constant time."),
        Requirement(
            id: "JOSE-31", source: "RFC 7638 §3",
            promise: """
                The gateway makes a key's thumbprint of the required members alone, in their order, with \
                SHA-256.
                """),
        Requirement(
            id: "JOSE-32", source: "RFC 7518 §6.2.1.2, §6.3.1.1",
            promise: """
                The gateway refuses a key whose numbers are not written in their one canonical form, since it \
                would have two thumbprints.
                """),
        Requirement(
            id: "JOSE-33", source: "RFC 8725 §3.3",
            promise: """
                The gateway uses of an unverified token only what finds the key: algorithm, key identifier, \
                type and issuer.
                """),
        Requirement(
            id: "JOSE-34", source: "policy of this gateway",
            promise: """
                The gateway remembers a verified token under a digest of all of it, never past its expiry, and \
                not across changed keys.
                """),
        Requirement(
            id: "JOSE-35", source: "RFC 8725 §3.1, §3.2; RFC 9101 §10.8",
            promise: """
                The gateway signs with one algorithm and for one purpose with each key, and says key and type \
                in the header.
                """),
    ]
}
