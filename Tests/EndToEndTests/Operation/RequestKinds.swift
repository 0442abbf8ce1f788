import TestSupport

/// The kinds of requests whose lines are held against them.
extension OwnWordsStage {
    private static let audience = "audience: \"\(TokenForge.audience)\""

    private static func route(_ path: String, _ keys: String) -> String {
        "{ path: /\(path)/, upstream: $UPSTREAM, \(keys) }"
    }

    private static func tokenRoute(_ path: String, _ keys: String) -> String {
        route(path, "token: { issuers: [main], \(audience), \(keys) }")
    }

    static let routes = [
        route("open", "public: true"), route("small", "public: true, limits: { request_body: 10B }"),
        route("get", "public: true, methods: [GET]"),
        route("cors", "public: true, cors: { origins: [\"https://app.test\"] }"),
        "{ path: /dead/, upstream: \"http://127.0.0.1:1\", public: true }",
        tokenRoute("orders", "scopes: [\"orders:read\"]"), tokenRoute("many", "scopes: [a, b]"),
        tokenRoute("acr", "acr_values: [mfa]"), tokenRoute("age", "max_age: 600s"),
        tokenRoute("user", "user_only: true"), tokenRoute("rule", "claims: { tenant: [acme] }"),
        tokenRoute("details", "authorization_details: [{ type: order }]"),
        tokenRoute("bound", "schemes: [DPoP, Bearer]"),
        tokenRoute("nonce", "schemes: [DPoP], dpop: { nonce: required }"),
        route("optional", "login: { client: web, optional: true }"), route("must", "login: web"),
    ]

    /// What is wrong with the message, or its way.
    static func messages(_ stage: Stage) -> [RequestKind] {
        [
            RequestKind(
                name: "path", cause: "route_unknown",
                found: { "/nowhere-\($0)" }, text: { request("GET", "/nowhere-\($0)") }),
            RequestKind(
                name: "host", cause: "authority_unknown",
                found: { "\($0).test" }, text: { "GET /open/ HTTP/1.1\r\nHost: \($0).test\r\n\r\n" }),
            RequestKind(
                name: "escape", cause: "path_ambiguous",
                text: { request("GET", "/open/\($0)%2Fb") }),
            RequestKind(
                name: "method", cause: "method_not_allowed", text: { request("\($0.uppercased())", "/get/a") }),
            RequestKind(name: "put", cause: "method_not_allowed", text: { request("PUT", "/get/\($0)") }),
            RequestKind(
                name: "field", cause: "malformed_message", text: { request("GET", "/open/", fields: ["A b: \($0)"]) }),
            RequestKind(
                name: "expectation", cause: "expectation_unknown",
                text: { request("POST", "/open/", fields: ["Expect: \($0)"], body: "a") }),
            RequestKind(
                name: "version", cause: "version_not_supported",
                text: { "GET /open/\($0) HTTP/2.0\r\nHost: gateway.test\r\n\r\n" }),
            RequestKind(
                name: "option", cause: "reserved_connection_option",
                text: { request("GET", "/open/", fields: ["Connection: \($0), X-Request-Id"]) }),
            RequestKind(
                name: "loop", cause: "loop_detected", found: { "Via: 1.1 own-words (\($0))" },
                text: { request("GET", "/open/", fields: ["Via: 1.1 own-words (\($0))"]) }),
            RequestKind(
                name: "origin", cause: "origin_not_allowed", found: { "https://\($0).test" },
                text: {
                    request(
                        "OPTIONS", "/cors/a",
                        fields: ["Origin: https://\($0).test", "Access-Control-Request-Method: GET"])
                }),
            RequestKind(
                name: "length", cause: "request_body_too_large", found: { _ in "11" },
                text: { request("POST", "/small/\($0)", body: "01234567890") }),
            RequestKind(
                name: "longer", cause: "request_body_too_large", found: { _ in "21" },
                text: { request("POST", "/small/\($0)", body: "012345678901234567890") }),
            RequestKind(
                name: "document", cause: "route_unknown", found: { "/.portcullis/\($0)" },
                text: { request("GET", "/.portcullis/\($0)") }),
            RequestKind(
                name: "metadata", cause: "route_unknown",
                found: { "/.well-known/oauth-protected-resource/\($0)" },
                text: { request("GET", "/.well-known/oauth-protected-resource/\($0)") }),
            RequestKind(
                name: "upstream", cause: "upstream_unreachable", found: { _ in "Connection refused" },
                text: { request("GET", "/dead/\($0)") }),
        ]
    }

