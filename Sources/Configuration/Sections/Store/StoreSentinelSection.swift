import Access
import SharedState

/// `store.sentinel`: who knows which server is the primary.
enum StoreSentinelSection {
    private static let table = SettingTable(
        "the settings of the Sentinels", defaults: StoreSettings.Sentinel(name: ""),
        [
            .key(
                "name", .text(StoreText.user), .required, example: "portcullis", "What the Sentinels call the primary."),
            .key(
                "url", StoreAddressText.oneOrSeveral, .required, example: "[\"rediss://sentinel.internal:26379\"]",
                "The Sentinels, which are asked in turn."),
            .text(
                "user", orNone: \.user, StoreText.user, example: "sentinel",
                "The gateway's user there, which is another."),
            .key(
                "password", .object(SecretReference.shape(noun: "a reference to the Sentinels' password")), .optional,
                example: "{ file: /run/secrets/sentinel.password }", "That user's password."),
        ])
    static let shape = table.shape

    static func translate(_ object: CheckedObject?, _ translation: Translation) -> StoreSettings.Sentinel? {
        guard let object else { return nil }
        let addresses = StoreAddresses(object, translation.problems, defaultPort: 26_379)
        if addresses.database != 0, let url = object.texts("url").first {
            translation.problems.error(
                at: url.place, expected: "Sentinels without a database", found: "/\(addresses.database) in the URL",
                remedy: "say the database in store.url")
        }
        let password = StoreSection.password(object, translation)
        guard let name = object.text("name")?.text else { return nil }
        var settings = StoreSettings.Sentinel(name: name)
        table.read(object, into: &settings)
        settings.addresses = addresses.addresses
        settings.password = password
        return settings
    }
}

/// `store.tls`: how the servers' certificates are verified, and which one is shown to them.
enum StoreTLSSection {
    private static let versions: [(word: String, value: StoreSettings.MinimumVersion)] = [
        ("1.2", .tls12), ("1.3", .tls13),
    ]

    private static let table = SettingTable(
        "the TLS settings of the store", defaults: StoreSettings.TLS(),
        [
            .key(
                "certificate_authority", .text(PlainText.file), .optional, example: "/etc/portcullis/internal-ca.pem",
                "PEM file with the authorities that may sign the servers' certificates; the system's by default."),
            .text(
                "server_name", orNone: \.serverName, PlainText.serverName, example: "store.internal",
                "The name verified in every server's certificate; the URL's host by default."),
            .key(
                "client_certificate", .text(PlainText.file), .optional, example: "/run/secrets/gateway.crt",
                "PEM file with the certificate chain shown to a store that asks who connects."),
            .key(
                "client_key", .object(keyFile), .optional, example: "{ file: /run/secrets/gateway.key }",
                "The private key of client_certificate, in PEM."),
            .word("minimum_version", \.minimumVersion, versions, "The oldest version of TLS spoken with the store."),
        ])
    static let shape = table.shape

    private static let keyFile = ObjectShape(
        noun: "a reference to a key",
        keys: [
            KeyDescription(
                "file", .text(PlainText.file), .required, example: "/run/secrets/gateway.key",
                "The file that holds the key.")
        ])

    static func translate(_ object: CheckedObject?, _ translation: Translation) -> StoreSettings.TLS {
        var settings = StoreSettings.TLS()
        guard let object else { return settings }
        table.read(object, into: &settings)
        settings.certificateAuthorityFile = translation.certificateAuthority(object)
        if let identity = translation.clientCertificate(object, shape) {
            settings.clientCertificateFile = identity.certificateFile
            settings.clientKeyFile = identity.keyFile
        }
        return settings
    }
}
