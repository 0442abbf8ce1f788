import Configuration

/// Reads the alpha configuration of oauth2-proxy, which is YAML.
struct AlphaReader {
    private let file: String
    private var settings = FlagSettings()

    /// What the YAML says, by the names of flags where there are such.
    static func file(_ file: ForeignFile) throws(ImportRefusal) -> FlagSettings {
        let root: YAMLNode
        do throws(YAMLRefusal) {
            root = try YAMLReader.read(file.bytes)
        } catch {
            let problem = error.problem
            throw ImportRefusal(
                ForeignPlace(file: file.name, position: error.position), expected: problem.expected,
                found: problem.found, remedy: problem.remedy)
        }
        var reader = AlphaReader(file: file.name)
        try reader.document(root)
        return reader.settings
    }

    private init(file: String) { self.file = file }

    private static let sections =
        "upstreamConfig injectRequestHeaders injectResponseHeaders server metricsServer providers"

    private mutating func document(_ root: YAMLNode) throws(ImportRefusal) {
        for entry in root.entries {
            switch entry.key {
            case "providers":
                let providers = entry.value.elements
                guard let first = providers.first else { continue }
                try scalars(first, under: "", Self.provider, restricting: true)
                if providers.count > 1 {
                    note(entry, .issuers, "one provider is carried, the first", name: entry.key)
                }
            case "server": try scalars(entry.value, under: "", Self.server, restricting: false)
            case "metricsServer": try scalars(entry.value, under: "", Self.metrics, restricting: false)
            case "injectRequestHeaders":
                settings.hasFields = true
                for header in entry.value.elements { fields(header) }
            case "injectResponseHeaders":
                note(
                    entry, .routes, FieldChanges.ofUser + "; secrets are not told to clients",
                    name: entry.key)
            case "upstreamConfig": upstreams(entry.value)
            default:
                throw ImportRefusal(
                    place(entry), expected: "one of " + Self.sections, found: entry.key,
                    remedy: "give the alpha configuration of oauth2-proxy")
            }
        }
    }

    // MARK: Keys with flags

    private static let provider = pairs(
        """
        clientID client-id
        clientSecret client-secret
        clientSecretFile client-secret-file
        provider provider
        name provider-display-name
        caFiles provider-ca-file
        useSystemTrustStore use-system-trust-store
        loginURL login-url
        authRequestResponseMode auth-request-response-mode
        redeemURL redeem-url
        profileURL profile-url
        skipClaimsFromProfileURL skip-claims-from-profile-url
        resource resource
        validateURL validate-url
        scope scope
        allowedGroups allowed-group
        code_challenge_method code-challenge-method
        backendLogoutURL backend-logout-url
        keycloakConfig.groups keycloak-group
        keycloakConfig.roles allowed-role
        azureConfig.tenant azure-tenant
        azureConfig.graphGroupField azure-graph-group-field
        microsoftEntraIDConfig.allowedTenants entra-id-allowed-tenant
        microsoftEntraIDConfig.federatedTokenAuth entra-id-federated-token-auth
        bitbucketConfig.team bitbucket-team
        bitbucketConfig.repository bitbucket-repository
        githubConfig.org github-org
        githubConfig.team github-team
        githubConfig.repo github-repo
        githubConfig.token github-token
        githubConfig.users github-user
        gitlabConfig.group gitlab-group
        gitlabConfig.projects gitlab-project
        googleConfig.group google-group
        googleConfig.adminEmail google-admin-email
        googleConfig.serviceAccountJson google-service-account-json
        googleConfig.useApplicationDefaultCredentials google-use-application-default-credentials
        googleConfig.targetPrincipal google-target-principal
        googleConfig.useOrganizationID google-use-organization-id
        googleConfig.adminAPIUserScope google-admin-api-user-scope
        oidcConfig.issuerURL oidc-issuer-url
        oidcConfig.insecureAllowUnverifiedEmail insecure-oidc-allow-unverified-email
        oidcConfig.insecureSkipIssuerVerification insecure-oidc-skip-issuer-verification
        oidcConfig.insecureSkipNonce insecure-oidc-skip-nonce
        oidcConfig.skipDiscovery skip-oidc-discovery
        oidcConfig.jwksURL oidc-jwks-url
        oidcConfig.publicKeyFiles oidc-public-key-file
        oidcConfig.emailClaim oidc-email-claim
        oidcConfig.groupsClaim oidc-groups-claim
        oidcConfig.userIDClaim user-id-claim
        oidcConfig.audienceClaims oidc-audience-claim
        oidcConfig.extraAudiences oidc-extra-audience
        oidcConfig.enabledSigningAlgs oidc-enabled-signing-alg
        loginGovConfig.jwtKey jwt-key
        loginGovConfig.jwtKeyFile jwt-key-file
        loginGovConfig.pubjwkURL pubjwk-url
        """)
    private static let server = pairs(
        """
        bindAddress http-address
        BindAddress http-address
        secureBindAddress https-address
        SecureBindAddress https-address
        tls.cert.fromFile tls-cert-file
        tls.key.fromFile tls-key-file
        tls.minVersion tls-min-version
        tls.cipherSuites tls-cipher-suite
        """)
    private static let metrics = pairs(
        """
        bindAddress metrics-address
        BindAddress metrics-address
        secureBindAddress metrics-secure-address
        SecureBindAddress metrics-secure-address
        tls.cert.fromFile metrics-tls-cert-file
        tls.key.fromFile metrics-tls-key-file
        """)
    /// Keys of a provider that need no word: they name it, or say what is there anyway.
    private static let silent = ["id", "additionalClaims", "ADFSConfig.skipScope"]

