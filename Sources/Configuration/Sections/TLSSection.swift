import Access
import Gateway

/// `tls` of a listener: one certificate, or a list of them chosen by the name that the client asks for.
enum TLSSection {
    static let versions: [(word: String, value: TLSSettings.MinimumVersion)] = [("1.2", .tls12), ("1.3", .tls13)]

    private static let certificate = KeyDescription(
        "certificate", .text(PlainText.file), .optional, example: "/run/tls/tls.crt",
        "PEM file with the certificate chain, leaf first.")
    private static let key = KeyDescription(
        "key", .text(PlainText.file), .optional, example: "/run/tls/tls.key",
        "PEM file with the private key; refused when everybody on the machine can read it.")

    private static let table = SettingTable(
        "the TLS settings of a listener", defaults: TLSSettings(certificates: []),
        [
            .key(certificate), .key(key),
            .key(
                "certificates",
                .list(ListShape(noun: "certificates", element: .object(pair), count: 1...64)), .optional,
                example: "[{ certificate: a.crt, key: a.key }, { certificate: b.crt, key: b.key }]",
                "Several certificates in place of certificate and key: SNI chooses, the first answers when none fits."),
            .key(
                "certificate_folder", .text(PlainText.file), .optional, example: "/run/tls/hosts",
                "A folder with a certificate for each of many hosts, NAME.crt beside NAME.key, in place of certificate and key."
            ),
            .word("minimum_version", \.minimumVersion, versions, "The oldest version of TLS accepted."),
            .key(
                "ticket_keys", KeyReferences.shape, .optional, example: "[{ file: /run/secrets/ticket.key }]",
                "Keys of session tickets, the same on all replicas: the first seals, all open; else this process's own."
            ),
            .key(
                "client_certificates", ClientCertificateSection.value, .standard("off"), example: "optional",
                "Whether clients are asked for a certificate, to which their tokens may be bound."),
        ], exactlyOne: ["certificate", "certificates", "certificate_folder"])
    static let shape = table.shape

    private static let pair = ObjectShape(noun: "a certificate and its key", keys: [certificate, key].map(required))

    static func translate(_ object: CheckedObject, _ translation: Translation) -> TLSSettings? {
        var certificates: [TLSSettings.Certificate] = []
        if object.says("certificates") {
            if object.says("key"), !object.says("certificate") {
                translation.problems.error(
                    at: object.place(of: "key"), expected: "a key inside each of the certificates",
                    found: "a key beside them", remedy: "move it into its element of certificates")
            }
            certificates = object.list("certificates").compactMap(\.object).compactMap { pair($0, translation) }
        } else if let folder = object.text("certificate_folder") {
            certificates = inFolder(folder, translation)
        } else if object.says("certificate") || object.says("key") {
            pair(object, translation).map { certificates = [$0] }
        }
        let clientCertificates = ClientCertificateSection.translate(object, certificates.first, translation)
        let ticketKeys = KeyReferences.translate(object, "ticket_keys", noun: "ticket key", translation)
        guard !certificates.isEmpty else { return nil }
        var settings = TLSSettings(certificates: certificates, clientCertificates: clientCertificates)
        settings.ticketKeys = ticketKeys
        table.read(object, into: &settings)
        return settings
    }

    /// The certificates of a folder, by name; the first answers when none fits.
    private static func inFolder(_ folder: PlacedText, _ translation: Translation) -> [TLSSettings.Certificate] {
        if case .success(let names) = translation.sources.names(translation.resolved(folder)),
            names.count >= ConfigurationSources.nameLimit
        {
            // Some of them were not looked at, and a host without its certificate shows another's.
            translation.problems.error(
                at: folder.place, expected: "fewer than \(ConfigurationSources.nameLimit) files in the folder",
                found: "more in \(Quoted.text(folder.text))",
                remedy: "have one certificate for many names, or several listeners with a folder each")
            return []
        }
        let paths = certificatePaths(in: folder, translation)
        for path in paths { translation.judgePair(path.certificate, path.key) }
        if paths.isEmpty {
            translation.problems.error(
                at: folder.place, expected: "a folder with certificates, NAME.crt beside NAME.key each",
                found: "\(Quoted.text(folder.text)), in which no file ends in .crt, or which cannot be read",
                remedy: "put the certificates there before the start")
        }
        return paths.map {
            TLSSettings.Certificate(
                certificateFile: translation.resolved($0.certificate), keyFile: translation.resolved($0.key))
        }
    }

    private static func certificatePaths(
        in folder: PlacedText, _ translation: Translation
    ) -> [(certificate: PlacedText, key: PlacedText)] {
        guard case .success(let names) = translation.sources.names(translation.resolved(folder)) else { return [] }
        return names.filter { $0.hasSuffix(".crt") && !$0.hasPrefix(".") }.sorted().map { name in
            let path = "\(folder.text)/\(name.dropLast(4))"
            return (
                PlacedText(place: folder.place, text: path + ".crt"),
                PlacedText(place: folder.place, text: path + ".key")
            )
        }
    }

    /// The files with the certificates that a listener shows.
    static func certificatePaths(_ object: CheckedObject, _ translation: Translation) -> [PlacedText] {
        if let folder = object.text("certificate_folder") {
            return certificatePaths(in: folder, translation).map(\.certificate)
        }
        let objects = object.says("certificates") ? object.list("certificates").compactMap(\.object) : [object]
        return objects.compactMap { $0.text("certificate") }
    }

    private static func pair(_ object: CheckedObject, _ translation: Translation) -> TLSSettings.Certificate? {
        if object.says("certificate"), !object.says("key") {
            translation.problems.error(
                at: object.place(of: "certificate"), expected: "a key for the certificate", found: "nothing",
                remedy: "add  key: /run/tls/tls.key")
        }
        guard let certificatePath = object.text("certificate"), let keyPath = object.text("key") else { return nil }
        translation.judgePair(certificatePath, keyPath)
        return TLSSettings.Certificate(
            certificateFile: translation.resolved(certificatePath), keyFile: translation.resolved(keyPath))
    }

    private static func required(_ key: KeyDescription) -> KeyDescription {
        KeyDescription(key.name, key.shape, .required, example: key.example, key.sentence)
    }
}
