/// An authorization server that serves metadata and keys, and misbehaves on demand.
///
/// A real one (glewlwyd) stands in every test of ordinary behaviour; this one exists to do what a real one never does.
package final class ScriptedIssuer: Sendable {
    package let server: RecordingUpstream
    /// The issuer identifier, without a trailing slash.
    package let url: String
    /// The key set it began with.
    package let keys: String
    package static let openIDPath = "/.well-known/openid-configuration"
    package static let oauthPath = "/.well-known/oauth-authorization-server"
    package static let keysPath = "/jwks.json"
    package static let tokenPath = "/token"
    package static let introspectionPath = "/introspect"

    /// Starts with a key set (a JSON document); on a port of its own choice unless one is given.
    package init(keys: String, port: UInt16 = 0, identity: TestCertificate? = nil) throws {
        server = try RecordingUpstream(port: port, identity: identity, fallback: .answer(404, "no such page"))
        url = server.url
        self.keys = keys
        publish(keys: keys)
        publish(metadata: metadata())
    }

    /// The metadata an honest server of this address would publish, with members replaced or added.
    package func metadata(_ changes: [String: String] = [:]) -> String {
        var members = [
            "issuer": url, "jwks_uri": url + Self.keysPath, "authorization_endpoint": url + "/authorize",
            "token_endpoint": url + Self.tokenPath, "introspection_endpoint": url + Self.introspectionPath,
        ]
        members.merge(changes) { $1 }
        let list = members.sorted { $0.key < $1.key }.map { "\"\($0)\":\"\($1)\"" }
        return "{\(list.joined(separator: ",")),\"response_types_supported\":[\"code\"]}"
    }

    /// Serves this document at both well-known places.
    package func publish(metadata: String) {
        for path in [Self.openIDPath, Self.oauthPath] { server.answer(path, with: Self.json(metadata)) }
    }

    /// Serves this key set.
    package func publish(keys: String, fields: [String] = []) {
        server.answer(Self.keysPath, with: Self.json(keys, fields: fields))
    }

    /// A 200 with the metadata of an honest server, changed.
    package func document(_ changes: [String: String] = [:]) -> WireScript { Self.json(metadata(changes)) }

    /// Serves the key set it began with again.
    package func republishKeys() { publish(keys: keys) }

    /// Answers a path with anything at all.
    package func answer(_ path: String, with script: WireScript) { server.answer(path, with: script) }

    /// Says this of every token that it is asked about.
    package func introspect(_ answer: String, status: Int = 200, contentType: String = "application/json") {
        server.answer(
            Self.introspectionPath, with: .answer(status, answer, fields: ["Content-Type: \(contentType)"]))
    }

    /// How often a path was asked for.
    package func fetches(_ path: String = ScriptedIssuer.keysPath) -> Int {
        server.requests.filter { $0.path == path }.count
    }

    /// A 200 with a JSON document.
    package static func json(_ document: String, fields: [String] = []) -> WireScript {
        .answer(200, document, fields: ["Content-Type: application/json"] + fields)
    }
}
