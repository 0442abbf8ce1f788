import Access
import Gateway
import Issuers

/// `limits`: bounds on what one message and one worker may bring.
enum LimitSection {
    private static let table = SettingTable(
        "the limits", defaults: LimitSettings(), messages + connections + shares + requests)
    static let shape = table.shape

    /// What one message may bring.
    private static let messages: [Setting<LimitSettings>] = [
        .bytes("request_line", \.requestLine, 1024...65_536, "The request line; a longer one is answered 414."),
        .bytes("header_section", \.headerSection, 4096...65_536, "All header fields; more is answered 431."),
        .count("field_count", \.fieldCount, 8...128, "Header fields of one message; more is answered 431."),
        .bytes("field_line", \.fieldLine, 1024...65_536, "One header field; a longer one is answered 431."),
        .bytes(
            "access_token", \.accessToken, 1024...65_536,
            "One access token; a longer one is answered 401, undecoded."),
        .bytes(
            "request_body", orUnlimited: \.requestBody, 0...(1 << 50), example: "10MiB",
            "One request body; a longer one is answered 413."),
        .bytes(
            "request_body_rate", \.requestBodyRate, 0...(1 << 30),
            "Bytes a second that a request body must bring, on average over timeouts.request_body; else 408."),
        .bytes(
            "response_rate", \.responseRate, 0...(1 << 30),
            "Bytes a second that a client must take, on average over timeouts.response_body; else it is cut off."),
    ]

    /// What one worker holds.
    private static let connections: [Setting<LimitSettings>] = [
        .count(
            "connections", \.connections, 1...1_000_000,
            "Client connections of one worker; beyond it idle ones are closed, or new ones answered 503. Fewer by default where the process may open fewer files."
        ),
        .count(
            "connections_per_client", orNone: \.connectionsPerClient, 1...1_000_000, example: "1000",
            "Of these, those of one IPv4 address or IPv6 /64; by default a quarter, and at least 16."),
        .count(
            "streams", \.streams, 1...1024,
            "Requests at once on one HTTP/2 connection of a client; more are refused unread."),
        .bytes(
            "stream_window", \.streamWindow, 65_536...LimitSettings.mostStreamWindow,
            "Bytes that one such request may send ahead of its upstream, once it was let through; 64 KiB before."),
        .bytes(
            "connection_window", \.connectionWindow, 65_536...(64 << 20),
            "Bytes that all requests on one HTTP/2 connection may send ahead of their upstreams."),
        .count(
            "upstream_connections", \.upstreamConnections, 1...100_000,
            "Connections in use to one upstream by one worker; beyond it requests are answered 503."),
        .count(
            "upstream_connections_per_client", orNone: \.shares.upstreamConnections, 1...100_000, example: "2048",
            "Of these, those of one IPv4 address or IPv6 /64; beyond it 429. Half of them by default, and at most."),
        .count(
            "upstream_idle_connections", \.upstreamIdleConnections, 0...100_000,
            "Idle connections kept to one upstream by one worker."),
        .count(
            "parked_requests", \.parkedRequests, 0...100_000,
            "Requests of one worker that wait for an authorization server; beyond it they are answered 503."),
    ]

    /// What one client may take of what all share.
    private static let shares: [Setting<LimitSettings>] = [
        .count(
            "login_rate_per_client", \.shares.loginRate, 1...1_000_000,
            "Starts of logins a second of one IPv4 address or IPv6 /64, and as many callbacks; beyond it 429."),
        .count(
            "login_burst_per_client", \.shares.loginBurst, 1...1_000_000,
            "So many starts at once, and so many callbacks."),
        .count(
            "logins_per_client", \.shares.logins, 1...100_000,
            "Those that are being answered at a time, 192 of each worker at most; more of them wait, and too many are answered 429."
        ),
        .count(
            "refusal_rate_per_client", \.shares.refusalRate, 1...1_000_000,
            "Refusals a second of one such client that are answered at once; the others a second later."),
        .bytes(
            "login_bodies_per_client", \.shares.loginBodies, 65_536...(16 << 20),
            "Requests of one such client whose forms have not come whole yet, in one worker; beyond it 429."),
        .count(
            "handshakes_per_client", \.shares.handshakes, 1...1_000_000,
            "TLS handshakes of one such client that are under way in one worker; beyond it connections are closed."),
        .count(
            "handshake_rate_per_client", \.shares.handshakeRate, 1...1_000_000,
            "New TLS connections of one such client a second; beyond it they are closed."),
        .count("handshake_burst_per_client", \.shares.handshakeBurst, 1...1_000_000, "So many of them at once."),
        .count(
            "parked_requests_per_client", orNone: \.shares.parkedRequests, 1...100_000, example: "512",
            "Of parked_requests, those of one such client; beyond it 429. Half of them by default, and at most."),
        .count(
            "lookups_per_client", \.shares.lookups, 1...10_000,
            "Requests under way at a server about tokens of one such client, in all workers together; more of them wait."
        ),
        .count(
            "bad_token_rate_per_client", \.shares.badTokens.perSecond, 0...1_000_000,
            "Tokens of one such client a second that an introspection calls bad; beyond it 429. 0 asks about every one."
        ),
        .count("bad_token_burst_per_client", \.shares.badTokens.burst, 1...1_000_000, "So many of them at once."),
        .count(
            "failed_verification_rate_per_client", \.shares.failedVerificationRate, 0...1_000_000,
            "Tokens and proofs of one such client a second that are verified and no good; beyond it none is verified for it, and what was not verified before is answered 429. 0 verifies every one."
        ),
    ]

    /// How often somebody may ask.
    private static let requests: [Setting<LimitSettings>] = [
        .key(
            "requests", RequestRateSection.value, .optional, example: "[{ rate: 100/s, by: address }]",
            "Rates of requests over all routes that have none of their own; beyond one 429."),
        .count(
            "request_keys", \.requests.keys, 64...16_777_216,
            "Addresses, users and the like that each of these rates tells apart at a time, in 16 bytes each."),
    ]

    static func translate(_ object: CheckedObject?, _ problems: ProblemList) -> LimitSettings {
        var limits = LimitSettings()
        limits.connectionsAreOurs = !(object?.says("connections") ?? false)
        guard let object else { return limits }
        table.read(object, into: &limits)
        limits.requests.common = RequestRateSection.translate(object, isPublic: false, problems) ?? []
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
}

/// `token_cache`: the memory for tokens whose signatures were verified before.
enum TokenCacheSection {
    private static let table = SettingTable(
        "the token cache", defaults: TokenCacheSettings(),
        [
            .count("entries", \.entries, 1...10_000_000, "Verified tokens remembered by one worker."),
            .bytes("bytes", \.bytes, 65_536...(64 << 30), "Memory for them in one worker."),
        ])
    static let shape = table.shape

    static func translate(_ object: CheckedObject?) -> TokenCacheSettings {
        var cache = TokenCacheSettings()
        table.read(object, into: &cache)
        return cache
    }
}
