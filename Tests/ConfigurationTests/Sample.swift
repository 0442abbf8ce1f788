import Access
import Bytes
import Configuration
import Crypto
import Gateway
import Testing

/// A configuration in up to four parts, one a line, of which a test replaces those it is about.
struct Sample {
    var listeners = "listeners: [{ address: 127.0.0.1:8443, public_url: https://shop.example.com }]"
    var issuers = "issuers: { main: { url: https://id.example.com/ } }"
    var routes =
        "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api } }]"
    var rest = ""

    var text: String { [listeners, issuers, routes, rest].joined(separator: "\n") + "\n" }

    /// A configuration whose only listener has these keys beside address and public URL.
    static func listener(_ keys: String) -> String {
        Sample(listeners: "listeners: [{ address: 127.0.0.1:8443, public_url: https://a.example, \(keys) }]").text
    }

    /// A configuration whose only issuer has these keys beside its URL.
    static func issuer(_ keys: String) -> String {
        Sample(issuers: "issuers: { main: { url: https://id.example.com/, \(keys) } }").text
    }

    /// A configuration with a client `shop` of the issuer `main`, authenticated by a secret unless said otherwise.
    static func client(
        _ authentication: String = "method: client_secret_basic, secret: { file: other.secret }",
        issuer: String = "main", uses: String = "upstream_credential: { exchange: { client: shop, audience: orders } }"
    ) -> String {
        Sample(
            routes:
                "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api }, \(uses) }]",
            rest: "clients: { shop: { issuer: \(issuer), id: shop-api, authentication: { \(authentication) } } }"
        ).text
    }

    /// A configuration whose only route has `login: shop`; `keys` are those of the client, one or more lines.
    static func login(
        _ keys: String = "", authentication: String = "method: client_secret_basic, secret: { file: other.secret }",
        route: String = "login: shop", url: String = "https://shop.example.com",
        issuer: String = "url: https://id.example.com/", rest: String = ""
    ) -> String {
        let lines = keys.split(separator: "\n").map { "    \($0)" }
        return Sample(
            listeners: "listeners: [{ address: 127.0.0.1:8443, public_url: \(url) }]",
            issuers: "issuers: { main: { \(issuer) } }",
            routes: "routes: [{ path: /, upstream: http://127.0.0.1:3000, \(route) }]",
            rest: ([
                "clients:", "  shop:", "    issuer: main", "    id: shop-web",
                "    authentication: { \(authentication) }",
            ] + lines + [rest]).joined(separator: "\n")
        ).text
    }

    /// A configuration whose only issuer has these keys in its introspection beside the client `shop`.
    static func introspection(_ keys: String, issuer: String = "") -> String {
        Sample(
            issuers:
                "issuers: { main: { url: https://id.example.com/, \(issuer)introspection: { client: shop, \(keys) } } }",
            rest: """
                clients: { shop: { issuer: main, id: shop-api, authentication: { method: client_secret_post,
                  secret: { file: other.secret } } } }
                """
        ).text
    }

    /// A configuration whose only route has these keys beside path and upstream.
    static func route(_ keys: String) -> String {
        Sample(routes: "routes: [{ path: /, upstream: http://127.0.0.1:3000, \(keys) }]").text
    }

    /// A configuration whose only route has these keys beside path, upstream and token.
    static func tokenRoute(_ keys: String) -> String {
        route("token: { issuers: [main], audience: api }, \(keys)")
    }

    /// A configuration whose only route has these keys in its token beside issuers and audience.
    static func token(_ keys: String) -> String {
        route("token: { issuers: [main], audience: api, \(keys) }")
    }
}

extension ConfigurationSources {
    /// Files and variables that exist only here; any other file does not exist.
    static func scripted(
        files: [String: File] = Fixture.files, environment: [String: String] = [:]
    ) -> ConfigurationSources {
        ConfigurationSources(
            file: { path, limit in
                if path.hasSuffix("/") { return .failure(.folder) }
                if path.hasPrefix("/closed/") { return .failure(.forbidden) }
                guard let file = files[path] else { return .failure(.missing) }
                return file.bytes.count > limit ? .failure(.larger(than: limit)) : .success(file)
            },
            obstacleToAppending: { path in
                path.hasPrefix("/nowhere/") ? "/nowhere: No such file or directory" : nil
            },
            environment: { environment[$0] }, processors: 3, now: Fixture.now)
    }
}

/// Contents of the files that configurations in these tests name.
enum Fixture {
    static let certificate = pem("CERTIFICATE")
    static let key = pem("PRIVATE KEY")
    static let revocations = pem("X509 CRL")
    static let keySet = #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#

