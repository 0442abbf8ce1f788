import Testing
import TestSupport

extension StagePlan {
    /// An issuer that the client `asker` asks about opaque tokens, with these further settings of introspection.
    static func lookups(
        _ settings: String = "cache: 0s, negative_cache: 0s",
        authentication: String = "{ method: client_secret_basic, secret: { file: $FOLDER/asker.secret } }"
    ) -> StagePlan {
        var plan = StagePlan()
        // The server is a thread of the tests, which may stand still.
        let time = settings.contains("timeout:") ? "" : ", timeout: 30s"
        plan.issuer = "discovery: openid, introspection: { client: asker, \(settings)\(time) }"
        plan.settings = clients(authentication)
        plan.files = ["asker.secret": "p%/ü"]
        plan.prepare = { $0.introspect(introspected()) }
        return plan
    }

    /// The client `asker`; its identifier and its secret have characters that Basic credentials must escape.
    static func clients(
        _ authentication: String = "{ method: client_secret_basic, secret: { file: $FOLDER/asker.secret } }"
    ) -> String {
        "clients: { asker: { issuer: main, id: \"a:b\", authentication: \(authentication) } }"
    }
}

/// What a server says of a good token, as JSON text, with members changed (JSON text) or left out (nil).
func introspected(_ changes: [String: String?] = [:]) -> String {
    var members: [String: String?] = [
        "active": "true", "aud": quoted(TokenForge.audience), "scope": quoted("orders:read"), "sub": quoted("alice"),
        "client_id": quoted("client-1"), "exp": moment(300),
    ]
    members.merge(changes) { $1 }
    let written = members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    return "{\(written.joined(separator: ","))}"
}

/// A token that nobody saw before and that is no JWT.
func opaqueToken() -> String { "opaque-" + String(UInt64.random(in: 0...UInt64.max), radix: 36) }

extension Stage {
    /// One request with a token as Bearer, on a connection of its own.
    func ask(_ token: String, _ path: String = "/orders/a") throws -> WireResponse {
        try exchange("GET", path, fields: ["Authorization: Bearer \(token)"])
    }

    /// How often the introspection endpoint was asked.
    var lookups: Int { issuer.fetches(ScriptedIssuer.introspectionPath) }

    /// How often the token endpoint was asked.
    var exchanges: Int { issuer.fetches(ScriptedIssuer.tokenPath) }

    /// What the introspection endpoint was asked last.
    var lastLookup: WireRequest? {
        issuer.server.requests.last { $0.path == ScriptedIssuer.introspectionPath }
    }

    /// Makes the introspection endpoint answer only when the gate is open.
    func introspect(behind gate: Gate, _ answer: String = introspected()) {
        issuer.answer(
            ScriptedIssuer.introspectionPath,
            with: WireScript(.wait(gate), .text(Stage.document(answer))))
    }

    /// A whole response with a JSON document.
    static func document(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Waits until so many requests of all workers wait for an authorization server.
    func waitsForParked(_ count: Int) -> Bool {
        let line = "portcullis_parked_requests \(count)\n"
        return eventually { (try? gateway.admin("/metrics").bodyText.contains(line)) == true }
    }

    /// What the operator is told of a failed lookup.
    func expectOperatorTold(
        _ event: String, at location: SourceLocation = #_sourceLocation,
        where predicate: (LogLine) -> Bool = { _ in true }
    ) {
        #expect(
            gateway.operatorLine { $0["event"] == event && predicate($0) } != nil, "\(gateway.diagnosis)",
            sourceLocation: location)
    }
}

/// The parameters of a form, by name; each must be there once.
func form(_ request: WireRequest) throws -> [String: String] {
    #expect(request.fields.only("content-type") == "application/x-www-form-urlencoded")
    var found: [String: String] = [:]
    for pair in request.bodyText.split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, found[String(parts[0])] == nil else { throw WireFailure.malformed(request.bodyText) }
        found[String(parts[0])] = unescaped(parts[1])
    }
    return found
}

private func unescaped(_ value: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = value.utf8[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
            bytes.append(code)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
