import Access
import Gateway

/// `client_certificates` of a TLS listener: what its clients prove (RFC 8705).
enum ClientCertificateSection {
    static let value = Shape.either([.word(["off", "optional", "required"]), .object(shape)])

    private static let shape = ObjectShape(
        noun: "a mapping with request",
        keys: [
            KeyDescription(
                "request", .word(["optional", "required"]), .required, example: "required",
                "Whether clients without a certificate get through the handshake."),
            KeyDescription(
                "trust", .either([.word(["any"]), .object(trust)]), .standard("any"),
                example: "{ authorities: /etc/portcullis/client-ca.pem }",
                "Which certificates are good: any, for the token names the one, or those of some authorities."),
        ])

    private static let trust = ObjectShape(
        noun: "a mapping with authorities",
        keys: [
            KeyDescription(
                "authorities", .text(PlainText.file), .required, example: "/etc/portcullis/client-ca.pem",
                "PEM file with the authorities that sign clients' certificates."),
            KeyDescription(
                "revocation_list", .text(PlainText.file), .optional, example: "/etc/portcullis/client-ca.crl",
                "PEM file with the certificates that they revoked."),
        ])

    /// `identity` is a certificate of the same listener.
    static func translate(
        _ tls: CheckedObject, _ identity: TLSSettings.Certificate?, _ translation: Translation
    ) -> ClientCertificateSettings? {
        guard let value = tls["client_certificates"] else { return nil }
        guard let object = value.object else {
            switch value.text {
            case "optional": return ClientCertificateSettings(isRequired: false)
            case "required": return ClientCertificateSettings(isRequired: true)
            default: return nil
            }
        }
        var settings = ClientCertificateSettings(isRequired: object.text("request")?.text == "required")
        if let trust = object.object("trust"), let authorities = authorities(trust, identity, translation) {
            settings.trust = authorities
        }
        return settings
    }

    private static func authorities(
        _ object: CheckedObject, _ identity: TLSSettings.Certificate?, _ translation: Translation
    ) -> ClientCertificateSettings.Trust? {
        let file = translation.authorities(
            object, "authorities", remedy: "give the PEM file of the authorities that sign the clients' certificates")
        let list = object.text("revocation_list")
        if let file, let list, let lists = translation.file(list, noun: "a revocation list"),
            let fault = translation.sources.documents.revocationLists(lists, file, identity)
        {
            translation.problems.error(
                at: list.place, expected: "a revocation list in PEM", found: fault,
                remedy: "turn a list in DER into PEM with  openssl crl -inform DER")
        }
        return file.map { .authorities(file: $0, revocationListFile: list.map(translation.resolved)) }
    }
}
