import Access
import Crypto
package import Gateway
import Issuers
import JOSE
package import Login
package import OAuth
import Sessions

/// One login client held against what its authorization server says about itself, before any user tries it.
///
/// Whether a login would begin is said by what decides it in the gateway, `ServerSuitability`; here it gets words.
package struct LoginReview: Sendable {
    /// One area of the configuration.
    package struct Line: Sendable {
        package var title: String
        package var configured: String
        package var offered: String
        package var problems: [SuitabilityProblem]
        /// A login begins all the same: the server will only not tell of logouts.
        package var isWarning: Bool
        package var remedies: [String]
    }

    package let client: String
    package let clientID: String
    package let issuer: String
    package let form: String
    package let lines: [Line]
    /// What is to be registered at the server: its name there, and the value.
    package let registration: [(name: String, value: String)]
    /// The authorization request, by name; what is made for each login is described in place of its value.
    package let request: [(name: String, value: String)]
    /// Where the request goes first, and where the browser is sent.
    package let endpoints: [(name: String, value: String)]
    /// Names of the keys that are published, with what they are for.
    package let keys: [String]
    package let cookieName: String
    /// The domain whose hosts all get it; nil for one host's.
    package let cookieDomain: String?
    /// About how many bytes a session takes in the browser, and how many cookies; nil where the server side keeps it.
    package let size: (bytes: Int, cookies: Int, of: String)?

    /// Nil for a name that no login has.
    package init?(of name: String, _ settings: GatewaySettings, metadata: ServerMetadata) {
        guard let index = settings.logins.firstIndex(where: { $0.name == name }) else { return nil }
        let login = settings.logins[index]
        let credentials = settings.clients[login.client].credentials
        client = name
        clientID = credentials.clientID
        issuer = settings.issuers[settings.clients[login.client].issuer].url
        form = login.authorization.form.rawValue
        cookieName = login.session.cookieName
        cookieDomain = login.session.domain
        let demands = login.demands(
            of: settings.clients[login.client], at: settings.issuers[settings.clients[login.client].issuer])
        let demand = login.dpop
        lines = ServerSuitability.review(of: metadata, for: demands).map { area, problems in
            let words = LoginReviewWords(login: login, credentials: credentials, metadata: metadata)
            return Line(
                title: words.title(area), configured: words.configured(area), offered: words.offered(area),
                problems: problems, isWarning: !area.isNeededForLogins, remedies: problems.flatMap(words.remedies))
        }
        registration = Self.registration(of: login, settings)
        endpoints = Self.endpoints(of: login, metadata, credentials)
        request = Self.request(
            of: login, settings, clientID: credentials.clientID, isProven: demand.isMet(by: metadata))
        keys = PublishedKeys.keys(of: [login], clients: [settings.clients[login.client]]).map { key in
            let purpose = key.use == "enc" ? "enc" : "sig"
            let algorithm = key.algorithm?.name ?? key.encryptionAlgorithm.map(\.name) ?? "any algorithm"
            return "\(key.keyID ?? "(no kid)")  \(purpose)  \(algorithm)"
        }
        size = Self.size(of: login, issuer: issuer)
    }

    /// Whether a login would begin.
    package var isSuitable: Bool { lines.allSatisfy { $0.problems.isEmpty || $0.isWarning } }

    /// What is to be registered at the server, whatever that says of itself.
    package static func registration(
        of login: LoginSettings, _ settings: GatewaySettings
    ) -> [(name: String, value: String)] {
        var values: [(name: String, value: String)] = []
        let client = settings.clients[login.client]
        let publishes = !PublishedKeys.keys(of: [login], clients: [client]).isEmpty
        // Several listeners may have one public URL, as for TCP and a Unix socket: it is registered once.
        let urls = publicURLs(of: login, settings)
        for (index, url) in urls.enumerated() where !urls[..<index].contains(url) {
            func at(_ path: String) -> String { "\(url)\(ReservedPath.prefix)/\(path)/\(login.name)" }
            values.append(("redirect_uri", at("callback")))
            if login.identityFrom == nil { values.append(("post_logout_redirect_uri", at("logged-out"))) }
            if login.logout.backchannel { values.append(("backchannel_logout_uri", at("backchannel-logout"))) }
            if login.logout.frontchannel { values.append(("frontchannel_logout_uri", at("frontchannel-logout"))) }
            if login.authorization.form == .signedByReference {
                values.append(("request_uri, beginning with", url + ReservedPath.prefix + "/request/"))
            }
            if publishes { values.append(("jwks_uri", url + ReservedPath.assertionKeys)) }
        }
        return values + methods(of: login, client)
    }

    private static func publicURLs(of login: LoginSettings, _ settings: GatewaySettings) -> [String] {
        settings.publicURLs(ofLogin: settings.logins.firstIndex { $0.name == login.name } ?? -1)
    }

    /// What the server has to know of signatures and credentials, by the names of client registration (RFC 7591 §2, OpenID
    /// Connect Registration §2): servers have defaults of their own for what nobody says.
    private static func methods(
        of login: LoginSettings, _ client: ClientSettings
    ) -> [(name: String, value: String)] {
        var values = [("token_endpoint_auth_method", client.credentials.method.name)]
        if case .privateKeyJWT(let key) = client.credentials.method {
            values.append(("token_endpoint_auth_signing_alg", key.algorithm.name))
        }
        if login.identityFrom == nil {
            values.append(("id_token_signed_response_alg", login.idToken.signature.names))
        }
        if let key = login.keys.requestObject { values.append(("request_object_signing_alg", key.algorithm.name)) }
        if login.authorization.responseMode.isSigned {
            values.append(("authorization_signed_response_alg", login.response.signature.names))
        }
        return values.map { (name: $0.0, value: $0.1) }
    }

    private static func endpoints(
        of login: LoginSettings, _ metadata: ServerMetadata, _ credentials: ClientCredentials
    ) -> [(name: String, value: String)] {
        var values: [(name: String, value: String)] = []
        if login.authorization.form.isPushed {
            values.append(
                ("pushed to", metadata.pushedAuthorization.location(for: credentials.method) ?? "(no such endpoint)"))
        }
        values.append(("browser sent to", metadata.authorizationEndpoint ?? "(no such endpoint)"))
        values.append(("code redeemed at", metadata.token.location(for: credentials.method) ?? "(no such endpoint)"))
        if let identity = login.identityFrom {
            values.append(("user asked for at", identity.url))
            if let emails = identity.emailsURL { values.append(("verified mail asked for at", emails)) }
        }
        return values
    }

    /// Of the production code's own parameters, with words in place of what is made for each login.
    private static func request(
        of login: LoginSettings, _ settings: GatewaySettings, clientID: String, isProven: Bool
    ) -> [(name: String, value: String)] {
        let redirect = publicURLs(of: login, settings).first.map {
            "\($0)\(ReservedPath.prefix)/callback/\(login.name)"
        }
        let made = "(made for each login)"
        return AuthorizationParameters(
            settings: login.authorization, clientID: clientID, redirectURI: redirect ?? "", state: made, nonce: made,
            challenge: made, proofThumbprint: isProven ? made : nil
        ).pairs.map { (name: $0.0, value: $0.1) }
    }

    /// Measured on a session with tokens of the sizes that are named with it.
    private static func size(of login: LoginSettings, issuer: String) -> (bytes: Int, cookies: Int, of: String)? {
        guard login.session.store == .cookie else { return nil }
        let names = ["iss", "sub"] + login.uses.claimNames
        let claims = names.map { "\"\($0)\":\"\(String(repeating: "x", count: 24))\"" }
        var session = Session(
            id: [UInt8](repeating: 0, count: 16), client: login.name, issuer: issuer,
            subject: String(repeating: "x", count: 36),
            claims: Array("{\(claims.joined(separator: ","))}".utf8), scopes: login.authorization.scopes, createdAt: 0,
            endsAt: 0)
        session.serverSession = String(repeating: "x", count: 36)
        var parts = ["claims of 24 bytes"]
        if login.uses.keepsAccessToken {
            session.accessToken = Secret([UInt8](repeating: 0x78, count: 1000))
            parts.append("an access token of 1000 bytes")
        }
        if login.refreshes {
            session.refreshToken = Secret([UInt8](repeating: 0x78, count: 200))
            parts.append("a refresh token of 200 bytes")
        }
        if login.dpop != .off { session.proofKey = Secret([UInt8](repeating: 0x78, count: 32)) }
        let estimate = SessionEstimate.cookies(of: session, name: login.session.cookieName)
        return (estimate.bytes, estimate.count, parts.joined(separator: ", "))
    }
}
