import JOSE
import TestSupport

@testable import Login

/// What a server posts when its own session is over.
enum LogoutTokens {
    static func token(
        _ world: SignedIn, header: [String: String?] = [:], claims: [String: String?] = [:], key: SigningKey = .p256
    ) -> String {
        let now = world.clock.seconds
        let members = [
            ("iss", ScriptedServer.quoted(ScriptedServer.issuer)), ("aud", "\"shop-web\""), ("sub", "\"user-1\""),
            ("sid", "\"sid-1\""), ("iat", "\(now)"), ("exp", "\(now + 120)"), ("jti", "\"logout-1\""),
            ("events", "{\"http://schemas.openid.net/event/backchannel-logout\":{}}"),
        ]
        return TokenMint.sign(
            header: ScriptedServer.object(
                [("typ", "\"logout+jwt\""), ("alg", "\"ES256\""), ("kid", "\"\(key.keyID ?? "")\"")], header),
            claims: ScriptedServer.object(members, claims), key: key, algorithm: .es256)
    }

    static func post(
        _ world: SignedIn, _ body: String, change: (inout LoginRequest) -> Void = { _ in }
    ) async -> LoginAnswer {
        await world.logouts.answer(
            world.request(.backchannelLogout(client: 0), method: .post, body: body) {
                ($0.origin, $0.fetchSite, $0.isNavigation) = (nil, nil, false)
                change(&$0)
            })
    }
}
