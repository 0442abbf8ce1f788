import Access
import Gateway
import Issuers
import Login
import OAuth
import Pages
import Transport

/// The whole document: every key of the configuration hangs below this description.
enum DocumentSection {
    private static let table = SettingTable(
        "the configuration",
        defaults: GatewaySettings(workers: 0, listeners: [], admin: AdminSection.standard, issuers: [], routes: []),
        texts + processes + places + rules + memory + shared)
    static let shape = table.shape

    /// What the text is put together from, before anything is made of it: `VariableValues`, `IncludedFiles`.
    private static let texts: [Setting<GatewaySettings>] = [
        .key(
            VariableValues.key,
            .list(ListShape(noun: "variables", element: .text(PlainText.environmentVariable), count: 1...64)),
            .optional,
            example: "[PUBLIC_URL]", "Environment variables that are filled in for ${NAME} in values, and no others."),
        .key(
            IncludedFiles.key,
            .list(ListShape(noun: "files", element: .text(IncludedFiles.pattern), count: 1...64)), .optional,
            example: "[conf.d/*.yaml]", "Files with further hosts and routes; one * may stand in their names."),
    ]

    private static let processes: [Setting<GatewaySettings>] = [
        .key(
            "workers", .integer(1...256), .optional, example: "2",
            "Threads that serve; by default one for each processor this process may use."),
        .count(
            "replicas", \.replicas, 1...1000, example: "3",
            "How many gateways serve these public URLs side by side, at most."),
        .value(
            "watch", \.watch, .boolean, .optional, example: "true",
            "Whether a change of this file is a reload, as a renewed certificate is; by default where Kubernetes mounts it."
        ) { if case .flag(let flag) = $0.content { .some(flag) } else { nil } },
    ]

    private static let places: [Setting<GatewaySettings>] = [
        .key(
            "listeners",
            .list(ListShape(noun: "listeners", element: .object(ListenerSection.shape), count: 1...64)), .required,
            example: "[{ address: 0.0.0.0:8443, public_url: https://shop.example.com }]",
            "The addresses that clients connect to."),
        .key(
            "admin", .object(AdminSection.shape), .optional,
            example: "{ address: \(AdminSection.standard.address.text) }", "The listener of metrics and health."),
        .key(
            "issuers",
            .entries(
                EntriesShape(
                    noun: "names to issuers", name: PlainText.name(of: "an issuer"),
                    value: .object(IssuerSection.shape), count: 1...256)),
            .optional, example: "{ main: { url: https://id.example.com/ } }",
            "The authorization servers whose tokens are believed, by a name of your choice."),
        .key(
            "clients",
            .entries(
                EntriesShape(
                    noun: "names to clients", name: PlainText.name(of: "a client"),
                    value: .object(ClientSection.shape), count: 1...256)),
            .optional,
            example:
                "{ shop: { issuer: main, id: shop, authentication: { method: private_key_jwt, key: { file: c.key } } } }",
            "What this gateway is to issuers when it asks them something, by a name of your choice."),
        .key(
            "hosts", .list(ListShape(noun: "hosts", element: .object(HostSection.shape), count: 1...10_000)), .optional,
            example: "[{ host: grafana.example.com }]",
            "Hosts beside those of the listeners, each with its own routes; any other is answered 421."),
        .key(
            "routes", .list(ListShape(noun: "routes", element: .object(RouteSection.shape), count: 1...10_000)),
            .required, example: "[{ path: /, upstream: http://127.0.0.1:3000, public: true }]",
            "Where requests go and who may make them; what no route names is answered 404."),
    ]

    private static let rules: [Setting<GatewaySettings>] = [
        .key(
            "pages", .object(PageSection.shape), .optional, example: "{ name: Orders, landing: /app/ }",
            "What people see when something is refused, and while they sign in or out."),
        .key(
            "limits", .object(LimitSection.shape), .optional, example: "{ request_body: 10MiB }",
            "Bounds on what one message and one worker may bring."),
        .key(
            "timeouts", .object(TimeoutSection.shape), .optional, example: "{ keep_alive: 75s }",
            "How long each thing may take."),
        .list(
            "name_servers", \.nameServers,
            .list(
                ListShape(
                    noun: "name servers", element: .text(NameServerText.shape), count: 1...NameServer.most)),
            example: "[10.96.0.10, \"127.0.0.1:5353\"]",
            "Who is asked where upstreams' names lead; those of /etc/resolv.conf by default.",
            written: NameServerText.written, read: NameServerText.parse),
        .key(
            "log", .object(LogSection.shape), .optional, example: "{ level: info }",
            "What is written, and where."),
        .key(
            "tracing", .object(TracingSection.shape), .optional, example: "{ endpoint: http://127.0.0.1:4318 }",
            "Spans of requests for a collector; without it no request's traceparent is touched."),
        .key(
            "audit", .object(AuditSection.shape), .optional,
            example: "{ destination: /var/log/portcullis/audit.log }",
            "Who signed in and out, what was refused to whom, and what the operator changed: off by default."),
    ]

