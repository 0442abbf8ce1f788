@testable import Access
import Issuers
import OAuth
import TestSupport
import TestTraits
import Testing

private func issuer(_ name: String, _ tokens: IntrospectionSettings.Tokens? = nil) -> IssuerSettings {
    let url = "https://\(name).example/"
    var issuer = IssuerSettings(name: name, url: url, rules: AccessTokenRules(issuer: url))
    if let tokens {
        var introspection = IntrospectionSettings(client: 0)
        introspection.tokens = tokens
        issuer.introspection = introspection
    }
    return issuer
}

private func introspector(_ names: [String], _ issuers: [IssuerSettings]) -> Introspector {
    Introspector(TokenSettings(issuers: names, audiences: ["x"]), issuers)
}

@Suite struct `the issuer that is asked about a route's tokens` {
    @Test(.holds("INT-01")) func `is the one of the route's that has introspection`() {
        let issuers = [issuer("a"), issuer("b", .opaque), issuer("c", .opaque), issuer("d")]
        #expect(introspector(["a", "c"], issuers).issuer == 2)
        #expect(introspector(["b"], issuers).issuer == 1)
        #expect(introspector(["a", "d"], issuers).issuer == -1)
        #expect(Introspector(nil, issuers).issuer == -1)
    }

    @Test(
        .holds("INT-01"),
        arguments: [
            ("opaque", true), ("", true), ("a.b", true), ("a.b.c", false), ("a.b.c.d", true), ("a.b.c.d.e", false),
            ("a.b.c.d.e.f", true), ("..", false), ("....", false), ("...", true),
        ])
    func `is asked about what has not the form of a JWT, or about all`(token: String, isOpaque: Bool) {
        let issuers = [issuer("opaque", .opaque), issuer("all", .all), issuer("none")]
        #expect(token.withBytes { introspector(["opaque"], issuers).isAsked(about: $0.span) } == isOpaque)
        #expect(token.withBytes { introspector(["all"], issuers).isAsked(about: $0.span) })
        #expect(!token.withBytes { introspector(["none"], issuers).isAsked(about: $0.span) })
        #expect(!token.withBytes { Introspector.none.isAsked(about: $0.span) })
    }
}
