import Access
import Crypto
import SharedState

/// `store`: where several gateways keep what they have in common.
enum StoreSection {
    private static let table = SettingTable(
        "the settings of the shared store", defaults: StoreSettings(), servers + contents + conduct)
    static let shape = table.shape

    private static let servers: [Setting<StoreSettings>] = [
        .key(
            "url", StoreAddressText.oneOrSeveral, .required, example: "rediss://store.internal:6379",
            "Where the store is: redis, rediss (TLS) or unix; several are the first servers asked of a cluster."),
        .word(
            "topology", \.topology,
            [("standalone", .standalone), ("sentinel", .sentinel), ("cluster", .cluster)], example: "sentinel",
            "Whether the store is one server, one that Sentinels name, or a cluster."),
        .key(
            "sentinel", .object(StoreSentinelSection.shape), .optional,
            example: "{ name: portcullis, url: [\"rediss://sentinel.internal:26379\"] }",
            "The Sentinels that know the primary, where topology is sentinel."),
        .text(
            "user", orNone: \.user, StoreText.user, example: "portcullis",
            "The gateway's user there (ACL); without it, the store's default user."),
        .key(
            "password", .object(SecretReference.shape(noun: "a reference to the store's password")), .optional,
            example: "{ file: /run/secrets/store.password }", "The user's password."),
        .key(
            "tls", .object(StoreTLSSection.shape), .optional,
            example: "{ certificate_authority: /etc/portcullis/internal-ca.pem }",
            "How the servers' certificates are verified; they always are."),
        .flag(
            "insecure_allow_plain", \.insecureAllowPlain,
            "Allows a store without TLS on another machine: whoever is between sees the password, and writes."),
    ]

    private static let contents: [Setting<StoreSettings>] = [
        .key(
            "keys", KeyReferences.shape, .optional, example: "[{ file: /run/secrets/store.key }]",
            "Keys of what is in the store, 32 bytes each, the same on all replicas: the first seals, all open."),
        .text(
            "prefix", \.prefix, StoreText.prefix,
            "What every name in the store begins with: gateways with another prefix or other keys do not see each other."
        ),
        .words(
            "shares", \.shares,
            [("sessions", .sessions), ("proofs", .proofs), ("logins", .logins), ("limits", .limits)],
            noun: "kinds of state", example: "[proofs]",
            "What replicas have in common: sessions, used proofs, what logins use once, and rates of requests."),
        .count(
            "format", \.format, 1...Int(StoreFormat.newest.rawValue), example: "1",
            "The format that is written; both are read. An older one is for while a release runs that reads no newer."),
    ]

    private static let conduct: [Setting<StoreSettings>] = [
        .word(
            "durability", \.durability, [("primary", .primary), ("replica", .replica)], example: "replica",
            "Whether a write counts when the primary has it, or when a replica of the primary has it too."),
        .word(
            "after_failover", \.afterFailover, [("accept", .accept), ("refuse", .refuse)], example: "refuse",
            "Whether proofs from before a failover, or a restart of the store, may pass at the new primary."),
        .key(
            "when_down", .object(whenDown.shape), .optional, example: "{ proofs: local }",
            "What goes on while the store cannot be asked."),
        .milliseconds(
            "recheck", \.recheck, 0...600_000,
            "How often a session that a replica knows is asked about: an ending holds everywhere by then."),
        .key(
            "timeouts", .object(timeouts.shape), .optional, example: "{ command: 250ms }",
            "How long the store may take."),
        .key(
            "limits", .object(limits.shape), .optional, example: "{ in_flight: 4096 }",
            "Bounds of one connection to the store."),
        .word(
            "readiness", \.readiness, [("lenient", .lenient), ("strict", .strict)], example: "strict",
            "Whether /readyz is 503 while the store is down (strict), at all replicas at once."),
    ]

    private static let whenDown = SettingTable(
        "what goes on without the store", defaults: StoreSettings(),
        [
            .word(
                "proofs", \.proofsWhenDown, [("refuse", .refuse), ("local", .local)], example: "local",
                "Whether proofs are refused (503), or judged by each replica alone: each then accepts a proof once.")
        ])

    private static let timeouts = SettingTable(
        "the times of the store", defaults: StoreSettings.Timeouts(),
        [
            .milliseconds("connect", \.connect, 10...10_000, "Until a connection stands, TLS included."),
            .milliseconds("command", \.command, 10...5000, "From the writing of one command to its answer."),
        ])

    private static let limits = SettingTable(
        "the bounds of a connection to the store", defaults: StoreSettings.Limits(),
        [
            .count("in_flight", \.inFlight, 16...65_536, "Commands that wait for an answer; beyond, requests get 503."),
            .bytes("bytes", \.bytes, (64 << 10)...(64 << 20), "Bytes of commands that wait to be sent."),
            .word(
                "connections", \.connections, [("per_worker", .perWorker), ("per_process", .perProcess)],
                example: "per_process", "Whether each worker has a connection to each server, or all share one."),
        ])

    /// The settings, if the servers are known; problems are in the translation's list either way.
    static func translate(_ object: CheckedObject?, _ translation: Translation) -> StoreSettings? {
        guard let object else { return nil }
        Repetition.refuse(object.texts("shares"), translation.problems)
        let addresses = StoreAddresses(object, translation.problems)
        let password = password(object, translation)
        let sentinel = StoreSentinelSection.translate(object.object("sentinel"), translation)
        let tls = StoreTLSSection.translate(object.object("tls"), translation)
        let keys = SessionKeyText.keys(object, of: .store, translation)
        var settings = StoreSettings(addresses: addresses.addresses)
        settings.database = addresses.database
        table.read(object, into: &settings)
        whenDown.read(object.object("when_down"), into: &settings)
        timeouts.read(object.object("timeouts"), into: &settings.timeouts)
        limits.read(object.object("limits"), into: &settings.limits)
        settings.password = password
        settings.sentinel = sentinel
        settings.tls = tls
        settings.keys = keys.map { Secret($0) }
        StoreJudgement(object, settings, translation.problems).judge()
        return addresses.addresses.isEmpty ? nil : settings
    }

    /// A password of the store or of its Sentinels.
    static func password(_ object: CheckedObject, _ translation: Translation) -> Secret? {
        guard let reference = object.object("password"),
            let value = SecretReference.resolve(
                reference, translation, noun: "a password", sensitivity: .secret, limit: 4096)
        else { return nil }
        let password = SecretReference.line(value.bytes)
        guard !password.isEmpty, !password.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else {
            translation.problems.error(
                at: value.place, expected: "a password in one line",
                found: password.isEmpty ? "nothing" : "several lines",
                remedy: "put the password alone there; one line break at the end is fine")
            return nil
        }
        return Secret(password)
    }
}

extension ProofSettings.Sharing {
    /// What a store does for proofs.
    init(_ store: StoreSettings?) {
        guard let store, store.shares.contains(.proofs) else {
            self = .none
            return
        }
        switch store.proofsWhenDown {
        case .refuse: self = .required
        case .local: self = .whileReachable
        }
    }
}
