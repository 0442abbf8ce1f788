import Access
import Gateway
import TestTraits
import Testing

@Suite struct `a published resource` {
    @Test(.holds("MD-20")) func `is published when the route says so`() throws {
        #expect(try token(of: Sample().text).resource == nil)
        #expect(try token(of: Sample.token("resource: false")).resource == nil)
        #expect(try token(of: Sample.token("resource: true")).resource == ResourceSettings())
        #expect(try token(of: Sample.token("resource: { name: Orders }")).resource == ResourceSettings(name: "Orders"))
        #expect(
            try token(of: Sample.token("resource: { identifier: 'https://shop.example.com/x' }")).resource
                == ResourceSettings(identifier: "https://shop.example.com/x"))
    }

    @Test(.refuses("MCP-05")) func `does not ask for offline_access`() throws {
        let all = try token(of: Sample.token("resource: true, scopes: [a, offline_access]"))
        #expect(all.rights.scopes == ["a"])
        let some = try token(of: Sample.token("resource: true, scopes: { GET: [offline_access, a], PUT: [b] }"))
        #expect(some.rights.scopesByMethod == ["GET": ["a"], "HEAD": ["a"], "PUT": ["b"]])
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else { throw NotATokenRoute() }
        return token
    }

    private struct NotATokenRoute: Error {}
}

@Suite struct `an MCP route` {
    @Test(.holds("MCP-01")) func `publishes its resource, MCP-06 takes our own Origin alone`() throws {
        let text = Sample.route("mcp: true, token: { issuers: [main], audience: https://shop.example.com/ }")
        let route = try settings(of: text).routes[0]
        #expect(route.isMCP)
        #expect(route.allowedOrigins == ["https://shop.example.com"])
        #expect(try token(of: text).resource == ResourceSettings())
        let silent = try settings(of: Sample().text).routes[0]
        #expect(!silent.isMCP)
        #expect(silent.allowedOrigins == nil)
    }

    @Test(.holds("MCP-06")) func `takes the origins that the file says, as browsers write them`() throws {
        let text = Sample.tokenRoute("allowed_origins: ['https://App.example:443/', 'http://localhost:5173']")
        #expect(try settings(of: text).routes[0].allowedOrigins == ["https://app.example", "http://localhost:5173"])
        #expect(try settings(of: Sample.route("public: true, allowed_origins: []")).routes[0].allowedOrigins == [])
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else { throw NotATokenRoute() }
        return token
    }

    private struct NotATokenRoute: Error {}
}
