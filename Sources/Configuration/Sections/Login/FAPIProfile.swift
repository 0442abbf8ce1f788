import Issuers
import JOSE
import Login
import OAuth

/// `profile: fapi2` of a client: FAPI 2.0 Security Profile and Message Signing, all of it on.
enum FAPIProfile {
    /// FAPI 2.0 §5.4.1.
    static let algorithms: [SignatureAlgorithm] = [.ps256, .es256, .edDSA]

    static func isAsked(of client: CheckedObject) -> Bool { client.text("profile")?.text == "fapi2" }

    /// Whether the client is known by a certificate, to which its tokens are bound then (RFC 8705 §3).
    static func showsCertificate(_ client: CheckedObject) -> Bool {
        let method = client.object("authentication")?.text("method")?.text ?? ""
        return ["tls_client_auth", "self_signed_tls_client_auth"].contains(method)
    }

    /// Notes what contradicts the profile: half of it would look like all of it.
    static func judge(
        _ client: CheckedObject, _ known: ClientSettings, _ request: AuthorizationRequestSection,
        _ problems: ProblemList
    ) {
        guard isAsked(of: client) else { return }
        judgeAuthentication(client, known.credentials, problems)
        let form = request.settings.form
        if form != .pushedSigned {
            refuse(
                client["authorization_request"]?.place, expected: "pushed_signed", found: form.rawValue,
                why: "requests are signed and pushed (FAPI 2.0 section 5.3.2.2, Message Signing section 5.3)", problems)
        }
        let mode = request.settings.responseMode
        if ![.jwt, .queryJWT, .formPostJWT].contains(mode) {
            refuse(
                client["response_mode"]?.place, expected: "jwt, query.jwt or form_post.jwt", found: mode.rawValue,
                why: "responses are signed (Message Signing section 5.4)", problems)
        }
        let dpop = ProofChoice.of(client)
        if dpop == .optional || dpop == .off && !showsCertificate(client) {
            refuse(
                client["dpop"]?.place, expected: "required", found: client.text("dpop")?.text ?? "off",
                why: "tokens are bound to a key (FAPI 2.0 section 5.3.2.1)", problems)
        }
        // A key that is the client's own for assertions too is told of there.
        if let key = request.key, let object = client.object("request_object"), object.says("key"),
            !algorithms.contains(key.algorithm)
        {
            refuse(
                object["algorithm"]?.place ?? object["key"]?.place,
                expected: "request objects signed by PS256, ES256 or EdDSA", found: key.algorithm.name,
                why: "the others are not allowed (FAPI 2.0 section 5.4.1)", problems)
        }
        for name in ["id_token", "response"].flatMap({ client.object($0)?.texts("algorithm") ?? [] })
        where !algorithms.map(\.name).contains(name.text) {
            refuse(
                name.place, expected: "PS256, ES256 or EdDSA", found: name.text,
                why: "the others are not allowed (FAPI 2.0 section 5.4.1)", problems)
        }
        if client.flag("third_party_start") == true {
            refuse(
                client["third_party_start"]?.place, expected: "no third_party_start", found: "true",
                why: "a login begins with the user's will alone (FAPI 2.0 section 5.3.3.1)", problems)
        }
    }

    private static func judgeAuthentication(
        _ client: CheckedObject, _ credentials: ClientCredentials, _ problems: ProblemList
    ) {
        let object = client.object("authentication")
        switch credentials.method {
        case .secretBasic, .secretPost, .secretJWT, .publicClient:
            refuse(
                object?["method"]?.place, expected: "private_key_jwt, tls_client_auth or self_signed_tls_client_auth",
                found: credentials.method.name,
                why: "a secret that two sides know is not enough, and none is less (FAPI 2.0 section 5.3.3.1)", problems
            )
        case .privateKeyJWT(let key):
            if !algorithms.contains(key.algorithm) {
                refuse(
                    object?["algorithm"]?.place ?? object?["key"]?.place, expected: "PS256, ES256 or EdDSA",
                    found: key.algorithm.name, why: "the others are not allowed (FAPI 2.0 section 5.4.1)", problems)
            }
            if credentials.assertionAudience != .issuer {
                refuse(
                    object?["audience"]?.place, expected: "issuer", found: object?.text("audience")?.text ?? "another",
                    why: "an assertion names the issuer alone (FAPI 2.0 section 5.3.3.1)", problems)
            }
        case .tls, .selfSignedTLS: break
        }
    }

    private static func refuse(
        _ place: Place?, expected: String, found: String, why: String, _ problems: ProblemList
    ) {
        guard let place else { return }
        problems.error(
            at: place, expected: "\(expected) for profile: fapi2", found: found,
            remedy: "\(why); change it, or leave the profile out")
    }
}
