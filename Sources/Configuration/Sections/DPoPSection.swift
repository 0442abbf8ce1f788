import Crypto
import Gateway

/// `token.dpop` of a route: how it takes proofs.
enum DPoPSection {
    static let shape = ObjectShape(
        noun: "the DPoP rules of a route",
        keys: [
            KeyDescription(
                "nonce", .word(["off", "optional", "required"]), .standard("off"),
                "Whether proofs carry a nonce of ours; optional offers one and refuses a wrong one."),
            KeyDescription(
                "algorithms",
                .list(ListShape(noun: "signature algorithms", element: .text(AlgorithmText.ofProofs), count: 1...16)),
                .standard("[ES256, PS256, EdDSA]"), example: "[ES256]",
                "The algorithms that proofs may be signed with, as challenges list them."),
        ])

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
        let algorithms = object.texts("algorithms").compactMap { AlgorithmText.algorithm($0.text) }
        if !algorithms.isEmpty { settings.algorithms = algorithms }
        switch object.text("nonce")?.text {
        case "optional": settings.nonce = .optional
        case "required": settings.nonce = .required
        default: settings.nonce = .off
        }
        return settings
    }
}

/// `dpop`: how proofs are judged on every route, and what is remembered of them.
enum ProofSection {
    static let shape = ObjectShape(
        noun: "the settings of DPoP proofs",
        keys: [
            KeyDescription("past", duration(1000...300_000), .standard("60s"), "The oldest proof accepted."),
            KeyDescription(
                "future", duration(0...60_000), .standard("10s"), "How far ahead of our clock a proof may be."),
            KeyDescription(
                "proof_size", size(1024...65_536), .standard("8KiB"), "One proof; a longer one is answered 401."),
            KeyDescription(
                "jti_size", size(16...1024), .standard("256B"), "The jti of a proof; a longer one is answered 401."),
            KeyDescription(
                "replay_memory", size((1 << 20)...(4 << 30)), .standard("64MiB"),
                "Memory of all workers for the proofs that may not be used again; when full, requests are answered 503."
            ),
            KeyDescription(
                "nonce_keys",
                KeyReferences.shape,
                .optional, example: "[{ file: /run/secrets/nonce.key }]",
                "Keys of nonces, at least 32 bytes each, the same on all replicas: the first makes them, all are accepted."
            ),
            KeyDescription(
                "nonce_lifetime", duration(10_000...600_000), .standard("5m"),
                "How long a nonce is accepted at least; for as long again while a new one is offered."),
        ])

    private static func duration(_ range: ClosedRange<Int>) -> Shape {
        .duration(DurationShape(range: range, step: .seconds))
    }

    private static func size(_ range: ClosedRange<Int>) -> Shape { .byteCount(range, acceptsUnlimited: false) }

    static func translate(
        _ object: CheckedObject?, _ limits: LimitSettings, _ translation: Translation
    ) -> ProofSettings {
        var settings = ProofSettings()
        guard let object else { return settings }
        if let past = object.seconds("past") { settings.pastSeconds = past }
        if let future = object.seconds("future") { settings.futureSeconds = future }
        if case .some(.some(let bytes)) = object.byteCount("proof_size") { settings.maximumBytes = bytes }
        if case .some(.some(let bytes)) = object.byteCount("jti_size") { settings.maximumIDBytes = bytes }
        if case .some(.some(let bytes)) = object.byteCount("replay_memory") { settings.replayBytes = bytes }
        if let lifetime = object.seconds("nonce_lifetime") { settings.nonceLifetimeSeconds = lifetime }
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
