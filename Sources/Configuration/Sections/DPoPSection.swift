import Access
import Crypto
import Gateway
import JOSE

/// `token.dpop` of a route: how it takes proofs.
enum DPoPSection {
    private static let table = SettingTable(
        "the DPoP rules of a route", defaults: DPoPSettings(),
        [
            .word(
                "nonce", \.nonce, [("off", .off), ("optional", .optional), ("required", .required)],
                "Whether proofs carry a nonce of ours; optional offers one and refuses a wrong one."),
            .list(
                "algorithms", \.algorithms,
                .list(ListShape(noun: "signature algorithms", element: .text(AlgorithmText.ofProofs), count: 1...16)),
                example: "[ES256]", "The algorithms that proofs may be signed with, as challenges list them.",
                written: \.name, read: AlgorithmText.algorithm),
        ])
    static let shape = table.shape

    static func translate(_ token: CheckedObject, _ problems: ProblemList) -> DPoPSettings {
        var settings = DPoPSettings()
        guard let object = token.object("dpop") else { return settings }
        // While schemes does not fit, it may be meant to hold DPoP.
        let fits = !token.says("schemes") || token["schemes"] != nil
        if fits, !token.texts("schemes").contains(where: { $0.text == "DPoP" }) {
            problems.error(
                at: token.place(of: "dpop"), expected: "DPoP among the schemes", found: "Bearer alone",
                remedy: "write  schemes: [DPoP]  or  schemes: [DPoP, Bearer] , or leave dpop out")
        }
        Repetition.refuse(object.texts("algorithms"), problems)
        table.read(object, into: &settings)
        return settings
    }
}

/// `dpop`: how proofs are judged on every route, and what is remembered of them.
enum ProofSection {
    private static let table = SettingTable(
        "the settings of DPoP proofs", defaults: ProofSettings(),
        [
            .seconds("past", \.past, 1...300, written: "60s", "The oldest proof accepted."),
            .seconds("future", \.future, 0...60, "How far ahead of our clock a proof may be."),
            .bytes("proof_size", \.maximumBytes, 1024...65_536, "One proof; a longer one is answered 401."),
            .bytes("jti_size", \.maximumIDBytes, 16...1024, "The jti of a proof; a longer one is answered 401."),
            .bytes(
                "replay_memory", \.replayBytes, (1 << 20)...(4 << 30),
                "Memory of all workers for the proofs that may not be used again; when full, requests are answered 503."
            ),
            .key(
                "nonce_keys", KeyReferences.shape, .optional, example: "[{ file: /run/secrets/nonce.key }]",
                "Keys of nonces, at least 32 bytes each, the same on all replicas: the first makes them, all are accepted."
            ),
            .seconds(
                "nonce_lifetime", \.nonceLifetime, 10...600,
                "How long a nonce is accepted at least; for as long again while a new one is offered."),
        ])
    static let shape = table.shape

    static func translate(
        _ object: CheckedObject?, _ limits: LimitSettings, _ translation: Translation
    ) -> ProofSettings {
        var settings = ProofSettings()
        guard let object else { return settings }
        table.read(object, into: &settings)
        settings.nonceKeys = KeyReferences.translate(object, "nonce_keys", noun: "nonce key", translation)
        if object["proof_size"] != nil, settings.maximumBytes > limits.fieldLine {
            let sizes = "\(ByteCountText.text(settings.maximumBytes)) and \(ByteCountText.text(limits.fieldLine))"
            translation.problems.error(
                at: object.place(of: "proof_size"), expected: "a proof_size of at most limits.field_line",
                found: sizes, remedy: "raise field_line or lower proof_size")
        }
        return settings
    }
}