    private static let shared: [Setting<GatewaySettings>] = [
        .key(
            "store", .object(StoreSection.shape), .optional,
            example: "{ url: \"rediss://store.internal:6379\", keys: [{ file: /run/secrets/store.key }] }",
            "Where several gateways keep what they have in common: sessions, used proofs, used logins.")
    ]

    private static let memory: [Setting<GatewaySettings>] = [
        .key(
            "token_cache", .object(TokenCacheSection.shape), .optional, example: "{ entries: 100000 }",
            "The memory for tokens whose signatures were verified before."),
        .count(
            "precomputed_keys", \.precomputedKeys, 0...1024,
            "Busy P-256 keys, issuers' and clients', that verify in half the time, at 150 KB each; 0 for none."),
        .key(
            "dpop", .object(ProofSection.shape), .optional, example: "{ past: 60s }",
            "How DPoP proofs are judged on every route, and what is remembered of them."),
        .key(
            "assertion_keys", .object(AssertionKeySection.shape), .optional,
            example: "{ files: [/run/secrets/assertion.pem] }",
            "The keys that sign identity assertions for upstreams."),
        .value(
            "via", \.via, .text(PlainText.pseudonym), .optional, example: "shop-gateway",
            "This gateway's name in Via; a request that brings it along is in a loop and answered 508."
        ) { $0.text },
        .count(
            "explain_buffer", \.explainBuffer, 0...100_000, example: "1000",
            "Requests remembered, without their secrets, for  portcullis explain --request-id ."),
    ]

    /// The settings, if everything that they need fits; problems are in the translation's list either way.
    static func translate(_ document: CheckedObject, _ translation: Translation) -> GatewaySettings? {
        let problems = translation.problems
        for key in [VariableValues.key, IncludedFiles.key] { Repetition.refuse(document.texts(key), problems) }
        let listeners = listeners(document, translation)
        let admin = AdminSection.translate(document.object("admin"))
        refuseNames(document, problems)
        refuseCollisions(listeners, admin, document, problems)
        let limits = LimitSection.translate(document.object("limits"), problems)
        let workers = document.integer("workers") ?? translation.sources.processors
        LimitSection.judgeShares(limits, workers: workers, document.object("limits"), problems)
        let context = IssuerContext(
            translation: translation, issuers: IssuersByName(document), clients: ClientsByName(document))
        var issuers = document.entries("issuers").compactMap { IssuerSection.translate($0, context) }
        for index in issuers.indices { issuers[index].rules.maximumTokenBytes = limits.accessToken }
        let clients = document.entries("clients").compactMap { ClientSection.translate($0, context) }
        let loginNames = LoginsByName(document)
        loginNames.judge(document, problems)
        let hosts = HostsByName(
            HostSection.translate(document, listeners.map(\.settings), problems), document)
        CoalescedNames(listeners.map { ($0.settings, $0.object) }, hosts.settings, translation).judge(problems)
        let routes = routes(document, listeners.map(\.settings), admin, context, loginNames, hosts)
        let loginsInUse = LoginsInUse(document, clients)
        let logins = loginsInUse.translate(
            LoginContext(translation: translation, names: loginNames, issuers: issuers, routes: routes))
        IssuersInUse(document).judge(problems)
        let clientsInUse = ClientsInUse(document)
        clientsInUse.judge(problems)
        for index in issuers.indices where clientsInUse.issuersAskedForTokens.contains(issuers[index].name) {
            issuers[index].readsEndpoints = true
        }
        PublishedResources(document, routes, listeners.map(\.settings), hosts).judge(problems)
        let pages = PageSection.translate(document.object("pages"), routes, translation)
        let log = LogSection.translate(document.object("log"), translation)
        let tracing = TracingSection.translate(document.object("tracing"), translation)
        TracingSection.judgeRoutes(document, problems)
        let audit = AuditSection.translate(document.object("audit"), log, translation)
        let proofs = ProofSection.translate(document.object("dpop"), limits, translation)
        let assertionKeys = AssertionKeySection.translate(document.object("assertion_keys"), translation)
        KeysInUse(document, clients, assertionKeys).judge(problems)
        LoginKeysInUse(document, clients, logins, assertionKeys).judge(problems)
        SessionKeysInUse(document, clients, logins, proofs).judge(problems)
        let store = StoreSection.translate(document.object("store"), translation)
        StoreInUse(document, store, logins).judge(problems)
        guard !problems.hasErrors else { return nil }
        loginsInUse.warnOfPassingKeys(logins, problems)
        loginsInUse.warnOfDomains(logins, problems)
        KeysOfReplicas(document).judge(logins, problems)
        var settings = GatewaySettings(
            workers: workers,
            listeners: listeners.map(\.settings), admin: admin, issuers: issuers, routes: routes)
        settings.hosts = hosts.settings
        settings.limits = limits
        settings.timeouts = TimeoutSection.translate(document.object("timeouts"))
        settings.pages = pages
        settings.log = log
        settings.tracing = tracing
        settings.store = store
        settings.audit = audit
        settings.tokenCache = TokenCacheSection.translate(document.object("token_cache"))
        settings.clients = clients
        settings.logins = logins.map { login in
            var login = login
            login.start.page = pages.landing ?? "/"
            return login
        }
        settings.proofs = proofs
        settings.proofs.sharing = ProofSettings.Sharing(store)
        settings.assertionKeys = assertionKeys
        table.read(document, into: &settings)
        warnOfExplanations(settings, document, problems)
        return settings
    }

