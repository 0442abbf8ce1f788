import Access
import Configuration
import Foundation
import Gateway
import Import
import TestTraits
import Testing

@Suite struct `what an import prints` {
    @Test(.holds("ECO-83"), arguments: GivenFiles.all)
    func `is what a person has read, and passes the check`(names: [String]) throws {
        let made = try GivenFiles.made(names)
        if let folder = ProcessInfo.processInfo.environment["IMPORT_GOLDEN"] {
            try made.write(toFile: "\(folder)/\(names[0]).yaml", atomically: true, encoding: .utf8)
        }
        do throws(ConfigurationRefusal) {
            let loaded = try Checked.load(made)
            #expect(!loaded.settings.routes.isEmpty)
        } catch {
            Issue.record("\(names[0]): \(error.text(file: names[0]))")
        }
        #expect(made == (try? GivenFiles.golden(names)), "\(names[0])")
    }

    @Test(.refuses("ECO-84"), arguments: GivenFiles.all)
    func `has no secret in it`(names: [String]) throws {
        let given = try names.map { String(decoding: try GivenFiles.file($0).bytes, as: UTF8.self) }.joined()
        // The alpha configuration has its secrets in base64.
        let hasSecret =
            given.contains("s3cr3t") || given.contains("czNjcjN0") || names[0].hasPrefix("groups")
            || names[0].hasPrefix("question-for")
        #expect(hasSecret || names[0].hasPrefix("question-of"), "\(names) has nothing to hide")
        let made = try GivenFiles.made(names)
        #expect(!made.contains("s3cr3t") && !made.contains("czNjcjN0"), "\(names)")
    }

    /// Of each source: the paths that everybody had there, by what its own rules say.
    private static let open: [String: Set<String>] = [
        "mail-domain-of-google.cfg": ["/healthz", "/static/", "/robots.txt"],
        "roles-of-keycloak.flags": ["/api/status", "/public", "/public/"],
        "organisation-of-github.cfg": ["/badge/"],
        "question-of-the-server.nginx": ["/feed/", "/health"],
        "client-of-its-own.nginx": ["/favicon.ico"],
        "hosts-at-one-socket.nginx": ["/leaves/", "/shapes", "/shapes/", "/"],
        "hosts-of-two-clients.apache": ["/news", "/news/"],
        "claims-of-several-kinds.apache": ["/public", "/public/"],
        "optional-and-expressions.apache": ["/wiki/"],
    ]

    @Test(.refuses("ECO-83"), arguments: GivenFiles.all)
    func `lets everybody pass where the source did, and nowhere else`(names: [String]) throws {
        let loaded = try Checked.load(try GivenFiles.made(names))
        let open = loaded.settings.routes.filter { route in
            if case .publicAccess = route.access { return true }
            return false
        }
        #expect(Set(open.map(\.path)) == Self.open[names[0]] ?? [], "\(names)")
    }

    /// Of each source: what restricted access there and has no key here.
    private static let undecided: [String: Set<String>] = [
        "organisation-of-github.cfg": ["github-org", "github-team"],
        "question-for-one-server.nginx": ["oauth2-proxy"],
        "groups-and-expressions.nginx": ["oauth2-proxy", "root", "deny"],
        "client-of-its-own.nginx": ["access_by_lua_block"],
        "claims-of-several-kinds.apache": ["Require", "Require not"],
        "optional-and-expressions.apache": ["LocationMatch", "AuthType oauth20"],
    ]

    @Test(.refuses("ECO-83"), arguments: GivenFiles.all)
    func `lets nobody pass by what restricted access and has no key`(names: [String]) throws {
        let loaded = try Checked.load(try GivenFiles.made(names))
        let made = try GivenFiles.made(names)
        let found = loaded.settings.routes.compactMap(\.access.login).flatMap(\.rights.claims)
            .filter { $0.claim == ["import_undecided"] }.flatMap(\.anyOf)
        #expect(Set(found) == Self.undecided[names[0]] ?? [], "\(names)")
        #expect(found.isEmpty || made.contains("# - decide about "), "\(names) does not say so")
    }
}
