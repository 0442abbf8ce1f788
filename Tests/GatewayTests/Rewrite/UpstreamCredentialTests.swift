import Access
import Crypto
import EventLoop
import Issuers
import JOSE
import JSON
import OAuth
import TestTraits
import Testing

@testable import Gateway

private func route(
    _ credential: UpstreamCredentialSettings, isMCP: Bool = false, identity: [IdentityFieldSettings] = []
) -> RouteSettings {
    var route = RouteSettings(
        name: "r", path: "/", upstream: UpstreamSettings(host: "127.0.0.1", port: 1),
        access: .token(TokenSettings(issuers: ["main"], audiences: ["x"])), identity: identity)
    route.credential = credential
    route.isMCP = isMCP
    return route
}

private func settings(_ routes: [RouteSettings]) -> GatewaySettings {
    GatewaySettings(
        workers: 1, listeners: [],
        admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)), issuers: [], routes: routes)
}

@Suite struct `an upstream's credential` {
    @Test(.refuses("MCP-04")) func `is never the client's on an MCP route`() {
        #expect(throws: GatewayFailure.self) {
            try UpstreamCredential.check([route(.none), route(.pass, isMCP: true)])
        }
        #expect(throws: Never.self) {
            try UpstreamCredential.check([
                route(.pass), route(.none, isMCP: true),
                route(.assertion(AssertionSettings(audience: "a")), isMCP: true),
                route(.fixed(Secret(Array("Basic eDp5".utf8))), isMCP: true),
            ])
        }
    }

    @Test(
        .holds("RS-25"),
        arguments: [
            "", " Basic a", "Basic a ", "Basic a\r\nX-User: admin", "Basic a\n", "a\0", "a\t", "Basic \u{E4}",
        ])
    func `is one line, and says so without the secret`(value: String) {
        let failure = #expect(throws: GatewayFailure.self) {
            try UpstreamCredential.check([route(.fixed(Secret(Array(value.utf8))))])
        }
        #expect(failure?.description.contains("Basic") == false)
    }

    @Test(.holds("RS-25")) func `that is always the same is prepared as its line`() {
        var exchanges: [ExchangeSettings] = []
        var assertions: [AssertionSettings] = []
        let credential = UpstreamCredential(
            .fixed(Secret(Array("Basic eDp5".utf8))), exchanges: &exchanges, assertions: &assertions)
        guard case .fixed(let line) = credential else { return #expect(Bool(false)) }
        #expect(String(decoding: line.buffer, as: UTF8.self) == "Authorization: Basic eDp5\r\n")
    }

    @Test func `shares its rule with the routes that have the same`() {
        var exchanges: [ExchangeSettings] = []
        var assertions: [AssertionSettings] = []
        var brief = AssertionSettings(audience: "a")
        brief.lifetime = .seconds(30)
        let all: [UpstreamCredentialSettings] = [
            .assertion(AssertionSettings(audience: "a")), .exchange(ExchangeSettings(client: 0, audience: ["x"])),
            .assertion(AssertionSettings(audience: "b")), .assertion(AssertionSettings(audience: "a")),
            .exchange(ExchangeSettings(client: 1, audience: ["x"])),
            .assertion(brief),
        ]
        let rules = all.map { settings -> Int in
            switch UpstreamCredential(settings, exchanges: &exchanges, assertions: &assertions) {
            case .assertion(let rule), .exchange(let rule): return rule
            case .none, .pass, .fixed: return -1
            }
        }
        #expect(rules == [0, 0, 1, 0, 1, 2])
        #expect(assertions.map(\.audience) == ["a", "b", "a"])
        #expect(exchanges.map(\.client) == [0, 1])
    }
}

@Suite struct `identity assertions` {
    @Test(
        .refuses("RS-25"),
        arguments: [(100, 160, 130), (100, 161, 130), (100, 102, 101), (100, 101, 101), (100, 110, 105)]
            as [(Int64, Int64, Int64)])
    func `are used for half of their time, and never after it`(now: Int64, end: Int64, refresh: Int64) {
        #expect(AssertionRule.refreshTime(now: now, end: end) == refresh)
        #expect(refresh <= end)
    }

    @Test(.holds("RS-25")) func `travel in their own field, which no client may write`() {
        let routes = [
            route(.assertion(AssertionSettings(audience: "a", field: "X-Identity"))),
            route(.assertion(AssertionSettings(audience: "b"))),
            route(.assertion(AssertionSettings(audience: "c", field: "authorization"))),
        ]
        let table = RouteTable(
            AccessSettings(routes: routes, publicURLs: [], issuers: []),
            routes.map { _ in
                RoutePlaces(
                    metricsSlot: 0, upstream: 0, patience: RoutePatience(nil, LimitSettings(), TimeoutSettings()),
                    resourceMetadata: [])
            })
        for name in ["x-identity", "X-Identity", "X_IDENTITY", "x.identity"] {
            let isReserved = table.index.reservedNames.pointee.contains(Array(name.utf8).span)
            #expect(isReserved, "\(name)")
        }
        let isOther = table.index.reservedNames.pointee.contains(Array("x-identities".utf8).span)
        #expect(!isOther)
        #expect(
            table.assertions.map { String(decoding: $0.linePrefix, as: UTF8.self) } == [
                "X-Identity: ", "Authorization: Bearer ", "Authorization: Bearer ",
            ])
    }

    @Test(
        arguments: [
            (nil, []), ("\"a b\"", ["a", "b"]), ("\"\"", []), ("[\"a\",\"b c\"]", ["a", "b c"]), ("7", []), ("{}", []),
        ] as [(String?, [String])])
    func `name the scopes that were granted`(claim: String?, scopes: [String]) throws {
        let value = try claim.map { try JSONValue.parse(owned: Array($0.utf8)) }
        #expect(AssertionRule.scopes(value) == scopes)
    }

    @Test func `have no keys where no route asserts anything`() throws {
        let loop = try EventLoop()
        let log = try GatewayLogs(LogSettings()).operatorLog
        #expect(try AssertionKeyRotation(settings([route(.none)]), loop: loop, operatorLog: log) == nil)
        let made = try #require(
            try AssertionKeyRotation(
                settings([route(.assertion(AssertionSettings(audience: "a")))]), loop: loop, operatorLog: log))
        let published = JWKSetWriter.write(made.keys.published)
        let keys = try KeySet.parse(published.span)
        #expect(keys.keys.count == 2, "the one that signs, and the one after it")
        #expect(keys.keys.contains { $0.keyID == made.keys.signer.keyID })
        #expect(!String(decoding: published, as: UTF8.self).contains("\"d\""))
    }

    @Test func `are refused a key that is none, without showing it`() throws {
        let loop = try EventLoop()
        let log = try GatewayLogs(LogSettings()).operatorLog
        var wrong = settings([route(.assertion(AssertionSettings(audience: "a")))])
        wrong.assertionKeys.keys = [Secret(Array("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n".utf8))]
        let failure = #expect(throws: GatewayFailure.self) {
            _ = try AssertionKeyRotation(wrong, loop: loop, operatorLog: log)
        }
        #expect(failure?.description.contains("c2VjcmV0") == false)
    }
}
