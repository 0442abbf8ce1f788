import HTTPMessage

/// The Redis of oauth2-proxy's sessions.
enum ForeignStore {
    /// `store` of ours, and what is to be done for it; nothing where no server can be read.
    static func lines(_ settings: FlagSettings) -> (lines: [String], steps: [String]) {
        let isCluster = settings.isTrue("redis-use-cluster")
        let isSentinel = settings.isTrue("redis-use-sentinel")
        let urls =
            (isCluster ? settings.list("redis-cluster-connection-urls") : [settings.text("redis-connection-url") ?? ""])
            .compactMap(server)
        let sentinels = settings.list("redis-sentinel-connection-urls").compactMap(server)
        var lines = ["store:"]
        var steps = ["portcullis keys new store --out store.key"]
        var all = urls
        if isSentinel {
            guard let first = sentinels.first, let name = settings.text("redis-sentinel-master-name") else {
                return ([], [])
            }
            all = sentinels
            var sentinel = "name: \(YAMLText.scalar(name)), url: \(quoted(sentinels))"
            if settings.text("redis-sentinel-password") != nil {
                sentinel += ", password: { file: sentinel.password }"
                steps.append("write the Sentinels' password, which is not printed here, into sentinel.password")
            }
            lines += ["  url: \"\(named(first))\"", "  topology: sentinel", "  sentinel: { \(sentinel) }"]
        } else {
            guard let first = urls.first else { return ([], []) }
            lines += isCluster ? ["  url: \(quoted(urls))", "  topology: cluster"] : ["  url: \"\(first)\""]
        }
        if let user = settings.text("redis-username") { lines.append("  user: \(YAMLText.scalar(user))") }
        let hasPassword = ["redis-connection-url", "redis-password"].contains { name in
            name == "redis-password"
                ? settings.text(name) != nil : settings.text(name)?.utf8.contains(UInt8(ascii: "@")) == true
        }
        if hasPassword {
            lines.append("  password: { file: store.password }")
            steps.append(
                "write the store's password, which is not printed here, into store.password, for its user alone to read"
            )
        }
        if let file = settings.text("redis-ca-path"), all.contains(where: { $0.hasPrefix("rediss:") }) {
            lines.append("  tls: { certificate_authority: \(YAMLText.scalar(file)) }")
        }
        if all.contains(where: { $0.hasPrefix("redis:") && !isLoopback($0) }) {
            lines.append("  insecure_allow_plain: true # as it was: whoever is between sees the password; use rediss")
        }
        return (lines + ["  keys: [{ file: store.key }]", "  shares: [sessions]"], steps)
    }

    /// The servers that a Sentinel names: its scheme and host.
    private static func named(_ sentinel: String) -> String {
        let end = sentinel.utf8.lastIndex(of: UInt8(ascii: ":")) ?? sentinel.endIndex
        return String(sentinel[..<end])
    }

    private static func quoted(_ urls: [String]) -> String {
        "[" + urls.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    /// A server's URL without user and password; nil for what is none.
    private static func server(_ text: String) -> String? {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound]
        guard scheme == "redis" || scheme == "rediss" else { return nil }
        var rest = text[mark.upperBound...]
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) { rest = rest[rest.index(after: at)...] }
        guard let url = URI("\(scheme)://\(rest)"), !url.host.isEmpty else { return nil }
        let number = url.path.dropFirst()
        let path =
            !number.isEmpty && number.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } && number != "0" ? url.path : ""
        return "\(scheme)://\(url.port == nil ? url.authority + ":6379" : url.authority)\(path)"
    }

    private static func isLoopback(_ url: String) -> Bool {
        ["redis://127.", "redis://localhost:", "redis://[::1]:"].contains { url.hasPrefix($0) }
    }
}
