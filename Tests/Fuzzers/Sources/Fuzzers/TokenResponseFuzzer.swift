import Crypto
import HTTPMessage
import JSON
import OAuth

/// A token endpoint's answer: the same bytes as a success and as an error.
enum TokenResponseFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let tokens = judge(input, expects: .either)
        checkTokens(tokens, input)
        checkErrors(input)
        if case .success = tokens { return .accepted }
        return .refused
    }

    /// What was read, in a form that can be compared.
    private struct Content: Equatable {
        let accessToken: [UInt8]
        let type: TokenResponse.TokenType
        let expiresIn: Int64
        let scopes: [String]?
        let refreshToken: [UInt8]?
        let idToken: [UInt8]?
    }

    private typealias Judgement = Result<Content, TokenResponseRefusal>

    /// Every accepted answer says what was read, to a reader that knows nothing but JSON.
    private static func checkTokens(_ judgement: Judgement, _ body: [UInt8]) {
        guard case .success(let content) = judgement else {
            hold(isRefused(judge(body, expects: .bearer)), "what is no answer is none for a bearer either")
            hold(isRefused(judge(body, expects: .dpop)), "what is no answer is none with a proof either")
            return
        }
        guard let answer = try? JSONValue.parse(body.span) else { fatalError("an accepted answer is JSON") }
        hold(answer["access_token"]?.utf8 == content.accessToken, "the access token is the member of that name")
        hold(answer["refresh_token"]?.utf8 == content.refreshToken, "the refresh token is the member of that name")
        hold(answer["id_token"]?.utf8 == content.idToken, "the ID token is the member of that name")
        hold(answer["token_type"]?.string?.lowercased() == "\(content.type)", "the type is the member of that name")
        hold(
            answer["expires_in"].map { $0.integer == content.expiresIn } ?? (content.expiresIn == 300),
            "the end is said")
        hold((0...315_360_000).contains(content.expiresIn), "a lifetime is one")
        hold((answer["scope"] == nil) == (content.scopes == nil), "scopes are said or not")
        hold(isOneWord(content.accessToken, 16_384), "an access token ends no field")
        hold(content.idToken.map { isOneWord($0, 65_536) } ?? true, "an ID token ends no field")
        hold(
            content.refreshToken.map { $0.count <= 8192 && $0.allSatisfy { $0 >= 0x20 && $0 <= 0x7E } } ?? true,
            "a refresh token ends no line")
        hold(content.scopes?.contains { $0.isEmpty || $0.contains(" ") } != true, "scopes are words")
        let asBearer = judge(body, expects: .bearer), asBound = judge(body, expects: .dpop)
        hold((asBearer == judgement) == (content.type == .bearer), "a bearer's token is one")
        hold((asBound == judgement) == (content.type == .dpop), "a bound token is one")
        hold(isRefused(asBearer) != isRefused(asBound), "a token is of one kind")
        hold(judge(body, expects: .either, lenient: true) == judgement, "leniency changes nothing that is right")
        hold(isRefused(judge(body + [UInt8(ascii: "{")], expects: .either)), "nothing follows")
    }

    /// No error has tokens, and what is read of it can be written into a log.
    private static func checkErrors(_ body: [UInt8]) {
        for status in [400, 401, 403, 429, 500] {
            let response = FetchResponse(status: status, contentType: "application/json", dpopNonce: "n", body: body)
            let error = TokenError(response)
            hold(error == TokenError(response), "the same error is the same")
            let text = (error.response.code ?? "") + (error.response.description ?? "")
            hold(
                text.utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7E } && text.utf8.count <= 264, "an error is a short line")
            if case .nonceDemanded(let nonce) = error.meaning {
                hold(nonce == "n" && error.response.code == "use_dpop_nonce" && status < 500, "a demand is one")
            }
            if status == 500, error.response.code == nil { hold(error.meaning == .unavailable, "a server is down") }
            do throws(TokenResponseRefusal) {
                _ = try TokenResponse.read(response, expects: .either)
                fatalError("an error has tokens")
            } catch {
                hold(
                    error == .tooLarge(bytes: body.count) || error == .refused(TokenError(response)), "an error is one")
            }
            hold(RevocationResponse.read(response) != .done || error.meaning == .grantRefused, "no error is a success")
        }
    }

    private static func judge(
        _ body: [UInt8], expects: TokenResponse.Expectation, lenient: Bool = false
    ) -> Judgement {
        let response = FetchResponse(status: 200, contentType: "application/json", body: body)
        let first = read(response, expects, lenient)
        hold(first == read(response, expects, lenient), "the same answer says the same")
        return first
    }

    private static func read(
        _ response: FetchResponse, _ expects: TokenResponse.Expectation, _ lenient: Bool
    ) -> Judgement {
        Result { () throws(TokenResponseRefusal) in
            let tokens = try TokenResponse.read(response, expects: expects, lenientExpiresIn: lenient)
            return Content(
                accessToken: tokens.accessToken.reveal(), type: tokens.tokenType, expiresIn: tokens.expiresIn,
                scopes: tokens.scopes, refreshToken: tokens.refreshToken?.reveal(), idToken: tokens.idToken?.reveal())
        }
    }

    private static func isOneWord(_ token: [UInt8], _ limit: Int) -> Bool {
        !token.isEmpty && token.count <= limit
            && token.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2C && $0 != 0x22 }
    }

    private static func isRefused(_ judgement: Judgement) -> Bool {
        if case .failure = judgement { true } else { false }
    }
}
