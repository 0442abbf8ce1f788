import Testing
import TestSupport

/// One way to log in: how the request gets to the server, how the client proves who it is, what tokens are bound to.
struct LoginCase: Sendable, Hashable, CustomTestStringConvertible {
    enum Form: String, Sendable, CaseIterable {
        case plain, signed, pushed
        case byReference = "signed_by_reference"
        case pushedSigned = "pushed_signed"

        var isSigned: Bool { self == .signed || self == .byReference || self == .pushedSigned }
        var isPushed: Bool { self == .pushed || self == .pushedSigned }
    }

    enum Method: String, Sendable, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case secretJWT = "client_secret_jwt"
        case keyJWT = "private_key_jwt"
        case certificate = "tls_client_auth"
    }

    let form: Form
    let method: Method
    let isBound: Bool
    /// What the browser speaks to the gateway.
    var version = WireProtocol.http1

    /// Those at a server that speaks http.
    static let all = cases(of: [.basic, .post, .secretJWT, .keyJWT])
    /// Those that need TLS.
    static let certified = cases(of: [.certificate])

    /// Each method once, over HTTP/2: with the full matrix before, what differs is what carries them.
    ///
    /// None has its request fetched by the server: glewlwyd looks for a Content-Type in capitals there, and names in HTTP/2
    /// have none.
    static let overHTTP2 = [
        LoginCase(form: .pushedSigned, method: .basic, isBound: true, version: .http2),
        LoginCase(form: .plain, method: .post, isBound: false, version: .http2),
        LoginCase(form: .signed, method: .secretJWT, isBound: true, version: .http2),
        LoginCase(form: .pushed, method: .keyJWT, isBound: false, version: .http2),
    ]
    static let certifiedOverHTTP2 = [LoginCase(form: .plain, method: .certificate, isBound: true, version: .http2)]

    private static func cases(of methods: [Method]) -> [LoginCase] {
        Form.allCases.flatMap { form in
            methods.flatMap { method in [false, true].map { LoginCase(form: form, method: method, isBound: $0) } }
        }
    }

    /// The client's name in the gateway, and the first segment of its route.
    var name: String { "\(form.rawValue)-\(method.rawValue)-\(isBound ? "dpop" : "bearer")" }
    var testDescription: String { version == .http2 ? name + " over HTTP/2" : name }
    /// What the client is to the server; each is used with every form.
    var clientID: String { "web-" + method.rawValue }
    /// Whether sessions are kept in the gateway and not in the browser.
    var isInMemory: Bool { (formIndex + methodIndex) % 2 == 1 }
    /// Whether the server is asked for more claims.
    var asksUserInfo: Bool { (formIndex + methodIndex) % 2 == 0 }
    /// Whether the upstream gets the access token.
    var passesToken: Bool { form == .plain || form == .pushedSigned }
    /// What the server signs this client's tokens with.
    var tokenAlgorithm: String { method == .basic || method == .keyJWT ? "RS256" : "ES256" }

    private var formIndex: Int { Form.allCases.firstIndex(of: form) ?? 0 }
    private var methodIndex: Int { Method.allCases.firstIndex(of: method) ?? 0 }

    /// The client in the gateway's configuration.
    func client(resource: String) -> String {
        let credentials =
            switch method {
            case .keyJWT: "key: { file: $FOLDER/client.pem }, key_id: client-1"
            case .certificate: "certificate: $FOLDER/client.crt, key: { file: $FOLDER/client.key }"
            case .basic, .post, .secretJWT: "secret: { file: $FOLDER/\(clientID).secret }"
            }
        let audience = method == .keyJWT || method == .secretJWT ? ", audience: endpoint" : ""
        let object =
            method == .keyJWT ? "" : "request_object: { key: { file: $FOLDER/object.pem }, key_id: object-1 }, "
        return """
            \(name): { issuer: main, id: \(clientID), authentication: { method: \(method.rawValue), \
            \(credentials)\(audience) }, authorization_request: \(form.rawValue), \(form.isSigned ? object : "")\
            scopes: [openid, profile, email, "orders:read"], resource: "\(resource)", \
            id_token: { algorithm: \(tokenAlgorithm) }, dpop: \(isBound ? "required" : "off"), \
            userinfo: \(asksUserInfo ? "required" : "off"), session: { store: \(isInMemory ? "memory" : "cookie") } }
            """
    }

    /// The route that its users log in for.
    var route: String {
        """
        - { path: /\(name)/, upstream: "\(passesToken ? "$TRUSTED" : "$PLAIN")", login: \(name), \
        identity: { X-User: sub, X-Email: email, X-Name: name }\(passesToken ? ", upstream_credential: pass" : "") }
        """
    }

    /// What the server is told of the client that all cases of a method have in common.
    static func registration(of method: Method) -> [String] {
        var options = ["--method", method.rawValue]
        for one in all + certified where one.method == method {
            options += ["--redirect-uri", "$ORIGIN/.portcullis/callback/\(one.name)"]
            options += ["--post-logout-uri", "$ORIGIN/.portcullis/logged-out/\(one.name)"]
        }
        if method == .basic || method == .keyJWT { options += ["--sign-kid", "rs-1"] }
        // The server reads the keys of one client where the gateway publishes them, and knows the others' by heart.
        if method == .keyJWT { return options + ["--jwks-uri", "$ORIGIN/.portcullis/jwks.json"] }
        if method == .secretJWT { options += ["--assertion-algorithm", "HS256"] }
        if method == .certificate { options += ["--subject-name", "CN=client.test"] }
        return options + ["--also", "private_key_jwt", "--key", "$PLACE/object.pem", "--key-id", "object-1"]
    }
}