    /// Whoever reaches the admin listener reads what tokens claim, where requests are remembered.
    private static func warnOfExplanations(
        _ settings: GatewaySettings, _ document: CheckedObject, _ problems: ProblemList
    ) {
        let address = settings.admin.address
        guard settings.explainBuffer > 0, address.unixPath == nil, !IPAddress.isLoopback(address.host) else { return }
        problems.warning(
            at: document.place(of: "explain_buffer"),
            expected: "an admin listener that only this machine reaches, for it shows claims of tokens",
            found: "admin.address \(address.text)",
            remedy: "leave out explain_buffer, or let nobody but operators reach that address")
    }

    private typealias PlacedListener = (settings: ListenerSettings, place: Place, object: CheckedObject)

    private static func listeners(_ document: CheckedObject, _ translation: Translation) -> [PlacedListener] {
        let hosts = document.list("hosts").compactMap(\.object)
        return document.list("listeners").compactMap(\.object).compactMap { object in
            ListenerSection.translate(object, hosts: hosts, translation).map {
                ($0, object["address"]?.place ?? object.place, object)
            }
        }
    }

    /// A socket that is handed over is one listener's.
    private static func refuseNames(_ document: CheckedObject, _ problems: ProblemList) {
        let names = document.list("listeners").compactMap(\.object).compactMap { $0.text("name") }
        Repetition.refuse(names, problems)
        for name in names where name.text == AdminSettings.name {
            problems.error(
                at: name.place, expected: "another name than that of the admin listener", found: Quoted.text(name.text),
                remedy: "choose a name such as web")
        }
    }

    private static func refuseCollisions(
        _ listeners: [PlacedListener], _ admin: AdminSettings, _ document: CheckedObject, _ problems: ProblemList
    ) {
        for (index, listener) in listeners.enumerated() {
            let address = listener.settings.address
            if let other = listeners[..<index].first(where: { $0.settings.address.collides(with: address) }) {
                problems.error(
                    at: listener.place, expected: "an address of its own",
                    found: "\(address.text) beside \(other.settings.address.text) on \(other.place.position.words)",
                    remedy: "choose another port")
            }
            guard address.collides(with: admin.address) else { continue }
            let place = document.object("admin")?["address"]?.place ?? listener.place
            problems.error(
                at: place, expected: "an address of its own for admin",
                found: "\(admin.address.text) beside the listener \(address.text)", remedy: "choose another port")
        }
    }

    private static func routes(
        _ document: CheckedObject, _ listeners: [ListenerSettings], _ admin: AdminSettings, _ issuers: IssuerContext,
        _ logins: LoginsByName, _ hosts: HostsByName
    ) -> [RouteSettings] {
        let context = RouteContext(
            translation: issuers.translation, issuers: issuers.issuers, clients: issuers.clients, logins: logins,
            hosts: hosts,
            listeners: listeners,
            listenersAreKnown: listeners.count == document.list("listeners").count && document["listeners"] != nil,
            admin: admin)
        let objects = document.list("routes").compactMap(\.object)
        hosts.judge(objects, issuers.translation.problems)
        hosts.judgeDomains(objects, listeners, issuers.translation.problems)
        RouteSection.judgeCases(objects, issuers.translation.problems)
        RouteSection.judgeCasesOfWildcards(objects, issuers.translation.problems)
        FieldChangesSection.judgeNames(objects, issuers.translation.problems)
        let routes = objects.compactMap { object in
            RouteSection.translate(object, context).map { (object: object, settings: $0) }
        }
        SharedPaths(objects).judge(issuers.translation.problems)
        RouteSection.judgeExactPaths(routes, issuers.translation.problems)
        RouteSection.judgeCrossings(routes, issuers.translation.problems)
        return routes.map(\.settings)
    }
}
