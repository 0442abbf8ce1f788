import HTTPMessage
import OAuth
import TestTraits
import Testing

/// As GitHub documents its token endpoint's answer, asked with `Accept: application/json`.
private let members = [
    "access_token": "\"gho_16C7e42F292c6912E7710c838347Ae178B4a\"", "scope": "\"repo,gist\"",
    "token_type": "\"bearer\"",
]

private func read(
    _ changes: [String: String?] = [:], custom: TokenResponse.Custom = .plainOAuth
) throws(TokenResponseRefusal) -> TokenResponse {
    try TokenResponse.read(answer(object(members, changes)), expects: .bearer, custom: custom)
}

private func meaning(_ error: String, custom: TokenResponse.Custom = .plainOAuth) -> TokenError.Meaning? {
    do throws(TokenResponseRefusal) {
        _ = try read(["error": error], custom: custom)
        return nil
    } catch .refused(let error) {
        return error.meaning
    } catch {
        return nil
    }
}

@Suite struct `a token response by the older custom` {
    @Test(.holds("CF-35")) func `has scopes with commas between them, and no end where none is told`() throws {
        let response = try read()
        #expect(response.scopes == ["repo", "gist"])
        #expect(response.tokenType == .bearer)
        #expect(response.expiresIn == 315_360_000)
        #expect(response.refreshToken == nil)
        #expect(try read(["scope": "\"\""]).scopes == [])
        #expect(try read(["scope": "\"read:user user:email,gist\""]).scopes == ["read:user", "user:email", "gist"])
    }

    @Test(.holds("CF-35")) func `has an end, and what follows it, where the app's tokens expire`() throws {
        let response = try read([
            "expires_in": "28800", "refresh_token": "\"ghr_1B4a2e77838347a7E420ce178F2E7c6912E169246c\"",
            "refresh_token_expires_in": "15897600",
        ])
        #expect(response.expiresIn == 28_800)
        #expect(response.refreshToken != nil)
    }

    @Test(
        .refuses("CF-35"),
        arguments: [
            ("\"bad_verification_code\"", TokenError.Meaning.grantRefused),
            ("\"unverified_user_email\"", .grantRefused), ("\"bad_refresh_token\"", .grantRefused),
            ("\"incorrect_client_credentials\"", .clientRefused), ("\"redirect_uri_mismatch\"", .requestRefused),
            ("\"unsupported_grant_type\"", .requestRefused), ("\"temporarily_unavailable\"", .unavailable),
            ("true", .requestRefused), ("\"\"", .requestRefused), ("{}", .requestRefused),
        ]) func `is the error that it says, whatever stands beside it`(error: String, expected: TokenError.Meaning)
    {
        #expect(meaning(error) == expected)
    }

    @Test(.refuses("CF-35")) func `is still a token response in all else`() {
        #expect(throws: TokenResponseRefusal.missingMember("access_token")) { try read(["access_token": nil]) }
        #expect(throws: TokenResponseRefusal.missingMember("token_type")) { try read(["token_type": nil]) }
        #expect(throws: TokenResponseRefusal.tokenTypeWrong(found: "mac")) { try read(["token_type": "\"mac\""]) }
        #expect(throws: TokenResponseRefusal.memberMalformed("expires_in")) { try read(["expires_in": "-1"]) }
        let form = "access_token=gho_16C7&scope=repo%2Cgist&token_type=bearer"
        #expect(throws: TokenResponseRefusal.contentType("application/x-www-form-urlencoded")) {
            try TokenResponse.read(
                answer(form, contentType: "application/x-www-form-urlencoded"), expects: .bearer, custom: .plainOAuth)
        }
    }

    @Test(.refuses("CF-35")) func `has no ID token that anybody looks at`() throws {
        #expect(try read(["id_token": "\"e30.e30.e30\""]).idToken == nil)
    }

    @Test(.holds("CF-31")) func `is none where the server is an OpenID provider`() throws {
        let response = try read(custom: .standard)
        #expect(response.scopes == ["repo,gist"])
        #expect(response.expiresIn == 300)
        #expect(meaning("\"bad_verification_code\"", custom: .standard) == nil)
    }
}
