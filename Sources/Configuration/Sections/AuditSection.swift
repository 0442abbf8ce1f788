import Crypto
import Gateway

/// `audit`: who signed in and out, what was refused to whom, and what the operator changed.
enum AuditSection {
    private static let table = SettingTable(
        "the audit log's settings", defaults: AuditSettings(),
        [
            .key(
                "destination", .text(LogSection.destination), .standard("off"),
                example: "/var/log/portcullis/audit.log",
                "Where its lines go: stderr, stdout, off, or a file to append to, of its own."),
            .word(
                "subject", \.subject, [("hashed", .hashed), ("plain", .plain), ("none", .none)],
                "How users are named: by a keyed digest, by the issuer's own sub, or not at all."),
            .key(
                "subject_key", .object(SecretReference.shape(noun: "a reference to the key of subjects")), .optional,
                example: "{ file: /run/secrets/audit.key }",
                "The key of the digests, at least 32 bytes, the same on all replicas; by default one of this process's own."
            ),
        ])
    static let shape = table.shape

    static func translate(
        _ object: CheckedObject?, _ log: LogSettings, _ translation: Translation
    ) -> AuditSettings {
        var settings = AuditSettings()
        guard let object else { return settings }
        table.read(object, into: &settings)
        if let destination = object.text("destination") {
            settings.destination = LogSection.resolve(destination, translation)
            judge(settings.destination, log, at: destination, translation)
        }
        settings.subjectKey = key(object, translation)
        if settings.destination != .off, settings.subject == .hashed, !object.says("subject_key") {
            translation.problems.warning(
                at: object.place(of: "subject"), expected: "audit.subject_key, so that a user keeps one name",
                found: "none",
                remedy: "each start, and each replica, names users anew: make a key with  openssl rand -base64 32  and "
                    + "say  subject_key: { file: FILE }")
        }
        return settings
    }

    /// Lines of two logs in one file are nobody's record; a pipe's reader can tell them apart.
    private static func judge(
        _ destination: LogSettings.Destination, _ log: LogSettings, at place: PlacedText, _ translation: Translation
    ) {
        guard case .file = destination,
            destination == log.operatorDestination || destination == log.accessDestination
        else { return }
        translation.problems.error(
            at: place.place, expected: "a file of its own for the audit log",
            found: "\(Quoted.text(place.text)), where another log goes", remedy: "name another file")
    }

    private static func key(_ object: CheckedObject, _ translation: Translation) -> Secret? {
        guard let reference = object.object("subject_key"),
            let value = SecretReference.resolve(
                reference, translation, noun: "a key of subjects", sensitivity: .secret, limit: 4096)
        else { return nil }
        let key = SecretReference.line(value.bytes)
        guard key.count >= 32 else {
            translation.problems.error(
                at: value.place, expected: "a key of subjects of at least 32 bytes", found: "\(key.count) bytes",
                remedy: "make one with  openssl rand -base64 32")
            return nil
        }
        return Secret(key)
    }
}
