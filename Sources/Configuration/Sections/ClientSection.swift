import Issuers
import OAuth

/// `clients`: what this gateway is to its issuers when it asks them something.
enum ClientSection {
    static let shape = ObjectShape(
        noun: "a client",
        keys: [
            KeyDescription(
                "issuer", .text(PlainText.name(of: "an issuer")), .required, example: "main",
                "The issuer that knows this client, by its name above; no other is sent its credentials."),
            KeyDescription(
                "id", .text(PlainText.clientID), .required, example: "shop", "Its client_id there."),
            KeyDescription(
                "authentication", .object(ClientAuthenticationSection.shape), .required,
                example: "{ method: client_secret_basic, secret: { file: /run/secrets/client } }",
                "How it proves who it is: by this one method."),
        ] + LoginSection.keys, strangers: LoginSection.strangers)

    static func translate(_ entry: CheckedEntry, _ context: IssuerContext) -> ClientSettings? {
        guard let object = entry.value?.object else { return nil }
        judgeAudience(object, context)
        let issuer = object.text("issuer").flatMap { context.issuers.index(of: $0, context.translation.problems) }
        let method = object.object("authentication").flatMap {
            ClientAuthenticationSection.method($0, context.translation)
        }
        guard let issuer, let method, let authentication = object.object("authentication"),
            let id = object.text("id")?.text
        else { return nil }
        let credentials = try? ClientCredentials(
            clientID: id, method: method, assertionAudience: ClientAuthenticationSection.audience(authentication),
            assertionType: authentication.text("type")?.text
                == ClientCredentials.AssertionType.clientAuthentication.rawValue
                ? .clientAuthentication : .jwt)
        guard let credentials else {
            // Each cause was looked for above; one that was added since must not let the gateway start without a client.
            context.translation.problems.error(
                at: authentication.place, expected: "credentials that a server could accept", found: "others",
                remedy: "see the reference: portcullis defaults")
            return nil
        }
        return ClientSettings(name: entry.name, issuer: issuer, credentials: credentials)
    }

    /// The token endpoint's URL is in the metadata alone.
    private static func judgeAudience(_ object: CheckedObject, _ context: IssuerContext) {
        guard let audience = object.object("authentication")?.text("audience"), audience.text == "token_endpoint",
            let issuer = object.text("issuer")?.text, context.issuers.discoversNothing(issuer)
        else { return }
        context.translation.problems.error(
            at: audience.place, expected: "issuer or endpoint where nothing is discovered", found: "token_endpoint",
            remedy: "the token endpoint is in the metadata: add  discovery: automatic  to the issuer \(issuer)")
    }
}

/// What the translation of issuers and clients needs to know of each other.
struct IssuerContext {
    let translation: Translation
    let issuers: IssuersByName
    let clients: ClientsByName
}
