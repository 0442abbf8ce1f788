import Gateway
import Issuers

/// `limits`: bounds on what one message and one worker may bring.
enum LimitSection {
    static let shape = ObjectShape(
        noun: "the limits",
        keys: [
            size("request_line", 1024...65_536, "8KiB", "The request line; a longer one is answered 414."),
            size("header_section", 4096...65_536, "64KiB", "All header fields; more is answered 431."),
            KeyDescription(
                "field_count", .integer(8...128), .standard("100"),
                "Header fields of one message; more is answered 431."),
            size("field_line", 1024...65_536, "32KiB", "One header field; a longer one is answered 431."),
            size("access_token", 1024...65_536, "16KiB", "One access token; a longer one is answered 401, undecoded."),
            KeyDescription(
                "request_body", requestBody, .standard("unlimited"),
                example: "10MiB", "One request body; a longer one is answered 413."),
            KeyDescription(
                "request_body_rate", rate, .standard("240B"),
                "Bytes a second that a request body must bring, on average over timeouts.request_body; else 408."),
            KeyDescription(
                "response_rate", rate, .standard("240B"),
                "Bytes a second that a client must take, on average over timeouts.response_body; else it is cut off."),
            count(
                "connections", 1...1_000_000, "50000",
                "Client connections of one worker; beyond it idle ones are closed, or new ones answered 503. Fewer by default where the process may open fewer files."
            ),
            KeyDescription(
                "connections_per_client", .integer(1...1_000_000), .optional, example: "1000",
                "Of these, those of one IPv4 address or IPv6 /64; by default a quarter, and at least 16."),
            count(
                "upstream_connections", 1...100_000, "4096",
                "Connections in use to one upstream by one worker; beyond it requests are answered 503."),
            KeyDescription(
                "upstream_connections_per_client", .integer(1...100_000), .optional, example: "2048",
                "Of these, those of one IPv4 address or IPv6 /64; beyond it 429. Half of them by default, and at most."),
            count(
                "upstream_idle_connections", 0...100_000, "256", "Idle connections kept to one upstream by one worker."),
            count(
                "parked_requests", 0...100_000, "1024",
                "Requests of one worker that wait for an authorization server; beyond it they are answered 503."),
        ] + shares)

    /// What one client may take of what all share.
    private static let shares = [
        count(
            "login_rate_per_client", 1...1_000_000, "200",
            "Starts of logins a second of one IPv4 address or IPv6 /64, and as many callbacks; beyond it 429."),
        count("login_burst_per_client", 1...1_000_000, "2000", "So many starts at once, and so many callbacks."),
        count(
            "logins_per_client", 1...100_000, "64",
            "Those that are being answered at a time, 192 of each worker at most; more of them wait, and too many are answered 429."
        ),
        count(
            "refusal_rate_per_client", 1...1_000_000, "500",
            "Refusals a second of one such client that are answered at once; the others a second later."),
        size(
            "login_bodies_per_client", 65_536...(16 << 20), "4MiB",
            "Requests of one such client whose forms have not come whole yet, in one worker; beyond it 429."),
        count(
            "handshakes_per_client", 1...1_000_000, "1000",
            "TLS handshakes of one such client that are under way in one worker; beyond it connections are closed."),
        count(
            "handshake_rate_per_client", 1...1_000_000, "200",
            "New TLS connections of one such client a second; beyond it they are closed."),
        count("handshake_burst_per_client", 1...1_000_000, "2000", "So many of them at once."),
        KeyDescription(
            "parked_requests_per_client", .integer(1...100_000), .optional, example: "512",
            "Of parked_requests, those of one such client; beyond it 429. Half of them by default, and at most."),
        count(
            "lookups_per_client", 1...10_000, "32",
            "Requests under way at a server about tokens of one such client, in all workers together; more of them wait."
        ),
        count(
            "bad_token_rate_per_client", 0...1_000_000, "50",
            "Tokens of one such client a second that an introspection calls bad; beyond it 429. 0 asks about every one."
        ),
        count("bad_token_burst_per_client", 1...1_000_000, "100", "So many of them at once."),
    ]

