import Access
import Gateway
import Transport

/// What `upstream` says of several servers: their shares, whose turn it is, and what becomes of those that fail (ECO-71).
enum UpstreamPoolSection {
    /// A server of a list: its URL, or that with its share.
    static let server = Shape.either([
        .text(UpstreamSection.url),
        .object(
            ObjectShape(
                noun: "a server",
                keys: [
                    KeyDescription(
                        "url", .text(UpstreamSection.url), .required, example: "http://10.0.0.2:3001",
                        "Where it is."),
                    KeyDescription(
                        "weight", .integer(1...1000), .standard("1"), example: "2",
                        "Its share of the requests beside the others' weights; of a name, that of each address."),
                ])),
    ])

    static let settings: [Setting<UpstreamSettings>] = [
        .word(
            "policy", \.pool.policy, [("round_robin", .roundRobin), ("least_requests", .leastRequests)],
            "Whose turn it is: each in turn, or of two drawn by their weights the one with fewer requests under way."),
        .word(
            "sticky", \.pool.sticky, [("never", .never), ("session", .session)],
            "Keeps the requests of a session, or of a token's subject, at one server for as long as it is well."),
        .key(
            "ejection", .object(ejection.shape), .optional, example: "{ failures: 5, time: 10s }",
            "When a server that fails requests gets none for a while."),
        .key(
            "health", .object(health.shape), .optional, example: "{ path: /healthz }",
            "Asks every server whether it is well; one that is not gets no requests."),
        .key(
            "limits", .object(bounds.shape), .optional, example: "{ requests: 200 }",
            "How many requests of each worker there may be at it; more are answered 503 at once."),
        .milliseconds(
            "slow_start", \.pool.slowStart, 0...600_000,
            "For how long the share of a server grows that came back, from a tenth to the whole."),
        .milliseconds(
            "stale", \.pool.stale, 0...86_400_000,
            "For how long the last addresses of a name are used that cannot be looked up again."),
        .flag(
            "retries", \.pool.retries,
            "Sends a request that may be repeated to another server when the first one failed it."),
    ]

    private static let ejection = SettingTable(
        "a mapping with failures and time", defaults: ServerEjectionSettings(),
        [
            .count(
                "failures", \.failures, 0...1000,
                "So many failures in a row take a server out; 0 never does."),
            .milliseconds(
                "time", \.time, 100...600_000,
                "How long for the first time; twice as long each time that it happens again."),
        ])

    private static let bounds = SettingTable(
        "a mapping with requests, pending, pending_per_server or requests_per_server", defaults: UpstreamBounds(),
        [
            .count(
                "requests", orNone: \.requests, 1...100_000, example: "200",
                "Under way at all its servers together, WebSockets included."),
            .count(
                "pending", orNone: \.pending, 1...100_000, example: "50",
                "Of these, those that wait for a connection, or by HTTP/2 for room in one; half of one client at most."),
            .count(
                "pending_per_server", orNone: \.pendingPerServer, 1...100_000, example: "25",
                "Of these, those that wait for a connection to one server; half of them by default, where there are several."
            ),
            .count(
                "requests_per_server", orNone: \.requestsPerServer, 1...100_000, example: "100",
                "Under way at one server, or at one address of a name."),
        ])

    private static let health = SettingTable(
        "a mapping with path or grpc", defaults: ServerHealthSettings(),
        [
            .text(
                "path", \.path, path, example: "/healthz",
                "The path and query that each server is asked for by GET."),
            .text(
                "host", orNone: \.host, host, example: "orders.internal",
                "The Host of that request; the server's own by default."),
            .count("status", \.status, 200...599, "The status of a server that is well."),
            .text(
                "grpc", orNone: \.grpc, service, example: "shop.Orders",
                "The service that each server is asked about by gRPC in place of that, or nothing for all of it."),
            .milliseconds(
                "interval", \.interval, 100...600_000,
                "How often each worker asks each server, on a connection of its own."),
            .milliseconds("timeout", \.timeout, 10...60_000, "How long an answer may take."),
            .count("unhealthy", \.unhealthy, 1...100, "So many wrong answers in a row take a server out."),
            .count("healthy", \.healthy, 1...100, "So many right ones bring it back."),
        ])

