import SharedState

/// Compares what is said of the store's servers with one another.
struct StoreJudgement {
    private let object: CheckedObject
    private let settings: StoreSettings
    private let problems: ProblemList

    init(_ object: CheckedObject, _ settings: StoreSettings, _ problems: ProblemList) {
        self.object = object
        self.settings = settings
        self.problems = problems
    }

    func judge() {
        judgeTopology()
        judgeUser(object, hasPassword: object.says("password"))
        if let sentinel = object.object("sentinel") { judgeUser(sentinel, hasPassword: sentinel.says("password")) }
        judgeTLS()
        judgePlain()
    }

    private func judgeTopology() {
        switch settings.topology {
        case .standalone, .sentinel:
            if settings.addresses.count > 1 {
                problems.error(
                    at: object.place(of: "url"), expected: "one URL unless topology is cluster",
                    found: "\(settings.addresses.count) of them",
                    remedy: settings.topology == .sentinel
                        ? "name the Sentinels in sentinel.url" : "keep one, or say  topology: cluster")
            }
        case .cluster:
            if settings.database != 0 {
                problems.error(
                    at: object.place(of: "url"), expected: "no database, which a cluster has not",
                    found: "/\(settings.database) in the URL", remedy: "leave it out")
            }
        }
        if settings.topology == .sentinel, !object.says("sentinel") {
            problems.error(
                at: object.place(of: "topology"), expected: "sentinel beside topology: sentinel", found: "none",
                remedy: "add  sentinel: { name: portcullis, url: [\"rediss://sentinel.internal:26379\"] }")
        } else if settings.topology != .sentinel, object.says("sentinel") {
            problems.error(
                at: object.place(of: "sentinel"), expected: "topology: sentinel beside sentinel", found: "another",
                remedy: "say  topology: sentinel , or leave sentinel out")
        }
        if settings.topology != .standalone, settings.addresses.contains(where: { $0.isLocal }) {
            problems.error(
                at: object.place(of: "url"), expected: "a host and a port unless topology is standalone",
                found: "a Unix socket", remedy: "write the server's address, or leave topology out")
        }
    }

    private func judgeUser(_ object: CheckedObject, hasPassword: Bool) {
        guard object.says("user"), !hasPassword else { return }
        problems.error(
            at: object.place(of: "user"), expected: "password beside user", found: "none",
            remedy: "add  password: { file: /run/secrets/store.password }")
    }

    private func judgeTLS() {
        let addresses = settings.addresses + (settings.sentinel?.addresses ?? [])
        guard object.says("tls"), !addresses.isEmpty, !addresses.contains(where: { $0.isSecure }) else { return }
        problems.error(
            at: object.place(of: "tls"), expected: "rediss in the URL beside tls", found: "a store without TLS",
            remedy: "write rediss, or leave tls out")
    }

    private func judgePlain() {
        let own = object.texts("url")
        let sentinels = object.object("sentinel")?.texts("url") ?? []
        for (texts, port) in [(own, UInt16(6379)), (sentinels, 26_379)] {
            for text in texts {
                guard let parsed = try? StoreAddressText.parse(text.text, defaultPort: port),
                    case .network(let host, _, false) = parsed.address, !IPAddress.isLoopback(host)
                else { continue }
                if settings.insecureAllowPlain {
                    problems.warning(
                        at: text.place, expected: "rediss for a store on another machine", found: "redis",
                        remedy: "whoever is between can read the password and write to the store: use rediss")
                } else {
                    problems.error(
                        at: text.place, expected: "rediss for a store on another machine", found: "redis",
                        remedy: "write rediss, or say  insecure_allow_plain: true  where nobody can be between")
                }
            }
        }
    }
}

extension StoreSettings.Address {
    fileprivate var isSecure: Bool {
        if case .network(_, _, let isSecure) = self { isSecure } else { false }
    }

    fileprivate var isLocal: Bool { if case .unixSocket = self { true } else { false } }
}
