import Bytes
public import Crypto
public import HTTPMessage
import JSON

/// What a token endpoint issued (RFC 6749 §5.1); the access token is a row of bytes that nobody looks into (CF-33).
public struct TokenResponse: Sendable {
    /// The two kinds of token that we know how to present.
    public enum TokenType: Sendable, Hashable {
        case bearer
        /// Bound to the key of the request's proof (RFC 9449 §5).
        case dpop
    }

    /// The kind of token that was asked for.
    public enum Expectation: Sendable, Hashable {
        /// No proof was sent: a bound token could not be presented.
        case bearer
        /// A proof was sent: a token that is not bound is worth less than was asked for (DPOP-42).
        case dpop
        /// A proof was sent to a server that may not know what it is.
        case either
    }

    /// By whose custom an answer is read.
    public enum Custom: Sendable, Hashable {
        /// As RFC 6749 §5 has it.
        case standard
        /// As servers answer that are older than RFC 6749: an error may come with status 200, scopes may have commas
        /// between them, and a token whose life is not told has no end. An ID token is not looked for (CF-35).
        case plainOAuth
    }

    /// At most 16 KiB, a token68: it ends no header field.
    public let accessToken: Secret
    /// What it is presented as.
    public let tokenType: TokenType
    /// Seconds from now for which it is good; 300 when the server does not say, or ten years by the older custom.
    public let expiresIn: Int64
    /// What was granted; nil when that is what was asked for.
    public let scopes: [String]?
    /// At most 8 KiB of printable ASCII; nil leaves the one before in place (RF-03).
    public let refreshToken: Secret?
    /// At most 64 KiB of base64url and dots, not looked at.
    public let idToken: Secret?

    /// The tokens in `response`.
    ///
    /// `lenientExpiresIn` takes digits in a string for the number that they spell.
    public static func read(
        _ response: FetchResponse, expects: Expectation, lenientExpiresIn: Bool = false, custom: Custom = .standard
    ) throws(TokenResponseRefusal) -> TokenResponse {
        guard response.body.count <= TokenRequest.maximumBytes else { throw .tooLarge(bytes: response.body.count) }
        guard response.status == 200 else {
            guard !(200...299).contains(response.status) else { throw .status(response.status) }
            throw .refused(TokenError(response))
        }
        let contentType = response.contentType ?? ""
        guard MediaType.isJSON(contentType) else { throw .contentType(contentType) }
        let answer = try parse(response.body)
        guard answer.kind == .object else { throw .notAnObject }
        // Whatever stands beside it: nothing is taken from an answer that says no.
        if custom == .plainOAuth, let error = answer["error"], !error.isNull { throw .refused(TokenError(response)) }
        let type = try tokenType(answer)
        switch (expects, type) {
        case (.bearer, .bearer), (.dpop, .dpop), (.either, _): break
        case (.bearer, .dpop): throw .tokenTypeWrong(found: "DPoP")
        case (.dpop, .bearer): throw .tokenTypeWrong(found: "Bearer")
        }
        guard let accessToken = try token("access_token", answer, maximumBytes: 16 * 1024, isToken68)
        else { throw .missingMember("access_token") }
        return TokenResponse(
            accessToken: accessToken, tokenType: type,
            expiresIn: try lifetime(answer, isLenient: lenientExpiresIn, custom), scopes: try scopes(answer, custom),
            refreshToken: try token("refresh_token", answer, maximumBytes: 8 * 1024, isPrintable),
            idToken: custom == .plainOAuth
                ? nil : try token("id_token", answer, maximumBytes: 64 * 1024, isToken68))
    }

    /// The refresh token to keep after a refresh with `last`: the new one, or the same where there is none (RF-03).
    public func refreshToken(after last: Secret) -> Secret { refreshToken ?? last }

    private static func parse(_ body: [UInt8]) throws(TokenResponseRefusal) -> JSONValue {
        do {
            return try JSONValue.parse(body.span, limits: JSONLimits(bytes: TokenRequest.maximumBytes))
        } catch {
            throw .notJSON(error)
        }
    }

    private static func tokenType(_ answer: JSONValue) throws(TokenResponseRefusal) -> TokenType {
        guard let value = answer["token_type"] else { throw .missingMember("token_type") }
        guard let name = value.utf8 else { throw .memberMalformed("token_type") }
        // RFC 6749 §5.1: case insensitive, and there are servers that write `bearer` and `dpop`.
        if ASCII.equalsIgnoringCase(name.span, "Bearer") { return .bearer }
        if ASCII.equalsIgnoringCase(name.span, "DPoP") { return .dpop }
        throw .tokenTypeWrong(found: String(decoding: name.prefix(64), as: UTF8.self))
    }

    /// What becomes a field, a form or a cookie: no character in it may end any of them.
    private static func token(
        _ name: String, _ answer: JSONValue, maximumBytes: Int, _ isAllowed: (Span<UInt8>) -> Bool
    ) throws(TokenResponseRefusal) -> Secret? {
        guard let value = answer[name] else { return nil }
        guard let bytes = value.utf8, !bytes.isEmpty, bytes.count <= maximumBytes, isAllowed(bytes.span)
        else { throw .memberMalformed(name) }
        return Secret(bytes)
    }

    private static func isToken68(_ bytes: Span<UInt8>) -> Bool { TokenText(bytes) != nil }

    /// VSCHAR of RFC 6749 appendix A.17.
    private static func isPrintable(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] > 0x7E { return false }
        return true
    }

    private static func lifetime(
        _ answer: JSONValue, isLenient: Bool, _ custom: Custom
    ) throws(TokenResponseRefusal) -> Int64 {
        guard let value = answer["expires_in"] else {
            return custom == .plainOAuth ? Self.longestLifetimeSeconds : Self.unknownLifetimeSeconds
        }
        guard let seconds = isLenient ? value.integer ?? digits(value) : value.integer,
            (0...Self.longestLifetimeSeconds).contains(seconds)
        else { throw .memberMalformed("expires_in") }
        return seconds
    }

    private static func digits(_ value: JSONValue) -> Int64? {
        guard let text = value.string, (1...10).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit)
        else { return nil }
        return Int64(text)
    }

    private static func scopes(_ answer: JSONValue, _ custom: Custom) throws(TokenResponseRefusal) -> [String]? {
        guard let value = answer["scope"] else { return nil }
        guard let text = value.string, text.utf8.count <= 8 * 1024, text.utf8.allSatisfy(isScopeCharacter)
        else { throw .memberMalformed("scope") }
        return text.split { $0 == " " || custom == .plainOAuth && $0 == "," }.map(String.init)
    }

    /// RFC 6749 appendix A.4: printable ASCII without quotation mark and backslash, and the space between scopes.
    private static func isScopeCharacter(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte <= 0x7E && byte != 0x22 && byte != 0x5C
    }

    /// What a server that does not say is taken to mean, in seconds (CF-31).
    private static let unknownLifetimeSeconds: Int64 = 300
    /// Ten years: beyond that it is a mistake, or meant to overflow something.
    private static let longestLifetimeSeconds: Int64 = 315_360_000
}