    private static func pairs(_ text: String) -> [String: String] {
        Dictionary(
            text.split(separator: "\n").map { line in
                let words = line.split(separator: " ")
                return (String(words[0]), String(words[1]))
            }
        ) { first, _ in first }
    }

    private mutating func scalars(
        _ node: YAMLNode, under prefix: String, _ names: [String: String], restricting: Bool
    ) throws(ImportRefusal) {
        for entry in node.entries {
            let path = prefix + entry.key
            if path == "loginURLParameters" {
                try parameters(entry.value)
            } else if let flag = names[path] {
                let values = entry.value.texts
                guard !values.isEmpty else { continue }
                if FlagTable.row(flag)?.kind != .secret, values.contains(where: { $0.firstRange(of: "${") != nil }) {
                    note(
                        entry, .clients, "its value is in a variable: write it out, or import what envsubst makes",
                        name: path)
                    if restricting,
                        ["allowed-", "-group", "-tenant", "github-", "gitlab-", "bitbucket-"]
                            .contains(where: { flag.firstRange(of: $0) != nil })
                    {
                        settings.undecided.append(path)
                    }
                    continue
                }
                var setting = try FlagValue.setting(flag, values, at: place(entry))
                setting.spelling = path
                settings.set(setting)
            } else if case .mapping = entry.value.content {
                try scalars(entry.value, under: path + ".", names, restricting: restricting)
            } else if !Self.silent.contains(path) {
                note(entry, restricting ? .issuers : .listeners, "has no key", name: path)
            }
        }
    }

    private mutating func parameters(_ node: YAMLNode) throws(ImportRefusal) {
        for parameter in node.elements {
            guard let name = parameter["name"]?.texts.first else { continue }
            let values = parameter["default"]?.texts ?? []
            let place = ForeignPlace(file: file, position: parameter.position)
            if ["prompt", "acr_values", "resource"].contains(name), values.count == 1, parameter["allow"] == nil {
                settings.set(
                    try FlagValue.setting(name == "acr_values" ? "acr-values" : name, values, at: place))
            } else if name != "approval_prompt" {
                let setting = ForeignSetting(name: "", values: [], place: place, spelling: "loginURLParameters \(name)")
                settings.notes.append((setting, .clients, "no such parameter is sent, and none is taken from a URL"))
            }
        }
    }

