import Bytes
public import Crypto
public import HTTPMessage
import JSON

/// A token for an upstream.
public struct ExchangedToken: Sendable {
    /// Its bytes: a token68, so that they end no header field.
    public let token: Secret
    /// Until when it may be presented, in seconds since 1970; where that has passed, for this request only.
    public let expiresAt: Int64
}

/// What came of asking for a token in exchange for another (RFC 8693 §2.2).
public enum ExchangeOutcome: Sendable {
    case token(ExchangedToken)
    /// The server does not take the subject token: its bearer needs a new one (TX-03).
    case invalidSubject
    /// The server does not issue tokens for this upstream: the operator's mistake; an alarm (TX-03).
    case invalidTarget
}

/// Reads an authorization server's answer to a token exchange.
public enum ExchangeResponse {
    /// What `response` says; times in seconds since 1970, `subjectExpiresAt` those of the token exchanged.
    public static func read(
        _ response: FetchResponse, subjectExpiresAt: Int64, now: Int64
    ) throws(ExchangeRefusal) -> ExchangeOutcome {
        guard response.body.count <= ExchangeRequest.maximumBytes else { throw .tooLarge(bytes: response.body.count) }
        guard response.status == 200 else { return try readError(response) }
        let contentType = response.contentType ?? ""
        guard MediaType.isJSON(contentType) else { throw .contentType(contentType) }
        let answer = try parse(response.body)
        guard answer.kind == .object else { throw .notAnObject }
        try checkIssuedType(answer)
        guard let type = answer["token_type"] else { throw .missingMember("token_type") }
        guard let name = type.utf8 else { throw .memberMalformed("token_type") }
        // A DPoP token would need a proof by the client's key for each request to the upstream.
        guard ASCII.equalsIgnoringCase(name.span, "Bearer") else { throw .tokenTypeNotUsable }
        guard let value = answer["access_token"] else { throw .missingMember("access_token") }
        guard let token = value.utf8, TokenText(token.span) != nil else { throw .memberMalformed("access_token") }
        let believed = now + (try lifetime(answer) - Self.marginSeconds)
        return .token(ExchangedToken(token: Secret(token), expiresAt: min(believed, subjectExpiresAt)))
    }

    private static func checkIssuedType(_ answer: JSONValue) throws(ExchangeRefusal) {
        guard let issued = answer["issued_token_type"] else { throw .missingMember("issued_token_type") }
        guard issued.kind == .string else { throw .memberMalformed("issued_token_type") }
        guard issued.equals(ExchangeRequest.accessTokenType) || issued.equals(ExchangeRequest.jwtType)
        else { throw .issuedTypeNotAccepted }
    }

    private static func lifetime(_ answer: JSONValue) throws(ExchangeRefusal) -> Int64 {
        guard let value = answer["expires_in"] else { return Self.unknownLifetimeSeconds }
        guard let seconds = value.integer, (0...Self.longestLifetimeSeconds).contains(seconds)
        else { throw .memberMalformed("expires_in") }
        return seconds
    }

    /// RFC 6749 §5.2 and RFC 8693 §2.2.2.
    private static func readError(_ response: FetchResponse) throws(ExchangeRefusal) -> ExchangeOutcome {
        guard (400...499).contains(response.status), let code = ErrorResponse(response).code else {
            guard response.status != 401, response.status != 403 else {
                throw .credentialsRefused(status: response.status)
            }
            throw .status(response.status)
        }
        switch (code, response.status) {
        case ("invalid_grant", _), ("invalid_request", 400): return .invalidSubject
        case ("invalid_target", _): return .invalidTarget
        case ("invalid_client", _), (_, 401), (_, 403): throw .credentialsRefused(status: response.status)
        case _: throw .error(code)
        }
    }

    private static func parse(_ body: [UInt8]) throws(ExchangeRefusal) -> JSONValue {
        do {
            return try JSONValue.parse(body.span, limits: JSONLimits(bytes: ExchangeRequest.maximumBytes))
        } catch {
            throw .notJSON(error)
        }
    }

    /// Seconds before its end at which a token is no longer presented: it has a way to go (TX-04).
    private static let marginSeconds: Int64 = 30
    /// What a server that does not say is taken to mean, in seconds.
    private static let unknownLifetimeSeconds: Int64 = 60
    /// Ten years: beyond that it is a mistake, or meant to overflow something.
    private static let longestLifetimeSeconds: Int64 = 315_360_000
}