    private static func bearer(_ path: String, _ token: String) -> String {
        request("GET", path, fields: ["Authorization: Bearer \(token)"])
    }

    static func credentials(_ stage: Stage) -> [RequestKind] {
        let good = stage.tokens.token()
        return [
            RequestKind(name: "none", cause: "credentials_missing", text: { request("GET", "/orders/\($0)") }),
            RequestKind(
                name: "basic", cause: "scheme_not_enabled",
                text: { request("GET", "/orders/", fields: ["Authorization: Basic \($0)"]) }),
            RequestKind(
                name: "dpop", cause: "scheme_not_enabled",
                text: { request("GET", "/orders/", fields: ["Authorization: DPoP \($0)"]) }),
            RequestKind(
                name: "twice", cause: "credentials_repeated",
                text: {
                    request("GET", "/orders/", fields: ["Authorization: Bearer \($0)", "Authorization: Bearer b"])
                }
            ),
            RequestKind(
                name: "list", cause: "credentials_repeated",
                text: { request("GET", "/orders/", fields: ["Authorization: Bearer \($0), Bearer b"]) }),
            RequestKind(
                name: "form", cause: "credentials_malformed",
                text: { request("GET", "/orders/", fields: ["Authorization: Bearer \($0) b"]) }),
            RequestKind(
                name: "query", cause: "credentials_in_query_too",
                text: { bearer("/orders/?access_token=\($0)", good) }),
            RequestKind(
                name: "opaque", cause: "token_malformed", text: { bearer("/orders/", $0) }),
            RequestKind(
                name: "opaque and long", cause: "token_malformed", text: { bearer("/orders/", $0 + $0) }),
        ]
    }

    /// A token for each mark, signed once.
    private static func each(_ make: (String) -> String) -> @Sendable (String) -> String {
        var made: [String: String] = [:]
        for number in 0..<marks { made["mark\(number)z"] = make("mark\(number)z") }
        let all = made
        return { all[$0] ?? "" }
    }

    private static func kind(
        _ name: String, _ cause: String, _ path: String = "/orders/",
        found: @escaping @Sendable (String) -> String? = { _ in nil }, _ token: (String) -> String
    ) -> RequestKind {
        let tokens = each(token)
        return RequestKind(name: name, cause: cause, found: found, text: { bearer(path + $0, tokens($0)) })
    }

    static func tokens(_ stage: Stage) -> [RequestKind] {
        let forge = stage.tokens
        return [
            kind("iss", "token_issuer_unknown", found: { "https://\($0).test" }) {
                forge.token(["iss": quoted("https://\($0).test")])
            },
            kind("typ", "token_type_not_accepted") { forge.token(header: ["typ": quoted($0)]) },
            kind("signature", "token_signature_invalid") { _ in
                forge.token(signedBy: SigningKey(renaming: .otherP256, keyID: "main-1"))
            },
            kind("exp", "token_expired") { _ in forge.token(["exp": moment(-900)]) },
            kind("nbf", "token_not_yet_valid") { _ in forge.token(["nbf": moment(90_000)]) },
            kind("iat", "token_issued_in_future") { _ in forge.token(["iat": moment(90_000)]) },
            kind("aud", "token_audience_missing") { forge.token(["aud": quoted("https://\($0).test")]) },
            kind("jti", "token_claim_missing") { _ in forge.token(["jti": nil]) },
            kind("sub", "token_claim_malformed") { _ in forge.token(["sub": quoted("")]) },
            kind("large", "token_too_large") { _ in
                forge.token(["x": quoted(String(repeating: "x", count: 20_000))])
            },
            kind("cnf", "token_bound_to_key") { forge.token(["cnf": "{\"kid\":\"\($0)\"}"]) },
        ]
    }

    static func rights(_ stage: Stage) -> [RequestKind] {
        let forge = stage.tokens
        return [
            kind("scope", "scope_insufficient") { forge.token(["scope": quoted($0)]) },
            kind("scopes", "scope_insufficient", "/many/") { forge.token(["scope": quoted("a \($0)")]) },
            kind("acr", "authentication_insufficient", "/acr/") { forge.token(["acr": quoted($0)]) },
            kind("auth_time", "authentication_too_old", "/age/") {
                forge.token(["auth_time": "1000\($0.filter(\.isNumber))"])
            },
            kind("user", "user_required", "/user/") { _ in
                forge.token(["sub": quoted("client-1"), "client_id": quoted("client-1")])
            },
            kind("rule", "claim_rule_unmet", "/rule/") { forge.token(["tenant": quoted($0)]) },
            kind("details", "authorization_details_insufficient", "/details/", found: { "of type \($0)" }) {
                forge.token(["authorization_details": "[{\"type\":\"\($0)\"}]"])
            },
            kind("no details", "authorization_details_insufficient", "/details/", found: { _ in "none" }) { _ in
                forge.token()
            },
            kind("bad details", "authorization_details_malformed", "/details/") { _ in
                forge.token(["authorization_details": "7"])
            },
        ]
    }

