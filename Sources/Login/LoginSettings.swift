package import JOSE
package import OAuth
package import Sessions

/// Everything the operator says about browser logins at one client.
package struct LoginSettings: Sendable {
    /// Whether tokens are bound to a key of the session's (RFC 9449 §5).
    package typealias ProofOfPossession = DPoPDemand

    /// Whether the user's claims are asked for beside those of the ID token (OIDC-12).
    package enum UserInfo: Sendable, Equatable {
        case off
        /// Claims of a bad answer are left out.
        case optional
        /// A bad answer ends the login.
        case required
    }

    /// The client's name in the configuration: it is in paths and cookie names.
    package var name: String
    /// The client, by its place among the gateway's clients; its issuer is the client's.
    package var client: Int
    /// What is asked for, and in which form (RFC 6749 §4.1.1, RFC 9101, RFC 9126).
    package var authorization: AuthorizationRequestSettings
    package var keys = LoginKeySettings()
    package var idToken: IDTokenRules
    /// How signed responses are made (JARM): by the algorithms of ID tokens, unless the operator says otherwise.
    package var response: LoginDemands.Made
    package var userInfo = UserInfo.off
    /// The server makes no ID tokens, and says at an endpoint of its own who it is (OIDC-18).
    package var identityFrom: UserEndpointSettings?
    package var dpop = ProofOfPossession.off
    /// `code_challenge_methods_supported` may be missing from the metadata (CF-05).
    package var assumesPKCE = false
    /// `email` is a claim only where `email_verified` is true (OIDC-13).
    package var requiresVerifiedEmail = false
    /// `expires_in` may be digits in a string (CF-31).
    package var lenientExpiresIn = false
    /// Claims that the session endpoint tells scripts of (SC-12).
    package var scriptClaims: [String] = []
    package var uses = LoginUses()
    package var session: SessionSettings
    /// Refreshes access tokens before they expire (RF-02).
    package var refreshes = true
    package var start = LoginStartSettings()
    package var logout = LogoutSettings()
    /// FAPI 2.0: nothing weaker is spoken, whatever else is said.
    package var isFAPI = false

    /// By whose custom the token endpoint answers.
    var tokenCustom: TokenResponse.Custom { identityFrom == nil ? .standard : .plainOAuth }

    /// Whether sessions keep their ID tokens: as a hint for the server's logout, or because a route shows them.
    var keepsIDToken: Bool { logout.atServer || session.needsIDToken }

    /// A login with the defaults; responses are signed as ID tokens are.
    package init(
        name: String, client: Int, authorization: AuthorizationRequestSettings, idToken: IDTokenRules,
        session: SessionSettings
    ) {
        self.name = name
        self.client = client
        self.authorization = authorization
        self.idToken = idToken
        response = LoginDemands.Made(signature: Self.responseSignature(idToken.signature))
        self.session = session
    }

    /// How signed responses are signed where nobody says: as ID tokens are, where that is by a key of the server's.
    package static func responseSignature(_ idToken: IDTokenRules.Signature) -> IDTokenRules.Signature {
        switch idToken {
        case .algorithms: idToken
        case .secret: .algorithms([.rs256, .ps256, .es256, .edDSA])
        }
    }
}

/// The keys of one client that are for its logins alone.
package struct LoginKeySettings: Sendable {
    /// Signs request objects; nil for the forms without one.
    package var requestObject: SigningJWK?
    /// Keys that are published beside those that sign: the next ones, the last ones (MD-31).
    package var published: [JWK] = []
    /// Decrypts ID tokens, userinfo and responses (JOSE-22); published with `use` = `enc`.
    package var decryption: [DecryptionJWK] = []
}

/// What the routes of one client use of its logins.
package struct LoginUses: Sendable {
    /// Claims kept in the session, by their outermost name; `iss` and `sub` always are.
    package var claimNames: [String] = []
    /// Whether access tokens are kept in sessions: a route sends them to its upstream.
    package var keepsAccessToken = false
    /// Scopes without which a login is refused: every route of this client needs them (CF-32).
    package var neededScopes: [String] = []
    /// What routes ask for beyond a login, each once: a start names one by its place here, so that a browser can ask for
    /// nothing that no route asks for (STEP-04).
    package var stepUps: [StepUp] = []
}

/// Where logins begin and end.
package struct LoginStartSettings: Sendable {
    /// Where the app begins: where a login ends that began at no page.
    package var page = "/"
    /// The fragment of the page a login began at is carried through it.
    package var keepsFragment = true
    /// Logins may begin at a page elsewhere that names us as issuer's client (OpenID Connect Core §4; CF-08).
    package var allowsThirdParty = false
    /// The server is asked to show nothing first, and for its page only where it knows nobody (OIDC-16).
    package var isSilentFirst = false
}

/// What a logout is beside the end of the session here.
package struct LogoutSettings: Sendable {
    /// The browser is sent through the server's logout (OpenID Connect RP-Initiated Logout), where it has one.
    package var atServer = true
    /// `id_token_hint` travels in a form and never in a URL (LO-03).
    package var postsHint = false
    /// The server may end sessions here (OpenID Connect Back-Channel Logout).
    package var backchannel = false
    /// `typ` of logout tokens must be `logout+jwt` (LO-07).
    package var requiresType = false
    /// Logout tokens without `exp` are good for two minutes from `iat`: older servers send none.
    package var acceptsWithoutExpiry = false
    /// The server may end this browser's session from a frame (OpenID Connect Front-Channel Logout).
    package var frontchannel = false
    /// A path of this origin where the browser lands after a logout; nil for our own page.
    package var landing: String?

    package init() {}
}
