import HTTPMessage
import JOSE
import OAuth
import TestSupport

/// Members of an answer about an active token, as raw JSON values.
let activeMembers: [String: String] = [
    "active": "true", "iss": "\"https://issuer.example/\"", "sub": "\"user-1\"", "client_id": "\"client-1\"",
    "aud": "\"https://api.example/\"", "exp": "\(now + 300)", "nbf": "\(now - 10)", "iat": "\(now - 10)",
    "scope": "\"orders:read orders:write\"", "token_type": "\"Bearer\"", "username": "\"jdoe\"",
]

/// A JSON object with these members changed: replaced, added, or with nil removed.
func object(_ members: [String: String], _ changes: [String: String?] = [:]) -> String {
    var members = members
    for (name, value) in changes { members[name] = value }
    return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
}

/// A 200 with this JSON text.
func answer(
    _ text: String, status: Int = 200, contentType: String? = "application/json"
) -> FetchResponse {
    FetchResponse(status: status, contentType: contentType, body: Array(text.utf8))
}

/// What the answer about a token says.
func introspect(
    _ response: FetchResponse, rules: IntrospectionRules = IntrospectionRules(rules()), keys: VerificationKeys? = nil,
    at time: Int64 = now
) throws(IntrospectionRefusal) -> IntrospectionOutcome {
    try IntrospectionResponse.read(response, rules: rules, keys: keys, now: time)
}

extension IntrospectionOutcome {
    /// The token, when the outcome is one.
    var token: VerifiedAccessToken? {
        if case .active(let token, _) = self { token } else { nil }
    }

    var believedUntil: Int64? {
        if case .active(_, let time) = self { time } else { nil }
    }

    var refusal: AccessTokenRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    var isInactive: Bool {
        if case .inactive = self { true } else { false }
    }
}

/// An answer that the mint signs (RFC 9701 §5), with header and claims changed.
func signedAnswer(
    header: [String: String?] = [:], claims: [String: String?] = [:], key: SigningKey = .p256,
    signedBy: SigningKey? = nil
) -> FetchResponse {
    let header = object(
        [
            "typ": "\"token-introspection+jwt\"", "alg": "\"\(key.algorithm.name)\"",
            "kid": "\"\(key.keyID ?? "")\"",
        ], header)
    let claims = object(
        [
            "iss": "\"https://issuer.example/\"", "aud": "\"https://gateway.example/\"", "iat": "\(now)",
            "token_introspection": object(activeMembers),
        ], claims)
    let token = TokenMint.sign(header: header, claims: claims, key: signedBy ?? key, algorithm: key.algorithm)
    return answer(token, contentType: "application/token-introspection+jwt")
}

/// Rules for answers signed for us.
let signedRules = IntrospectionRules(rules(), form: .signed(audience: "https://gateway.example/"))

/// Why the answer is not read; nil when it is.
func introspectionRefusal(
    _ response: FetchResponse, rules: IntrospectionRules = IntrospectionRules(rules()), keys: VerificationKeys? = nil
) -> IntrospectionRefusal? {
    do throws(IntrospectionRefusal) {
        _ = try introspect(response, rules: rules, keys: keys)
        return nil
    } catch {
        return error
    }
}
