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
