import Access
import Crypto
import Gateway
import Issuers
import JOSE
import Login
import OAuth
import Sessions

/// The keys of a client that are about browser logins, and what they come to.
enum LoginSection {
    static let keys = LoginKeys.request.shape.keys + LoginKeys.settings.shape.keys

    /// Keys that other software has in this place.
    static let strangers = [
        "redirect_uri": "it is public_url and /.portcullis/callback/NAME, the client's name: register that",
        "redirect_uris": "it is public_url and /.portcullis/callback/NAME, the client's name: register that",
        "response_type":
            "leave it out: only code is spoken, for tokens in a URL are anybody's (RFC 9700 section 2.1.2)",
        "grant_type": "leave it out: logins use authorization_code, then refresh_token",
        "code_challenge_method": "leave it out: PKCE with S256 is always used",
        "pkce": "leave it out: PKCE with S256 is always used; for a server that does not say so there is assume_pkce",
        "nonce": "leave it out: each login has its own",
        "state": "leave it out: each login has its own",
        "client_id": "write it as  id: shop",
        "client_secret": "write it as  authentication: { method: client_secret_basic, secret: { file: … } }",
        "token_endpoint_auth_method":
            "write it as  authentication: { method: client_secret_basic, secret: { file: … } }",
        "secret": "it belongs under authentication",
        "cookie_secret": "write it as  session: { keys: [{ file: /run/secrets/session.key }] }",
        "scope": "write it as  scopes: [openid, profile]",
    ]

    /// Notes what is wrong with the login keys of a client whose credentials do not fit.
    ///
    /// Whoever mends a configuration wants to know of the missing session key before the client's secret is there.
    static func judge(_ entry: CheckedEntry, _ context: LoginContext) {
        guard let object = entry.value?.object else { return }
        let translation = context.translation
        let session = SessionSection.translate(entry, context)
        _ = AuthorizationRequestSection(object, nil, translation)
        _ = PublishedKeySection.published(object, translation)
        _ = PublishedKeySection.decryption(object, translation)
        IdentityFromSection.judge(object, translation.problems)
        if let session { _ = LogoutSection.translate(object, session, translation.problems) }
    }

    /// The settings of a client that logs in; what is wrong is noted also for one that no route names yet.
    static func translate(
        _ entry: CheckedEntry, _ client: ClientSettings, at index: Int, _ context: LoginContext
    ) -> LoginSettings? {
        guard let object = entry.value?.object, let session = SessionSection.translate(entry, context) else {
            return nil
        }
        let problems = context.translation.problems
        let request = AuthorizationRequestSection(object, client, context.translation)
        let dpop = ProofChoice.of(object)
        FAPIProfile.judge(object, client, request, problems)
        let logout = LogoutSection.translate(object, session, problems)
        let publishedKeys = PublishedKeySection.published(object, context.translation)
        let decryptionKeys = PublishedKeySection.decryption(object, context.translation)
        let issuer = context.issuers.indices.contains(client.issuer) ? context.issuers[client.issuer] : nil
        let identity = issuer.flatMap { IdentityFromSection.translate(object, at: entry.place, of: $0, problems) }
        guard let issuer,
            let idToken = IDTokenSection.translate(object, client.credentials, issuer.url, problems),
            let response = ResponseSection.translate(
                object, client.credentials, standard: LoginSettings.responseSignature(idToken.signature), problems)
        else { return nil }
        ResponseSection.judge(object, request.settings, problems)
        var settings = LoginSettings(
            name: entry.name, client: index, authorization: request.settings, idToken: idToken, session: session)
        settings.response = response
        settings.dpop = dpop
        settings.logout = logout
        settings.identityFrom = identity
        // Nobody there knows what an ID token is, nor where its user is to be logged out.
        if identity != nil { settings.logout.atServer = false }
        settings.keys.requestObject = request.key
        settings.keys.published = publishedKeys
        settings.keys.decryption = decryptionKeys
        LoginKeys.settings.read(object, into: &settings)
        judgeSilence(object, problems)
        settings.scriptClaims = object.object("session")?.texts("script_claims").map(\.text) ?? []
        settings.isFAPI = FAPIProfile.isAsked(of: object)
        let needs = RouteNeeds(ofLogin: context.names.index(of: entry.name), context.routes)
        settings.uses.claimNames = needs.claimNames(beside: settings.scriptClaims)
        settings.uses.keepsAccessToken = needs.accessToken
        settings.session.needsIDToken = needs.idToken
        settings.uses.neededScopes = needs.scopes
        return settings
    }
}

extension LoginSection {
    /// Whom the server is to ask something each time is never let in without a word.
    private static func judgeSilence(_ client: CheckedObject, _ problems: ProblemList) {
        guard client.flag("silent_first") == true, client.says("prompt") else { return }
        problems.error(
            at: client.place(of: "silent_first"), expected: "silent_first without prompt",
            found: "prompt: \(client.text("prompt")?.text ?? "") beside it",
            remedy: "leave one of them out: silent_first lets in whom the server knows, and prompt has it ask")
    }
}

/// What the translation of logins needs to know of the rest of the configuration.
struct LoginContext {
    let translation: Translation
    let names: LoginsByName
    let issuers: [IssuerSettings]
    let routes: [RouteSettings]
}

/// `dpop` of a client.
enum ProofChoice {
    /// What is said, or what the profile and the authentication make of silence.
    static func of(_ client: CheckedObject) -> LoginSettings.ProofOfPossession {
        switch client.text("dpop")?.text {
        case "optional": .optional
        case "required": .required
        case "off": .off
        // FAPI 2.0 §5.3.2.1: tokens are bound, by a proof or by the certificate that the client shows anyway.
        default: FAPIProfile.isAsked(of: client) && !FAPIProfile.showsCertificate(client) ? .required : .off
        }
    }
}
