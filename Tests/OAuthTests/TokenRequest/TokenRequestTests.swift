import Crypto
import OAuth
import TestSupport
import TestTraits
import Testing

private func secret(_ text: String) -> Secret { Secret(Array(text.utf8)) }

@Suite struct `the request for tokens` {
    private let code = TokenRequest.authorizationCode(
        secret("SplxlOBeZQQYbYS6WxSbIA"), redirectURI: "https://client.example/.portcullis/callback/shop",
        verifier: secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        resources: ["https://api.example/", "https://b.example/"])

    private func credentials(_ method: ClientCredentials.Method? = nil) throws -> ClientCredentials {
        try ClientCredentials(clientID: "s6BhdRkqt3", method: method ?? .secretBasic(secret("gX1fBat3bV")))
    }

    @Test(.holds("CF-30")) func `has the members of RFC 6749 4 1 3 and RFC 7636 4 5`() {
        #expect(
            code.map { "\($0.0)=\($0.1)" } == [
                "grant_type=authorization_code", "code=SplxlOBeZQQYbYS6WxSbIA",
                "redirect_uri=https://client.example/.portcullis/callback/shop",
                "code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "resource=https://api.example/",
                "resource=https://b.example/",
            ])
    }

    @Test(.holds("CF-30"), .refuses("CF-30")) func `says once who asks`() throws {
        let form = try credentials().ask(code)
        #expect(form.header("Authorization").count == 1)
        #expect(form.values("client_id").isEmpty && form.values("client_secret").isEmpty)
        let posted = try credentials(.secretPost(secret("gX1fBat3bV"))).ask(code)
        #expect(posted.header("Authorization").isEmpty)
        #expect(posted.values("client_id") == ["s6BhdRkqt3"])
        #expect(throws: ClientAuthenticationRefusal.parameterReserved("client_id")) {
            try credentials().ask(code + [("client_id", "other")])
        }
    }

    @Test(.refuses("CF-30")) func `cannot be given a parameter by a code`() throws {
        let evil = TokenRequest.authorizationCode(
            secret("a&client_id=other&grant_type=password b%26c"), redirectURI: "https://c.example/cb?x=1&y=2",
            verifier: secret("v"))
        let form = try credentials().ask(evil)
        #expect(form.values("code") == ["a&client_id=other&grant_type=password b%26c"])
        #expect(form.values("grant_type") == ["authorization_code"])
        #expect(form.values("redirect_uri") == ["https://c.example/cb?x=1&y=2"])
        #expect(form.values("client_id").isEmpty)
        #expect(form.parameters.count == 4)
    }

    @Test(.holds("RF-04")) func `leaves the scope out of a refresh, and keeps the resources`() {
        let refresh = TokenRequest.refresh(secret("tGzv3JOkF0XG5Qx2TlKWIA"), resources: ["https://api.example/"])
        #expect(
            refresh.map { "\($0.0)=\($0.1)" } == [
                "grant_type=refresh_token", "refresh_token=tGzv3JOkF0XG5Qx2TlKWIA", "resource=https://api.example/",
            ])
        #expect(!refresh.contains { $0.0 == "scope" })
    }

    @Test(.holds("RV-01")) func `has the members of RFC 7009 2 1`() {
        let revocation = TokenRequest.revocation(secret("45ghiukldjahdnhzdauz"), hint: .refreshToken)
        #expect(
            revocation.map { "\($0.0)=\($0.1)" } == ["token=45ghiukldjahdnhzdauz", "token_type_hint=refresh_token"])
        #expect(TokenRequest.revocation(secret("a"), hint: .accessToken).last?.1 == "access_token")
    }
}