    static let requestBody = Shape.byteCount(0...(1 << 50), acceptsUnlimited: true)
    static let rate = Shape.byteCount(0...(1 << 30), acceptsUnlimited: false)

    static func translate(_ object: CheckedObject?, _ problems: ProblemList) -> LimitSettings {
        var limits = LimitSettings()
        limits.connectionsAreOurs = !(object?.says("connections") ?? false)
        guard let object else { return limits }
        size(object, "request_line", &limits.requestLine)
        size(object, "header_section", &limits.headerSection)
        size(object, "field_line", &limits.fieldLine)
        size(object, "access_token", &limits.accessToken)
        integer(object, "field_count", &limits.fieldCount)
        integer(object, "connections", &limits.connections)
        limits.connectionsPerClient = object.integer("connections_per_client")
        size(object, "request_body_rate", &limits.requestBodyRate)
        size(object, "response_rate", &limits.responseRate)
        integer(object, "upstream_connections", &limits.upstreamConnections)
        limits.shares.upstreamConnections = object.integer("upstream_connections_per_client")
        integer(object, "upstream_idle_connections", &limits.upstreamIdleConnections)
        integer(object, "parked_requests", &limits.parkedRequests)
        integer(object, "login_rate_per_client", &limits.shares.loginRate)
        integer(object, "login_burst_per_client", &limits.shares.loginBurst)
        integer(object, "refusal_rate_per_client", &limits.shares.refusalRate)
        integer(object, "logins_per_client", &limits.shares.logins)
        size(object, "login_bodies_per_client", &limits.shares.loginBodies)
        integer(object, "handshakes_per_client", &limits.shares.handshakes)
        integer(object, "handshake_rate_per_client", &limits.shares.handshakeRate)
        integer(object, "handshake_burst_per_client", &limits.shares.handshakeBurst)
        limits.shares.parkedRequests = object.integer("parked_requests_per_client")
        integer(object, "lookups_per_client", &limits.shares.lookups)
        integer(object, "bad_token_rate_per_client", &limits.shares.badTokens.perSecond)
        integer(object, "bad_token_burst_per_client", &limits.shares.badTokens.burst)
        if let body = object.byteCount("request_body") { limits.requestBody = body.map(Int64.init) }
        judge("field_line", limits.fieldLine, fitsIn: "header_section", limits.headerSection, object, problems)
        judgeConnections(limits, object, problems)
        judgeHandshakes(limits, object, problems)
        judgeHalf("parked_requests", limits.parkedRequests, limits.shares.parkedRequests, object, problems)
        judgeHalf(
            "upstream_connections", limits.upstreamConnections, limits.shares.upstreamConnections, object, problems)
        judge("access_token", limits.accessToken, fitsIn: "field_line", limits.fieldLine, object, problems)
        return limits
    }

    private static func judgeConnections(_ limits: LimitSettings, _ object: CheckedObject, _ problems: ProblemList) {
        guard let each = limits.connectionsPerClient, each > limits.connections else { return }
        problems.error(
            at: object.place(of: "connections_per_client"), expected: "connections_per_client of at most connections",
            found: "\(each) and \(limits.connections)", remedy: "raise connections or lower connections_per_client")
    }

    /// A handshake under way is a connection: a share above that of connections is never reached.
    private static func judgeHandshakes(_ limits: LimitSettings, _ object: CheckedObject, _ problems: ProblemList) {
        let each = limits.shares.handshakes
        guard object.says("handshakes_per_client"), each > limits.clientConnections else { return }
        problems.error(
            at: object.place(of: "handshakes_per_client"),
            expected: "handshakes_per_client of at most connections_per_client",
            found: "\(each) and \(limits.clientConnections)",
            remedy: "raise connections_per_client or lower handshakes_per_client")
    }

