import Bytes
import Crypto
import Issuers
import OAuth
import TestTraits
import Testing

@testable import Access

@Suite struct `an upstream's credential` {
    private func credential(_ settings: UpstreamCredentialSettings) -> UpstreamCredential {
        var exchanges: [ExchangeSettings] = []
        var assertions: [AssertionSettings] = []
        return UpstreamCredential(settings, exchanges: &exchanges, assertions: &assertions)
    }

    @Test(.holds("RS-25")) func `that is always the same is prepared as its line`() {
        let credential = credential(.fixed(Secret(Array("Basic eDp5".utf8))))
        guard case .fixed(let line) = credential else {
            Issue.record("it is not prepared")
            return
        }
        #expect(String(copying: line.span) == "Authorization: Basic eDp5\r\n")
        line.destroy()
    }

    @Test(.holds("RS-25")) func `is the client's own only where the route says so`() {
        guard case .none = credential(.none) else {
            Issue.record("a route without a credential sends one")
            return
        }
        guard case .pass = credential(.pass) else {
            Issue.record("a route that passes the client's token does not")
            return
        }
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
            case .none, .pass, .passIDToken, .fixed: return -1
            }
        }
        #expect(rules == [0, 0, 1, 0, 1, 2])
        #expect(assertions.map(\.audience) == ["a", "b", "a"])
        #expect(exchanges.map(\.client) == [0, 1])
    }

    @Test(.refuses("RS-25")) func `shares no rule with a route that differs in anything`() {
        // Of two rules taken for one, a route's upstream would get what was made for another's.
        var one = AssertionSettings(audience: "a", field: "X-Identity")
        one.claims = ["email"]
        var others = [AssertionSettings](repeating: one, count: 4)
        others[0].audience = "b"
        others[1].lifetime = .seconds(61)
        others[2].claims = []
        others[3].field = "Authorization"
        var exchanges: [ExchangeSettings] = []
        var assertions: [AssertionSettings] = []
        for settings in [one] + others + [one] {
            _ = UpstreamCredential(.assertion(settings), exchanges: &exchanges, assertions: &assertions)
        }
        #expect(assertions == [one] + others)
        #expect(exchanges.isEmpty)
    }
}

@Suite struct `an assertion's rule` {
    private func route(_ settings: AssertionSettings) -> RouteSettings {
        var route = JudgeRig.route()
        route.credential = .assertion(settings)
        return route
    }

    private func table(_ assertions: [AssertionSettings], publicURLs: [String] = ["https://api.example"]) -> RouteTable
    {
        let routes = assertions.map(route)
        let patience = RoutePatience(
            bodyLimit: .max, bodyRate: 0, requestBody: 0, upstreamFirstByte: 0, responseBody: 0)
        return RouteTable(
            AccessSettings(routes: routes, publicURLs: publicURLs, issuers: []),
            routes.map { _ in RouteIndices(metricsSlot: 0, upstream: 0, patience: patience, resourceMetadata: []) })
    }

    @Test(.holds("RS-25"))
    func `has the JWT travel in a field of its own, which no client may write`() {
        let table = table([
            AssertionSettings(audience: "a", field: "X-Identity"), AssertionSettings(audience: "b"),
            AssertionSettings(audience: "c", field: "authorization"),
        ])
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

    @Test(.refuses("RS-25"))
    func `reserves no name where the JWT travels as a Bearer token`() {
        for field in ["Authorization", "authorization", "AUTHORIZATION"] {
            let names = AssertionRule.reservedNames([route(AssertionSettings(audience: "a", field: field))])
            #expect(names.isEmpty, "\(field): a client's own Authorization could not be read")
        }
        let names = AssertionRule.reservedNames([
            JudgeRig.route(), route(AssertionSettings(audience: "a", field: "X-Identity")),
        ])
        #expect(names == ["X-Identity"])
    }

    @Test(.holds("RS-25"))
    func `says what the route says, in the name of the first listener's URL`() {
        var settings = AssertionSettings(audience: "https://app.example/")
        (settings.lifetime, settings.claims) = (.seconds(45), ["email"])
        let table = table([settings], publicURLs: ["https://api.example", "https://other.example"])
        let assertion = table.assertions[0].assertion
        #expect(assertion.issuer == "https://api.example")
        #expect(assertion.audience == "https://app.example/")
        #expect(assertion.lifetimeSeconds == 45)
        #expect(assertion.repeatedClaims == ["email"])
    }

    @Test(.refuses("RS-25"))
    func `has no issuer's name where no listener has a URL`() {
        #expect(table([AssertionSettings(audience: "a")], publicURLs: []).assertions[0].assertion.issuer.isEmpty)
    }
}
