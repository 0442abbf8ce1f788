/// Every flag of oauth2-proxy: how it is written, which key of ours it is, and what becomes of it.
///
/// The page about coming from oauth2-proxy shows the same rows; a test compares the two.
enum FlagTable {
    /// How a value is written.
    enum Kind: Character {
        case text = "s"
        /// Never printed.
        case secret = "x"
        case list = "l"
        case flag = "b"
        case number = "i"
        case duration = "d"
    }

    /// What becomes of a flag.
    enum Effect: Character {
        /// `FlagTranslation` carries it, in whole or in part.
        case carried = "="
        /// Is said to be left out.
        case left = "-"
        /// Restricted who passes: nobody does until the operator decides.
        case restricts = "!"
    }

    /// A row.
    struct Row {
        let name: Substring
        let kind: Kind
        let effect: Effect
        let key: Substring
        let words: Substring
    }

    /// By name; about 170 rows.
    static let rows: [Row] = text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let kind = parts[1].first.flatMap(Kind.init),
            let effect = parts[2].first.flatMap(Effect.init)
        else { return nil }
        return Row(name: parts[0], kind: kind, effect: effect, key: parts[3], words: parts[4])
    }

    private static let byName = Dictionary(rows.map { (String($0.name), $0) }) { first, _ in first }

    /// The row of a flag, of its name in a file, or of its variable's without the prefix.
    static func row(_ spelling: String) -> Row? {
        let name = String(spelling.lowercased().map { $0 == "_" ? "-" : $0 })
        if let row = byName[name] { return row }
        guard name.hasSuffix("s"), let row = byName[String(name.dropLast())], row.kind == .list else { return nil }
        return row
    }

    private static let text = """
        config|s|=||read as a file
        alpha-config|s|=||read as a file
        config-test|b|-||portcullis check does that
        convert-config-to-alpha|b|-||both forms are read
        version|b|-||portcullis version says it
        acr-values|s|=|clients.NAME.acr_values|asked for; to insist on one, say acr_values in a route's login too
        allowed-group|l|=|routes.login.claims|one of the groups must be in the claim of groups; of more than 64 the first
        allowed-role|l|=|routes.login.any_claims|realm roles in realm_access.roles, those of a client in resource_access, beside groups; the provider must write them into the ID token, until then nobody passes
        approval-prompt|s|-|clients.NAME.prompt|say prompt: consent, which OpenID Connect has in its place
        backend-logout-url|s|-|clients.NAME.logout|a logout goes through the provider's own end of sessions
        client-id|s|=|clients.NAME.id|carried
        client-secret-file|s|=|clients.NAME.authentication.secret|the same file is named
        client-secret|x|=|clients.NAME.authentication.secret|not printed: put it into the file that is named
        code-challenge-method|s|-||PKCE with S256 is always used
        force-code-challenge-method|s|-||PKCE with S256 is always used
        insecure-oidc-allow-unverified-email|b|=|clients.NAME.require_verified_email|where it is not set, addresses count only where email_verified is true
        insecure-oidc-skip-issuer-verification|b|-||the issuer is always compared
        insecure-oidc-skip-nonce|b|-||the nonce is always compared
        jwt-key-file|s|=|clients.NAME.authentication.key|private_key_jwt with the same file
        jwt-key|x|=|clients.NAME.authentication.key|not printed: put it into the file that is named
        login-url|s|=|issuers.NAME.url|endpoints come from the issuer's metadata; of Keycloak's the issuer is made
        auth-request-response-mode|s|=|clients.NAME.response_mode|query and form_post
        oidc-audience-claim|l|-||the audience is in aud alone
        oidc-email-claim|s|=|routes.identity|names the claim of the address
        oidc-extra-audience|l|=|clients.NAME.id_token.trusted_audiences|may stand in aud beside the client's id, and not in its place
        oidc-groups-claim|s|=|routes.login.claims|names the claim of groups
        oidc-issuer-url|s|=|issuers.NAME.url|carried, exactly as it is spelt
        oidc-jwks-url|s|-|issuers.NAME.jwks_uri|keys are where the issuer's metadata says
        oidc-public-key-file|l|-|issuers.NAME.jwks|keys are fetched; a JWK Set in a file may be named
        oidc-enabled-signing-alg|l|=|clients.NAME.id_token.algorithm|carried
        profile-url|s|-|clients.NAME.userinfo|userinfo is where the issuer's metadata says
        prompt|s|=|clients.NAME.prompt|carried
        provider-ca-file|l|=|issuers.NAME.certificate_authority|one file: join several into one
        provider-display-name|s|-|pages.name|there is no page with a button before the login
        provider|s|=|issuers.NAME|OpenID Connect, and GitHub; of another kind nobody signs in until you name an issuer
        pubjwk-url|s|-||public keys are at /.portcullis/jwks.json
        redeem-url|s|-||endpoints come from the issuer's metadata
        scope|s|=|clients.NAME.scopes|carried, openid always among them
        skip-claims-from-profile-url|b|=|clients.NAME.userinfo|off, otherwise optional
        skip-oidc-discovery|b|-|issuers.NAME.discovery|metadata is always read
        use-system-trust-store|b|-|issuers.NAME.certificate_authority|the file alone counts, where one is named
        validate-url|s|-||tokens are not asked about again; a refresh finds out whether the login still holds
        user-id-claim|s|=|routes.identity|names the claim of the user
        resource|s|=|clients.NAME.resource|carried where it is a URL
        cookie-csrf-expire|d|-||a login may take ten minutes
        cookie-csrf-per-request|b|-||each login has a cookie of its own
        cookie-csrf-per-request-limit|i|-||there is a bound
        cookie-csrf-samesite|s|-||lax, and none for form_post
        cookie-domain|l|=|clients.NAME.session.domain|the longest that public_url is under
        cookie-expire|d|=|clients.NAME.session.absolute|carried, and idle is as long
        cookie-httponly|b|-||cookies are always HttpOnly
        cookie-name|s|-|clients.NAME.session.cookie|the name begins with __Host-, or __Secure- beside domain
        cookie-path|s|-||cookies are for the whole host
        cookie-refresh|d|=|clients.NAME.refresh|the access token is renewed before it expires; without this, never
        cookie-samesite|s|=|clients.NAME.session.same_site|strict, otherwise lax
        cookie-secret|x|=|clients.NAME.session.keys|not used again: make a key, all sign in once more
        cookie-secret-file|s|=|clients.NAME.session.keys|not used again: make a key, all sign in once more
        cookie-secure|b|-||cookies are always Secure: browsers must come by https
        basic-auth-password|x|-|routes.upstream_credential|not printed; say static with scheme Basic if the app needs it
        set-xauthrequest|b|=|routes.identity|fields for nginx become fields for the upstream
        set-authorization-header|b|-|routes.upstream_credential|import nginx: pass: id_token where it passes the field on
        set-basic-auth|b|-|routes.upstream_credential|no Basic credential is made of the user's name
        skip-auth-strip-headers|b|-||what clients send under these names is always removed
        pass-access-token|b|=|routes.identity|X-Forwarded-Access-Token: { token: access_token }
        pass-authorization-header|b|=|routes.upstream_credential|pass: id_token; prefer assertion where the app can
        pass-basic-auth|b|-|routes.upstream_credential|no Basic credential is made of the user's name
        prefer-email-to-user|b|=|routes.identity|the field of the user has the address
        pass-user-headers|b|=|routes.identity|X-Forwarded-User, -Email, -Groups, -Preferred-Username, as they were
        auth-logging-format|s|-|audit|lines are JSON
        auth-logging|b|-|audit|say audit.destination
        errors-to-info-log|b|-|log|log.operator and log.access say where
        exclude-logging-path|l|-||every request has its line
        logging-compress|b|-||rotate by the system's means
        logging-filename|s|-|log|say log.operator and log.access
        logging-local-time|b|-||times are UTC
        logging-max-age|i|-||rotate by the system's means
        logging-max-backups|i|-||rotate by the system's means
        logging-max-size|i|-||rotate by the system's means
        request-id-header|s|-|listeners.trusted_proxies|X-Request-Id of proxies that are named there
        request-logging-format|s|-|log|lines are JSON
        request-logging|b|=|log.access|off where it is false
        silence-ping-logging|b|-||probes of the admin listener are in no log
        standard-logging-format|s|-|log|lines are JSON
        standard-logging|b|-|log.level|say error for the least
        banner|s|-|pages|there is no page before the login
        custom-sign-in-logo|s|-|pages.logo|an SVG or PNG file of at most 2 KiB
        custom-templates-dir|s|-|pages.languages|sentences can be changed, pages cannot
        display-htpasswd-form|b|-||there are no passwords of our own
        footer|s|-|pages|there is no page before the login
        show-debug-on-error|b|-||portcullis explain says why
        ping-path|s|-|admin|/healthz of the admin listener
        ping-user-agent|s|-|admin|/healthz of the admin listener
        ready-path|s|-|admin|/readyz of the admin listener
        gcp-healthchecks|b|-|admin|/healthz of the admin listener
        allow-query-semicolons|b|-||a query is passed on as it is
        api-route|l|-||scripts always get 401, on every route
        authenticated-emails-file|s|=|routes.login.email|file: the same file, an address in each line and nothing else; verified ones alone
        bearer-token-login-fallback|b|-||an Authorization field alone decides
        email-domain|l|=|routes.login.email|domain, of verified addresses alone; .example.com where example.com is there too: subdomains
        encode-state|b|-||state is short base64url
        extra-jwt-issuers|s|-|issuers, routes.token|tokens of programs: name each issuer, and token beside login with its audience
        force-https|b|=|listeners.redirect_to_https|where a listener with TLS is there
        force-json-errors|b|-||whoever accepts application/problem+json gets it
        htpasswd-file|s|-||there are no passwords of our own: these users sign in at the provider
        htpasswd-user-group|l|-||there are no passwords of our own
        proxy-prefix|s|-||our paths begin with /.portcullis/
        real-client-ip-header|s|-|listeners.trusted_proxies|X-Forwarded-For of proxies that are named there
        redirect-url|s|=|listeners.public_url|its scheme and host; the path is ours
        relative-redirect-url|b|-|listeners.public_url|one URL is written down
        reverse-proxy|b|=|listeners.trusted_proxies|name the proxies: nobody else's fields are believed
        trusted-proxy-ip|l|=|listeners.trusted_proxies|carried beside reverse-proxy
        signature-key|x|-|routes.upstream_credential|not printed; say assertion: the upstream verifies a signed token
        skip-auth-preflight|b|=|routes.cors|upstream: it answers preflights
        skip-auth-regex|l|=|routes.public|plain prefixes alone; the others stay protected
        skip-auth-route|l|=|routes.public|plain prefixes alone; the others stay protected
        skip-jwt-bearer-tokens|b|-|routes.token|tokens of programs: say token beside login, with issuers and audience
        skip-provider-button|b|-||browsers always go straight to the provider
        ssl-insecure-skip-verify|b|-|issuers.NAME.certificate_authority|certificates are always verified: name their authority
        trusted-ip|l|=|routes.login.networks|with TLS here, or with X-Forwarded-For of trusted proxies in other networks
        whitelist-domain|l|-||a login comes back to its own host
        http-address|s|=|listeners.address|carried; fd: is a socket of systemd with a name
        https-address|s|=|listeners.address|where a certificate is named
        metrics-address|s|=|admin.address|carried
        metrics-secure-address|s|-|admin.address|the admin listener has no TLS
        metrics-tls-cert-file|s|-|admin.address|the admin listener has no TLS
        metrics-tls-key-file|s|-|admin.address|the admin listener has no TLS
        tls-cert-file|s|=|listeners.tls.certificate|carried
        tls-key-file|s|=|listeners.tls.key|carried
        tls-cipher-suite|l|-||the system's OpenSSL chooses
        tls-min-version|s|=|listeners.tls.minimum_version|carried
        session-cookie-minimal|b|-||a session keeps what is needed
        session-store-type|s|=|clients.NAME.session.store|cookie, or shared for redis
        redis-cluster-connection-urls|l|=|store.url|carried
        redis-connection-url|s|=|store.url|carried without user and password
        redis-ca-path|s|=|store.tls.certificate_authority|carried
        redis-insecure-skip-tls-verify|b|-|store.tls|certificates are always verified
        redis-password|x|=|store.password|not printed: put it into the file that is named
        redis-sentinel-password|x|=|store.sentinel.password|not printed: put it into the file that is named
        redis-sentinel-master-name|s|=|store.sentinel.name|carried
        redis-sentinel-connection-urls|l|=|store.sentinel.url|carried
        redis-use-cluster|b|=|store.topology|cluster
        redis-use-sentinel|b|=|store.topology|sentinel
        redis-username|s|=|store.user|carried
        redis-connection-idle-timeout|i|-|store|connections are kept open
        flush-interval|d|-||what comes from an upstream is passed on at once
        pass-host-header|b|-||the upstream gets the client's Host
        proxy-websockets|b|=|routes.websocket|true unless it is false
        ssl-upstream-insecure-skip-verify|b|-|routes.upstream.certificate_authority|certificates are always verified: name their authority
        disable-keep-alives|b|-|limits.upstream_idle_connections|connections to upstreams are kept
        upstream-timeout|d|=|timeouts.upstream_first_byte|carried
        upstream|l|=|routes|scheme, host and path; static: is respond; no files are served
        azure-tenant|s|=|issuers.NAME.url|the issuer of one tenant
        azure-graph-group-field|s|-|routes.login.claims|groups are those of the ID token
        entra-id-allowed-tenant|l|=|routes.login.claims|tid must be one of them
        entra-id-federated-token-auth|b|-|clients.NAME.authentication|say private_key_jwt or a secret
        bitbucket-repository|s|!|routes.login.claims|the provider's API is not asked
        bitbucket-team|s|!|routes.login.claims|the provider's API is not asked
        github-org|s|!|routes.login.claims|the provider's API is not asked
        github-repo|s|!|routes.login.claims|the provider's API is not asked
        github-team|s|!|routes.login.claims|the provider's API is not asked
        github-token|x|-||not printed; the provider's API is not asked
        github-user|l|!|routes.login.claims|the provider's API is not asked
        gitlab-group|l|=|routes.login.claims|groups of userinfo
        gitlab-project|l|!|routes.login.claims|the provider's API is not asked
        google-admin-api-user-scope|s|-||the provider's API is not asked
        google-admin-email|s|-||the provider's API is not asked
        google-group|l|!|routes.login.claims|the provider's API is not asked
        google-service-account-json|s|-||the provider's API is not asked
        google-target-principal|s|-||the provider's API is not asked
        google-use-application-default-credentials|s|-||the provider's API is not asked
        google-use-organization-id|s|-||the provider's API is not asked
        keycloak-group|l|=|routes.login.claims|groups of userinfo
        """
}
