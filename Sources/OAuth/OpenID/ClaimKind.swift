/// What a claim is about, by its name: not everybody who speaks of a user is asked about their login.
enum ClaimKind {
    case ofUser, ofLogin, ofEmail, ofNobody

    init(_ name: String) {
        if Self.names(Self.login, have: name) {
            self = .ofLogin
        } else if Self.names(["email", "email_verified"], have: name) {
            self = .ofEmail
        } else if Self.names(["_claim_names", "_claim_sources"], have: name) {
            self = .ofNobody
        } else {
            self = .ofUser
        }
    }

    /// What only the ID token says: userinfo with an `acr` of its own must not make a login a stronger one.
    private static let login = [
        "iss", "sub", "aud", "azp", "exp", "nbf", "iat", "jti", "nonce", "at_hash", "c_hash", "s_hash", "sid", "acr",
        "amr", "auth_time", "cnf", "events",
    ]

    private static func names(_ names: [String], have name: String) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
