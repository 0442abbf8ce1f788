import Foundation
import Testing
import TestSupport

/// Everything that was secret on a stage, and where it must not be.
struct SecretSearch {
    /// What may be known to whoever has the access tokens, and to nobody.
    private let stage: LoginStage
    private(set) var accessTokens: Set<String> = []
    private(set) var others: Set<String> = []

    /// Collects from what passed between the gateway and the server, from the browsers, and from the files.
    init(_ stage: LoginStage) throws {
        self.stage = stage
        for exchange in stage.talk.exchanges + stage.side.exchanges { try add(exchange, of: stage) }
        for browser in stage.allBrowsers {
            others.formUnion(browser.cookieValues)
            for page in browser.pages {
                guard let location = page.response.fields.only("location"), location.hasPrefix("http") else { continue }
                let sent = try WebAddress(location).parameters
                for name in ["state", "code", "nonce", "request", "response", "id_token_hint"] {
                    others.formUnion(sent[name] ?? [])
                }
            }
        }
        others.formUnion(stage.secrets.values)
        for key in stage.keys {
            others.formUnion(key.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-") })
        }
        others = others.filter { $0.utf8.count >= 16 }
    }

    /// Names of form parameters and of members of answers that nobody else may learn.
    private static let names = [
        "code", "code_verifier", "client_secret", "client_assertion", "refresh_token", "id_token", "token", "request",
        "state", "nonce", "logout_token",
    ]

    private mutating func add(_ exchange: Relay.Exchange, of stage: LoginStage) throws {
        // The browser's own requests there are the server's secrets; what it is sent to is read from its answers.
        let isOurs = exchange.request.path.hasPrefix("/api/oidc/") || exchange.request.path.hasPrefix("/.portcullis/")
        guard isOurs, exchange.request.method == "POST" else { return }
        let sent = form(exchange.request.bodyText)
        for name in Self.names { others.formUnion(sent[name] ?? []) }
        others.formUnion(exchange.request.fields["dpop"])
        others.formUnion(exchange.request.fields["authorization"].map { String($0.drop { $0 != " " }.dropFirst()) })
        guard let answer = try? object(exchange.response.bodyText) else { return }
        for name in Self.names { if let value = answer[name] as? String { others.insert(value) } }
        if let token = answer["access_token"] as? String { accessTokens.insert(token) }
    }

    /// The secrets that are in these bytes.
    func found(in bytes: [UInt8], exceptAccessTokens: Bool = false) -> [String] {
        let wanted = exceptAccessTokens ? others.subtracting(accessTokens) : others.union(accessTokens)
        // By their first eight bytes, so that one walk is enough for all of them.
        var beginnings: [UInt64: [[UInt8]]] = [:]
        for secret in wanted {
            let pattern = Array(secret.utf8)
            beginnings[pattern.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, default: []].append(pattern)
        }
        var found: Set<String> = []
        var window: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            guard index >= 7, let patterns = beginnings[window] else { continue }
            for pattern in patterns where bytes[(index - 7)...].starts(with: pattern) { found.insert(text(pattern)) }
        }
        return found.sorted()
    }

    /// Nothing is in a log, the metrics, a page, or a request to an upstream but the tokens that it is meant to get.
    func expectNothing(at location: SourceLocation = #_sourceLocation) throws {
        let metrics = try stage.gateway.admin("/metrics").raw
        #expect(found(in: Array(stage.gateway.allLogText.utf8)).isEmpty, "logs", sourceLocation: location)
        #expect(found(in: metrics).isEmpty, "metrics", sourceLocation: location)
        #expect(found(in: stage.plain.allBytes).isEmpty, "upstream", sourceLocation: location)
        #expect(
            found(in: stage.trusted.allBytes, exceptAccessTokens: true).isEmpty, "upstream", sourceLocation: location)
        for browser in stage.allBrowsers {
            for page in browser.pages where page.origin == stage.origin {
                let type = page.response.fields.only("content-type") ?? ""
                // The object of a request is for its server, and a browser of a test that fetches it is one.
                guard !type.contains("oauth-authz-req") else { continue }
                #expect(found(in: page.response.body).isEmpty, "\(page.response.headText)", sourceLocation: location)
            }
        }
    }
}
