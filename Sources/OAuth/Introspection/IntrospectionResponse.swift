public import HTTPMessage
public import JOSE
import JSON

/// What an authorization server's answer says about a token.
public enum IntrospectionOutcome: Sendable {
    /// The server vouches for the token, and so do the checks made here.
    ///
    /// `believedUntil` is in seconds since 1970, at most `positiveSeconds` ahead and never beyond `exp`; where it is not
    /// ahead at all, the answer is for this request only.
    case active(VerifiedAccessToken, believedUntil: Int64)
    /// Revoked, expired, made up or not for us: the server does not say which (INT-03).
    case inactive
    /// The server vouches for it, and yet what it says about it forbids its use (INT-04).
    case refused(AccessTokenRefusal)
}

/// Reads an authorization server's answer about a token (RFC 7662 §2.2, RFC 9701 §5).
public enum IntrospectionResponse {
    /// What `response` says.
    ///
    /// `keys` are the issuer's, for a signed answer; `now` is in seconds since 1970. Whether the token is meant for a
    /// route is asked for each request: a token without `aud` is for none.
    public static func read(
        _ response: FetchResponse, rules: IntrospectionRules, keys: VerificationKeys? = nil, now: Int64
    ) throws(IntrospectionRefusal) -> IntrospectionOutcome {
        switch response.status {
        case 200: break
        case 401, 403: throw .credentialsRefused(status: response.status)
        default: throw .status(response.status)
        }
        guard response.body.count <= rules.maximumBytes else {
            throw .tooLarge(bytes: response.body.count)
        }
        let contentType = response.contentType ?? ""
        let answer: JSONValue
        switch rules.form {
        case .plain:
            guard MediaType.isJSON(contentType) else { throw .contentType(contentType) }
            answer = try parse(response.body, rules)
        case .signed(let audience):
            guard MediaType.named(contentType, "application/token-introspection+jwt") else {
                throw .contentType(contentType)
            }
            answer = try SignedIntrospection(response.body, maximumBytes: rules.maximumBytes).verify(
                with: keys, rules: rules, audience: audience, now: now)
        }
        guard answer.kind == .object else { throw .notAnObject }
        return outcome(answer, rules: rules, now: now)
    }

    private static func parse(
        _ body: [UInt8], _ rules: IntrospectionRules
    ) throws(IntrospectionRefusal) -> JSONValue {
        do {
            return try JSONValue.parse(body.span, limits: .filled(to: rules.maximumBytes))
        } catch {
            throw .notJSON(error)
        }
    }

    private static func outcome(_ answer: JSONValue, rules: IntrospectionRules, now: Int64) -> IntrospectionOutcome {
        // INT-02: "true" and 1 are somebody's mistake, and a mistake lets nobody in.
        guard answer["active"]?.bool == true else { return .inactive }
        do throws(AccessTokenRefusal) {
            let token = try IntrospectedToken(answer, rules: rules, now: now).token
            return .active(token, believedUntil: min(now + rules.believedSeconds, token.expiresAt))
        } catch {
            return .refused(error)
        }
    }
}
