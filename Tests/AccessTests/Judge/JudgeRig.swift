import Bytes
import Crypto
import HTTP1
import HTTPMessage
@testable import Issuers
import JOSE
import Login
import OAuth
import Replay
import Sessions
import Telemetry
import TestSupport

@testable import Access

/// A policy, somebody who is known, and requests to be judged: no socket, no loop, no worker.
final class JudgeRig {
    static let now: Int64 = 1_800_000_000
    static let audience = "https://api.example/"

    /// What a connection says; as if its client had shown this certificate.
    struct Connection: ArrivalConnection {
        var serverName: String?
        var isFromTerminator = false
        var certificateDigest: SHA256Digest?
        var network: (UInt64, UInt64)? = (1, 2)
        var address: UInt128?
        var mayVerify = true
        var nanoseconds: UInt64 = 1_000_000_000

        func serverNameAgrees(with host: Span<UInt8>) -> Bool {
            serverName.map { Array($0.utf8).span.isEqual(to: host) } ?? true
        }
    }

    /// What became of one judgement.
    struct Outcome {
        let judgement: Judgement
        let reached: Stage
        /// How often the upstream's head was planned.
        let plans: Int

        var cause: Refusal? { refused?.cause }

        var refused: Refused? {
            guard case .refuse(let refused) = judgement else { return nil }
            return refused
        }

        var isForwarded: Bool {
            guard case .forward = judgement else { return false }
            return true
        }

        var wait: Wait? {
            guard case .wait(let wait) = judgement else { return nil }
            return wait
        }
    }

    let table: RouteTable
    var identities: Identities
    let registry: MetricsRegistry
    let mint: TokenMint
    var connection = Connection()
    /// Where its requests come in.
    var listener = 0
    var clearText = ClearText.served
    var now = JudgeRig.now
    /// What the plan of every request is refused with, if anything.
    var planRefusal: Refusal?

    init(
        _ routes: [RouteSettings], logins: [LoginSettings] = [], keys: Bool = true, cacheEntries: Int = 1000,
        replayBytes: Int = 1 << 20, _ change: (inout AccessSettings) -> Void = { _ in }
    ) throws {
        mint = TokenMint(now: JudgeRig.now)
        let issuers = [
            IssuerSettings(
                name: "main", url: mint.issuer, rules: AccessTokenRules(issuer: mint.issuer, algorithms: [.es256])),
            IssuerSettings(
                name: "other", url: "https://other.example/",
                rules: AccessTokenRules(issuer: "https://other.example/", algorithms: [.es256])),
        ]
        var settings = AccessSettings(routes: routes, publicURLs: ["https://api.example"], issuers: issuers)
        settings.authorities = [["api.example"]]
        settings.logins = logins
        settings.loginClients = logins.map { _ in LoginClientIdentity(clientID: "shop-web", issuer: 0) }
        settings.pseudonym = "portcullis-test"
        change(&settings)
        let patience = RoutePatience(
            bodyLimit: .max, bodyRate: 0, requestBody: 0, upstreamFirstByte: 0, responseBody: 0)
        table = RouteTable(
            settings,
            settings.routes.indices.map {
                RouteIndices(metricsSlot: $0, upstream: 0, patience: patience, resourceMetadata: [])
            })
        registry = MetricsRegistry(
            workers: 1,
            labels: MetricsLabels(
                routes: [], causes: [], algorithms: SignatureAlgorithm.allCases.map(\.name), issuers: [], logins: []),
            version: "")
        identities = Identities(
            settings.issuers, cacheEntries: cacheEntries, cacheBytes: 1 << 20,
            replay: ReplaySet(byteLimit: replayBytes, windowSeconds: 120), proofKeys: ProofKeys(limit: 16),
            metrics: registry.workers[0])
        if keys { try giveKeys() }
    }

    deinit {
        identities.forget()
        identities.issuers.destroy()
    }

    /// The issuer's keys are at hand from now on.
    func giveKeys(_ keySet: String? = nil, generation: UInt64 = 1) throws {
        identities.issuers[0].take(
            IssuerKeys(
                generation: generation, version: generation,
                keySet: try KeySet.parse(Array((keySet ?? mint.keySet).utf8).span), fetchedAt: JudgeRig.now,
                usableUntil: .max))
    }

    /// Judges a request of these lines, which knows what `findings` says from before.
    func judge(_ lines: [String], _ findings: inout Findings) throws -> Outcome {
        var plans = 0
        let arrival = Arrival(listener: listener, now: now, clearText: clearText, connection: connection)
        let judgement = readHead(lines) { head in
            table.policy.pointee.judge(head, arrival, &identities, &findings) { _, _ throws(Refused) in
                plans += 1
                if let planRefusal { throw Refused(planRefusal) }
                return 7
            }
        }
        guard let judgement else { throw NotAHead() }
        return Outcome(judgement: judgement, reached: findings.reached, plans: plans)
    }

    /// The same of a request that nothing is known of, and that ends here.
    func judge(_ lines: String...) throws -> Outcome {
        var findings = Findings()
        defer { findings.forget() }
        return try judge(lines, &findings)
    }

    struct NotAHead: Error {}
}

extension JudgeRig {
    /// How many signatures of tokens and of proofs were verified.
    var verifications: (tokens: Int, proofs: Int) {
        let page = String(decoding: registry.page(), as: UTF8.self)
        func sum(_ name: String) -> Int {
            page.split(separator: "\n").filter { $0.hasPrefix(name) }
                .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
        }
        return (sum("portcullis_signature_verifications_total"), sum("portcullis_dpop_proofs_verified_total"))
    }

    /// A route of tokens to everything below `path`.
    static func route(
        _ path: String = "/", _ change: (inout RouteSettings, inout TokenSettings) -> Void = { _, _ in }
    ) -> RouteSettings {
        var token = TokenSettings(issuers: ["main"], audiences: [audience])
        var route = RouteSettings(
            name: path, path: path, upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: .publicAccess)
        change(&route, &token)
        route.access = .token(token)
        return route
    }

    /// A route that asks nobody who they are.
    static func open(_ path: String) -> RouteSettings {
        RouteSettings(
            name: path, path: path, upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: .publicAccess)
    }

    /// A route of sessions.
    static func session(
        _ path: String = "/", _ change: (inout LoginAccessSettings) -> Void = { _ in }
    ) -> RouteSettings {
        var access = LoginAccessSettings(login: 0)
        change(&access)
        return RouteSettings(
            name: path, path: path, upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: .login(access))
    }

    /// The login of routes with sessions, whose cookie is `cookieName`.
    static func login(_ name: String = "shop") -> LoginSettings {
        LoginSettings(
            name: name, client: 0, authorization: AuthorizationRequestSettings(form: .plain),
            idToken: IDTokenRules(
                issuer: "https://issuer.example/", clientID: "shop-web", signature: .algorithms([.es256])),
            session: SessionSettings(store: .memory, cookieName: cookieName))
    }

    static let cookieName = "__Host-portcullis-shop"
}