    // MARK: Fields and upstreams

    private mutating func fields(_ header: YAMLNode) {
        let place = ForeignPlace(file: file, position: header.position)
        let name = header["name"]?.texts.first ?? ""
        let values = header["values"]?.elements ?? []
        let source = values.first?["claimSource"] ?? values.first
        guard values.count == 1, let source, let claim = source["claim"]?.texts.first,
            source["basicAuthPassword"] == nil
        else {
            let setting = ForeignSetting(name: "", values: [], place: place, spelling: "injectRequestHeaders \(name)")
            settings.notes.append(
                (
                    setting, .routes,
                    "a password or several values have no key in identity; a fixed value is not printed: say "
                        + "request_fields, or static in upstream_credential"
                ))
            return
        }
        settings.identity.append(
            ForeignField(place: place, name: name, claim: claim, prefix: source["prefix"]?.texts.first ?? ""))
    }

    private mutating func upstreams(_ node: YAMLNode) {
        for entry in node.entries where entry.key != "upstreams" {
            note(entry, .routes, "what of a path is not changed is passed on as it is", name: entry.key)
        }
        for upstream in node["upstreams"]?.elements ?? [] {
            let isTrue: (String) -> Bool? = { upstream[$0]?.texts.first.flatMap(FlagSettings.boolean) }
            settings.upstreams.append(
                ForeignUpstream(
                    place: ForeignPlace(file: file, position: upstream.position),
                    path: upstream["path"]?.texts.first ?? "",
                    uri: upstream["uri"]?.texts.first ?? "", isStatic: isTrue("static") == true,
                    staticCode: upstream["staticCode"]?.texts.first?[...],
                    rewriteTarget: upstream["rewriteTarget"]?.texts.first, takesWebSockets: isTrue("proxyWebSockets")))
            for entry in upstream.entries
            where !["id", "path", "uri", "static", "staticCode", "rewriteTarget", "proxyWebSockets"].contains(entry.key)
            {
                let flag = Self.ofUpstream[entry.key]
                note(
                    entry, .routes, flag.flatMap { FlagTable.row($0) }.map { String($0.words) } ?? "has no key",
                    name: "upstreams " + entry.key)
            }
        }
    }

    private static let ofUpstream = [
        "insecureSkipTLSVerify": "ssl-upstream-insecure-skip-verify", "flushInterval": "flush-interval",
        "passHostHeader": "pass-host-header", "disableKeepAlives": "disable-keep-alives",
    ]

    private func place(_ entry: YAMLNode.Entry) -> ForeignPlace {
        ForeignPlace(file: file, position: entry.keyPosition)
    }

    private mutating func note(_ entry: YAMLNode.Entry, _ part: Draft.Part, _ why: String, name: String) {
        let setting = ForeignSetting(name: "", values: [], place: place(entry), spelling: name)
        settings.notes.append((setting, part, why))
    }
}

extension YAMLNode {
    /// The entries of a mapping; none of anything else.
    fileprivate var entries: [Entry] {
        if case .mapping(let entries) = content { return entries }
        return []
    }

    /// The members of a list; none of anything else.
    fileprivate var elements: [YAMLNode] {
        if case .sequence(let nodes) = content { return nodes }
        return []
    }

    /// The text here, or the texts of a list.
    fileprivate var texts: [String] {
        switch content {
        case .scalar(let text, _): [text]
        case .sequence(let nodes):
            nodes.flatMap { node in
                if case .scalar(let text, _) = node.content { return [text] }
                return []
            }
        case .mapping: []
        }
    }

    fileprivate subscript(key: String) -> YAMLNode? { entries.first { $0.key == key }?.value }
}