    private static func proof(
        _ name: String, _ cause: String, _ change: (inout ProofCall, String) -> Void, _ stage: Stage,
        found: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> RequestKind {
        let made = each { mark in
            var call = ProofCall(path: "/bound/a", url: "https://gateway.test/bound/a")
            change(&call, mark)
            return request(call.method, call.path, fields: call.fields(stage))
        }
        return RequestKind(name: name, cause: cause, found: found, text: { made($0) })
    }

    static func proofs(_ stage: Stage) -> [RequestKind] {
        [
            proof("no proof", "proof_missing", { call, _ in call.proofLines = { _ in [] } }, stage),
            proof(
                "proofs", "proof_repeated", { call, _ in call.proofLines = { ["DPoP: \($0)", "DPoP: \($0)"] } }, stage),
            proof(
                "proof form", "proof_malformed", { call, mark in call.proofLines = { _ in ["DPoP: \(mark)"] } }, stage),
            proof("proof typ", "proof_type_not_accepted", { call, mark in call.header["typ"] = quoted(mark) }, stage),
            proof("htm", "proof_method_mismatch", { call, mark in call.claims["htm"] = quoted(mark) }, stage),
            proof(
                "htu", "proof_target_mismatch", { call, mark in call.url = "https://\(mark).test/bound/a" }, stage),
            proof("proof iat", "proof_out_of_time", { call, _ in call.clock = -4000 }, stage),
            proof("ath", "proof_token_mismatch", { call, mark in call.claims["ath"] = quoted(mark) }, stage),
            proof("proof signature", "proof_signature_invalid", { call, _ in call.signer = .p256 }, stage),
            proof(
                "proof key", "proof_key_mismatch",
                { call, _ in call.token = ["cnf": ProofMint(key: .p256).confirmation] }, stage),
            proof("jti", "proof_claim_missing", { call, _ in call.claims["jti"] = String?.none }, stage),
            proof("unbound", "token_not_bound", { call, _ in call.token = ["cnf": nil] }, stage),
            proof("bound as Bearer", "token_bound_to_key", { call, _ in call.scheme = "Bearer" }, stage),
            proof(
                "no nonce", "proof_nonce_missing",
                { call, _ in (call.path, call.url) = ("/nonce/a", "https://gateway.test/nonce/a") }, stage),
            proof(
                "nonce", "proof_nonce_unknown",
                { call, mark in
                    (call.path, call.url) = ("/nonce/a", "https://gateway.test/nonce/a")
                    call.claims["nonce"] = quoted(mark)
                }, stage),
        ]
    }

    private static let cookie = "__Host-portcullis-web"

    static func sessions(_ stage: Stage) -> [RequestKind] {
        [
            RequestKind(name: "no session", cause: "login_required", text: { request("GET", "/must/\($0)") }),
            RequestKind(
                name: "cookie", cause: "login_required",
                text: { request("GET", "/must/", fields: ["Cookie: \(cookie)=AAAA\($0)"]) }),
            RequestKind(
                name: "cookies", cause: "login_required",
                text: { request("GET", "/must/", fields: ["Cookie: \(cookie)=AAAA\($0); \(cookie)=BBBB"]) }),
        ]
    }

    /// Requests that pass, and leave nothing for the next one to be blamed with.
    static func letThrough(_ stage: Stage) -> [RequestKind] {
        [
            RequestKind(
                name: "optional", cause: nil,
                text: { request("GET", "/optional/", fields: ["Cookie: \(cookie)=AAAA\($0)"]) }),
            RequestKind(
                name: "optional cookies", cause: nil,
                text: { request("GET", "/optional/", fields: ["Cookie: \(cookie)=AAAA\($0); \(cookie)=BBBB"]) }),
            RequestKind(name: "public", cause: nil, text: { request("GET", "/open/\($0)") }),
        ]
    }
}