    private static let path = TextShape(
        expected: "a path such as /healthz, with a query or without", pattern: "^/[!-\"$-;=?-~]*$"
    ) { text in
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 1024,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 && $0 != 0x3C && $0 != 0x3E })
        else { return TextFault(remedy: "begin it with /, and leave out spaces, # and what is no ASCII") }
        return nil
    }

    private static let service = TextShape(
        expected: "the name of a service such as shop.Orders, or an empty text",
        pattern: "^[A-Za-z0-9._/-]{0,255}$"
    ) { text in
        let isName =
            text.utf8.count <= 255
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
                case _: false
                }
            }
        return isName
            ? nil : TextFault(remedy: "write its package and name as the server has it; \"\" asks about the server")
    }

    private static let host = TextShape(
        expected: "a host such as orders.internal, with a port or without", pattern: "^[A-Za-z0-9._:\\[\\]-]{1,255}$"
    ) { text in
        let isHost =
            (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x3A, 0x41...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x2D, 0x2E: true
                case _: false
                }
            }
        return isHost ? nil : TextFault(remedy: "write a name or an address, and no more than a port behind it")
    }

    /// The URLs of `url`, a text or a list.
    static func texts(_ object: CheckedObject) -> [PlacedText] {
        guard let list = object["url"]?.list else { return object.texts("url") }
        return list.flatMap { element in
            element.object.map { server in server.text("url").map { [$0] } ?? [] } ?? element.texts
        }
    }

    /// Reads what is in mappings of its own, and says what cannot be.
    static func judge(_ object: CheckedObject, _ settings: inout UpstreamSettings, _ problems: ProblemList) {
        let weights = (object["url"]?.list ?? []).map { $0.object?.integer("weight") ?? 1 }
        // As if nothing had been said where all are alike.
        settings.pool.weights = weights.contains { $0 != weights[0] } ? weights : []
        ejection.read(object.object("ejection"), into: &settings.pool.ejection)
        bounds.read(object.object("limits"), into: &settings.pool.bounds)
        if let said = object.object("health") {
            var read = ServerHealthSettings()
            health.read(said, into: &read)
            settings.pool.health = read
            judgeGRPC(said, object, settings.version, problems)
            if read.timeout > read.interval {
                problems.error(
                    at: said.place(of: said.says("timeout") ? "timeout" : "interval"),
                    expected: "a timeout within the interval", found: "a longer one",
                    remedy: "ask less often, or wait less long")
            }
        }
        judgeServers(object, settings, problems)
    }

    /// Says what cannot be of checks by gRPC, and where there must be one.
    private static func judgeGRPC(
        _ said: CheckedObject, _ object: CheckedObject, _ version: UpstreamHTTPVersion, _ problems: ProblemList
    ) {
        guard said.says("grpc") else {
            guard version == .http2 else { return }
            return problems.error(
                at: object.place(of: "health"), expected: "grpc in health beside  protocol: h2", found: "none",
                remedy: "others speak HTTP/1.1: write  grpc: \"\"  or leave health out, ejection does without")
        }
        if version != .http2 {
            problems.error(
                at: said.place(of: "grpc"), expected: "an upstream with  protocol: h2", found: "another protocol",
                remedy: "write  protocol: h2  if the servers speak gRPC, or path in place of grpc")
        }
        for key in ["path", "status"] where said.says(key) {
            problems.error(
                at: said.place(of: key), expected: "no \(key) beside grpc", found: "both",
                remedy: "gRPC asks for SERVING alone: leave \(key) out")
        }
    }

    /// Tells whoever has one server alone that there is nothing to choose.
    private static func judgeServers(
        _ object: CheckedObject, _ settings: UpstreamSettings, _ problems: ProblemList
    ) {
        guard settings.servers.count == 1, let server = settings.servers.first, isOneAddress(server) else { return }
        for key in ["policy", "sticky", "ejection", "health", "slow_start", "stale", "retries"] where object.says(key) {
            problems.warning(
                at: object.place(of: key), expected: "several servers, or a name", found: Quoted.text(server.name),
                remedy: "with one address there is no choice: name another server, or leave \(key) out")
        }
    }

    private static func isOneAddress(_ server: UpstreamServer) -> Bool {
        guard case .address(let host, _) = server else { return true }
        return SocketAddress(literal: host, port: 0) != nil
    }
}