    private typealias File = ConfigurationSources.File

    /// Noon of 2026-11-22.
    static let now: Int64 = 1_795_348_800

    static let files: [String: ConfigurationSources.File] = [
        "marked.secret": file("\u{FEFF}" + String(repeating: "z", count: 40) + "\n"),
        "large.secret": file(String(repeating: "z", count: 4097)),
        "tls.crt": file(certificate), "tls.key": file(key), "open.key": file(RealCertificate.key, permissions: 0o644),
        "locked.key": file(pem("ENCRYPTED PRIVATE KEY")), "ca.pem": file(certificate), "jwks.json": file(keySet),
        "ca.crl": file(revocations), "signing.key": file(RealCertificate.key),
        "second.key": file(RealCertificate.otherKey),
        "edwards.key": file(RealCertificate.edwardsKey),
        "copy.key": file(RealCertificate.key), "two.key": file(RealCertificate.key + RealCertificate.otherKey),
        "short.secret": file("thirty-one bytes, one too few ."),
        "long.secret": file(String(repeating: "\u{1}", count: 31) + "\n"),
        "other.secret": file(String(repeating: "x", count: 40) + "\n"), "lines.secret": file("one\r\ntwo\n"),
        "basic.secret": file("user:pass?>\n"),
        "open.secret": file(String(repeating: "y", count: 40), permissions: 0o644),
        "none.secret": file("\n"),
        "request.key": file(SampleKeys.request), "next.key": file(SampleKeys.next),
        "decryption.key": file(SampleKeys.decryption), "rsa.key": file(SampleKeys.rsa),
        "hex.session": file(sessionKey("hex")), "other.session": file(sessionKey("other") + "\n"),
        "base64url.session": file("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n"),
        "base64.session": file("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd+/8=\n"),
        "raw.session": File(path: "", bytes: Array(0..<32)),
        "zero.session": File(path: "", bytes: [UInt8](repeating: 0, count: 32)),
        "words.session": file("correct horse battery staple, yes\n"),
        "letters.session": file(String(repeating: "ab12cd34", count: 4)),
        "open.session": file(sessionKey("open"), permissions: 0o644),
        "empty.json": file(#"{"keys":[]}"#), "large.json": file(String(repeating: " ", count: 256 * 1024 + 1)),
    ]

    /// Those, and the certificates that somebody should look at.
    static let filesWithCertificates = files.merging(
        SampleCertificates.byName.map { ($0, file($1)) }, uniquingKeysWith: { $1 })

    /// Private keys for files that end so, each of its own.
    static let keysByName = [
        ("request.key", SampleKeys.request), ("next.key", SampleKeys.next), ("decryption.key", SampleKeys.decryption),
        ("payments.key", SampleKeys.payments), ("rsa.key", SampleKeys.rsa),
    ]

    /// 64 digits of hex, others for each name.
    static func sessionKey(_ name: String) -> String {
        (0..<4).map { Hex.encode(SHA256.hash(Array("\($0) \(name)".utf8).span).bytes.span).prefix(16) }.joined()
    }

    static func file(_ text: String, permissions: UInt32 = 0o600) -> ConfigurationSources.File {
        ConfigurationSources.File(path: "", bytes: Array(text.utf8), permissions: permissions)
    }

    private static func pem(_ label: String) -> String {
        "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n"
    }
}

/// What the operator reads when this text is refused; empty, which no test expects, when it loads.
func refusal(of bytes: [UInt8], from sources: ConfigurationSources = .scripted()) -> String {
    do throws(ConfigurationRefusal) {
        _ = try Configuration.load(text: bytes, folder: ".", from: sources)
        return ""
    } catch {
        return error.text(file: "gateway.yaml")
    }
}

/// The same for a text.
func refusal(of text: String, from sources: ConfigurationSources = .scripted()) -> String {
    refusal(of: Array(text.utf8), from: sources)
}

/// The settings of a text that loads.
func settings(of text: String, from sources: ConfigurationSources = .scripted()) throws -> GatewaySettings {
    try Configuration.load(text: Array(text.utf8), folder: ".", from: sources).settings
}

/// The warnings of a text that loads, as printed.
func warnings(of text: String, from sources: ConfigurationSources = .scripted()) throws -> String {
    try Configuration.load(text: Array(text.utf8), folder: ".", from: sources).warnings
        .map { $0.text(file: "gateway.yaml") }.joined(separator: "\n")
}
