/// GitHub, which is OAuth 2.0 without OpenID Connect, and has its endpoints where it documents them.
enum GitHubProvider {
    static let issuer = "https://github.com/login/oauth"
    static let endpoints =
        "endpoints: { authorization: \(issuer)/authorize, token: \(issuer)/access_token }"
    /// As oauth2-proxy has it, the address of mail is the primary one, where it is verified.
    static let clientLines = [
        "assume_pkce: true",
        "identity_from: { url: https://api.github.com/user, subject: id, "
            + "emails_url: \"https://api.github.com/user/emails?per_page=100\" }",
    ]
    static let scopes = ["read:user", "user:email"]

    /// Whether it is GitHub itself: of a server of one's own, the endpoints are elsewhere.
    static func isMeant(by settings: FlagSettings) -> Bool {
        let endpoints = ["login-url", "redeem-url", "profile-url", "validate-url"].compactMap { settings.text($0) }
        return settings.text("provider") == "github"
            && endpoints.allSatisfy { $0.hasPrefix("https://github.com/") || $0.hasPrefix("https://api.github.com/") }
    }
}
