import Crypto
import JOSE
import OAuth

/// `id_token` of a client: what an ID token must be (OpenID Connect Core §3.1.3.7).
enum IDTokenSection {
    /// One algorithm or several.
    static let algorithms = Shape.either([
        .text(AlgorithmText.ofIDTokens),
        .list(ListShape(noun: "signature algorithms", element: .text(AlgorithmText.ofIDTokens), count: 1...10)),
    ])

    private static let table = SettingTable(
        "the rules of ID tokens", defaults: IDTokenRules(issuer: "", clientID: ""),
        [
            .key(
                "algorithm", algorithms, .standard("RS256"), example: "ES256",
                "What it is signed with, as registered at the server: one or a list; HS256 is with the client's secret."
            ),
            .key(
                "encrypted", .boolean, .standard("false"),
                "Takes encrypted ones alone; decryption_keys are needed."),
            .texts(
                "trusted_audiences", \.trustedAudiences,
                .list(ListShape(noun: "audiences", element: .text(PlainText.audience), count: 1...16)),
                example: "[https://api.example.com]", "Values that may be in aud beside this client's id."),
            .seconds("leeway", number: \.leewaySeconds, 0...300, "Clock difference tolerated on exp, nbf and iat."),
        ])
    static let shape = table.shape

    static func translate(
        _ client: CheckedObject, _ credentials: ClientCredentials, _ issuer: String, _ problems: ProblemList
    ) -> IDTokenRules? {
        let object = client.object("id_token")
        var rules = IDTokenRules(issuer: issuer, clientID: credentials.clientID)
        if FAPIProfile.isAsked(of: client) { rules.signature = .algorithms(FAPIProfile.algorithms) }
        guard let object else { return rules }
        Repetition.refuse(object.texts("trusted_audiences"), problems)
        table.read(object, into: &rules)
        guard
            let made = made(
                object, of: client, credentials, standard: rules.signature, noun: "encrypted ID tokens", problems)
        else { return nil }
        rules.signature = made.signature
        rules.mustBeEncrypted = made.mustBeEncrypted
        return rules
    }

    /// How what the server makes for this client is signed, and whether it is encrypted, by `algorithm` and `encrypted` of a
    /// mapping; nil after a problem has been noted.
    static func made(
        _ object: CheckedObject, of client: CheckedObject, _ credentials: ClientCredentials,
        standard: IDTokenRules.Signature, noun: String, _ problems: ProblemList
    ) -> LoginDemands.Made? {
        var made = LoginDemands.Made(signature: standard)
        Repetition.refuse(object.texts("algorithm"), problems)
        made.mustBeEncrypted = object.flag("encrypted") ?? false
        if made.mustBeEncrypted, !client.says("decryption_keys") {
            problems.error(
                at: object.place(of: "encrypted"), expected: "decryption_keys for \(noun)", found: "none",
                remedy: "add  decryption_keys: [{ key: { file: /run/secrets/decryption.key } }]  to the client")
        }
        guard object["algorithm"] != nil else { return object.says("algorithm") ? nil : made }
        guard let signature = signature(object.texts("algorithm"), credentials.method, problems) else { return nil }
        made.signature = signature
        return made
    }

    static func signature(
        _ names: [PlacedText], _ method: ClientCredentials.Method, _ problems: ProblemList
    ) -> IDTokenRules.Signature? {
        let shared = names.compactMap { name in
            MACAlgorithm.allCases.first { $0.name == name.text }.map { (algorithm: $0, place: name.place) }
        }
        guard let code = shared.first else {
            return .algorithms(names.compactMap { AlgorithmText.algorithm($0.text) })
        }
        // A verifier that takes both kinds can be made to take a public key for the secret (RFC 8725 §2.1).
        guard names.count == 1 else {
            problems.error(
                at: code.place, expected: "\(code.algorithm.name) alone, or algorithms of keys alone",
                found: "others beside it", remedy: "write the one that the client is registered with")
            return nil
        }
        guard let secret = method.secret else {
            problems.error(
                at: code.place, expected: "a client secret for \(code.algorithm.name)", found: method.name,
                remedy:
                    "write the algorithm that the server signs with, RS256 or ES256; HS256 needs a client_secret method"
            )
            return nil
        }
        let least = code.algorithm.leastSecretBytes
        guard secret.count >= least else {
            problems.error(
                at: code.place, expected: "a client secret of at least \(least) bytes for \(code.algorithm.name)",
                found: "\(secret.count) bytes",
                remedy:
                    "a shorter one could be guessed from an ID token (RFC 7518 section 3.2): let the server sign by a key"
            )
            return nil
        }
        return .secret(code.algorithm, secret)
    }
}

extension ClientCredentials.Method {
    /// The secret that the server has too.
    var secret: Secret? {
        switch self {
        case .secretBasic(let secret), .secretPost(let secret), .secretJWT(_, let secret): secret
        case .privateKeyJWT, .tls, .selfSignedTLS, .publicClient: nil
        }
    }
}

extension MACAlgorithm {
    /// RFC 7518 §3.2: at least as long as the hash.
    var leastSecretBytes: Int {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        }
    }
}
