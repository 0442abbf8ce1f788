import Access
import Configuration
import Crypto
import Gateway
import JOSE
import TestTraits
import Testing

@Suite struct `an upstream's credential` {
    @Test(.holds("HTTP-47"), .refuses("HTTP-47")) func `is none unless the file says so`() throws {
        guard case .none = try settings(of: Sample().text).routes[0].credential else {
            Issue.record("a credential")
            return
        }
        guard case .none = try credential("none") else {
            Issue.record("a credential")
            return
        }
        guard case .pass = try credential("pass") else {
            Issue.record("no pass")
            return
        }
    }

    @Test func `is always the same one, with its scheme`() throws {
        #expect(try fixed("file: other.secret") == "Bearer " + String(repeating: "x", count: 40))
        #expect(try fixed("file: other.secret, scheme: ApiKey") == "ApiKey " + String(repeating: "x", count: 40))
        let sources = ConfigurationSources.scripted(environment: ["UPSTREAM": "secret value"])
        #expect(try fixed("env: UPSTREAM", from: sources) == "Bearer secret value")
    }

    @Test func `is base64 of user and password for Basic`() throws {
        #expect(try fixed("file: basic.secret, scheme: Basic") == "Basic dXNlcjpwYXNzPz4=")
    }

    @Test func `is an assertion about the caller`() throws {
        #expect(try assertion("audience: orders") == AssertionSettings(audience: "orders"))
        var full = AssertionSettings(audience: "orders", field: "X-Identity")
        full.lifetime = .seconds(600)
        full.claims = ["email", "tenant"]
        #expect(try assertion("audience: orders, lifetime: 10m, claims: [email, tenant], field: X-Identity") == full)
        #expect(try assertion("audience: orders, field: authorization")?.field == "Authorization")
    }

    @Test func `that is static may serve everybody`() throws {
        let text = Sample.route("public: true, upstream_credential: { static: { file: other.secret } }")
        guard case .fixed = try settings(of: text).routes[0].credential else {
            Issue.record("not static")
            return
        }
    }

    private func credential(_ value: String, from sources: ConfigurationSources = .scripted()) throws
        -> UpstreamCredentialSettings
    {
        try settings(of: Sample.tokenRoute("upstream_credential: \(value)"), from: sources).routes[0].credential
    }

    private func fixed(_ value: String, from sources: ConfigurationSources = .scripted()) throws -> String {
        guard case .fixed(let secret) = try credential("{ static: { \(value) } }", from: sources) else { return "" }
        return String(decoding: secret.reveal(), as: UTF8.self)
    }

    private func assertion(_ value: String) throws -> AssertionSettings? {
        guard case .assertion(let assertion) = try credential("{ assertion: { \(value) } }") else { return nil }
        return assertion
    }
}

@Suite struct `keys of assertions` {
    @Test func `come from files, the first one signs, or are made at start`() throws {
        let silent = try settings(of: Sample().text).assertionKeys
        #expect(silent.keys.isEmpty)
        #expect(silent.algorithm == .es256)
        #expect(silent.rotation == .seconds(86_400))
        let made = try settings(of: Sample(rest: "assertion_keys: { algorithm: EdDSA, rotation: 1h }").text)
            .assertionKeys
        #expect(made.algorithm == .edDSA)
        #expect(made.rotation == .seconds(3600))
        let files = try settings(of: Sample(rest: "assertion_keys: { files: [signing.key, second.key] }").text)
        #expect(files.assertionKeys.keys.map { $0.reveal() }.first == Array(RealCertificate.key.utf8))
        #expect(files.assertionKeys.keys.count == 2)
    }
}