    /// One client has no more than it leaves to others: a share above half is no share.
    private static func judgeHalf(
        _ all: String, _ count: Int, _ each: Int?, _ object: CheckedObject, _ problems: ProblemList
    ) {
        guard let each, each > max(1, count / 2) else { return }
        problems.error(
            at: object.place(of: all + "_per_client"), expected: "\(all)_per_client of at most half of \(all)",
            found: "\(each) and \(count)", remedy: "raise \(all) or lower \(all)_per_client")
    }

    /// What does nothing is said: no client gets more than it leaves to others, however large its share.
    static func judgeShares(
        _ limits: LimitSettings, workers: Int, _ object: CheckedObject?, _ problems: ProblemList
    ) {
        guard let object else { return }
        let shares = limits.shares
        let logins = ClientShareSettings.mostLogins
        if shares.logins > logins * workers {
            warn(
                "logins_per_client", "\(shares.logins)", most: "\(logins * workers)",
                "\(logins) of each of \(workers) workers", object, problems)
        }
        if shares.loginBodies > ClientShareSettings.mostLoginBodies {
            warn(
                "login_bodies_per_client", ByteCountText.text(shares.loginBodies),
                most: ByteCountText.text(ClientShareSettings.mostLoginBodies), "half of what one worker has for them",
                object, problems)
        }
        if shares.lookups > LookupBounds.mostPerClient {
            warn(
                "lookups_per_client", "\(shares.lookups)", most: "\(LookupBounds.mostPerClient)",
                "half of those that one server is asked at a time", object, problems)
        }
    }

    private static func warn(
        _ key: String, _ found: String, most: String, _ reason: String, _ object: CheckedObject,
        _ problems: ProblemList
    ) {
        problems.warning(
            at: object.place(of: key), expected: "at most \(most), which is \(reason)", found: found,
            remedy: "say \(most): no client gets more, for as many are left to others")
    }

    /// A smaller bound above a larger one would never be reached.
    private static func judge(
        _ inner: String, _ innerSize: Int, fitsIn outer: String, _ outerSize: Int, _ object: CheckedObject,
        _ problems: ProblemList
    ) {
        guard innerSize > outerSize else { return }
        problems.error(
            at: object.place(of: object.says(inner) ? inner : outer), expected: "\(inner) of at most \(outer)",
            found: "\(ByteCountText.text(innerSize)) and \(ByteCountText.text(outerSize))",
            remedy: "raise \(outer) or lower \(inner)")
    }

    private static func size(_ object: CheckedObject, _ key: String, _ setting: inout Int) {
        if case .some(.some(let bytes)) = object.byteCount(key) { setting = bytes }
    }

    private static func integer(_ object: CheckedObject, _ key: String, _ setting: inout Int) {
        if let integer = object.integer(key) { setting = integer }
    }

    private static func size(
        _ name: String, _ range: ClosedRange<Int>, _ standard: String, _ sentence: String
    ) -> KeyDescription {
        KeyDescription(name, .byteCount(range, acceptsUnlimited: false), .standard(standard), sentence)
    }

    private static func count(
        _ name: String, _ range: ClosedRange<Int>, _ standard: String, _ sentence: String
    ) -> KeyDescription {
        KeyDescription(name, .integer(range), .standard(standard), sentence)
    }
}

/// `token_cache`: the memory for tokens whose signatures were verified before.
enum TokenCacheSection {
    static let shape = ObjectShape(
        noun: "the token cache",
        keys: [
            KeyDescription(
                "entries", .integer(1...10_000_000), .standard("100000"), "Verified tokens remembered by one worker."),
            KeyDescription(
                "bytes", .byteCount(65_536...(64 << 30), acceptsUnlimited: false), .standard("128MiB"),
                "Memory for them in one worker."),
        ])

    static func translate(_ object: CheckedObject?) -> TokenCacheSettings {
        var cache = TokenCacheSettings()
        if let entries = object?.integer("entries") { cache.entries = entries }
        if case .some(.some(let bytes)) = object?.byteCount("bytes") { cache.bytes = bytes }
        return cache
    }
}
