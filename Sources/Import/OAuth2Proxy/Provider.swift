import HTTPMessage

/// Kinds of providers of oauth2-proxy, as far as they are OpenID Connect.
enum Provider {
    /// The issuer; nil where none is known.
    static func issuer(_ provider: String, _ settings: FlagSettings) -> String? {
        // OAuth 2.0 without OpenID Connect: whatever URL is written there, no ID token comes of it.
        let withoutOpenID = [
            "github", "bitbucket", "facebook", "linkedin", "digitalocean", "nextcloud", "sourcehut", "gitea",
        ]
        if withoutOpenID.contains(provider) { return nil }
        if let url = settings.text("oidc-issuer-url") { return isOfOneTenant(url) ? url : nil }
        switch provider {
        case "google": return "https://accounts.google.com"
        case "gitlab": return "https://gitlab.com"
        case "azure", "entra-id":
            guard let tenant = settings.text("azure-tenant"), RouteDraft.isPath("/" + tenant) else { return nil }
            let url = "https://login.microsoftonline.com/\(tenant)/v2.0"
            return isOfOneTenant(url) ? url : nil
        default: break
        }
        // Keycloak's realms have their endpoints below their issuers.
        let endpoint = "/protocol/openid-connect/auth"
        if let url = settings.text("login-url"), url.hasSuffix(endpoint) {
            return String(url.dropLast(endpoint.utf8.count))
        }
        return nil
    }

    private static func isOfOneTenant(_ url: String) -> Bool {
        URI(url) != nil
            && !["/common/", "/organizations/", "/consumers/"].contains { url.firstRange(of: $0) != nil }
    }

    static func isMicrosoft(_ provider: String) -> Bool { provider == "azure" || provider == "entra-id" }

    /// How the client says who it is where the servers of that kind want it so.
    static func method(_ provider: String) -> String {
        isMicrosoft(provider) || ["google", "github"].contains(provider) ? "client_secret_post" : "client_secret_basic"
    }
}

/// Addresses to listen on.
enum ListenAddress {
    /// Ours for one of oauth2-proxy, of nginx or of Apache; nil for a name, or what is inherited.
    static func ours(_ text: String) -> String? {
        var text = text
        for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
            text = String(text.dropFirst(scheme.utf8.count))
        }
        if text.hasPrefix("unix:") {
            let path = text.dropFirst(5).drop { $0 == "/" }
            return path.isEmpty ? nil : "unix:/" + path
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        let host = String(text[..<colon])
        switch host {
        case "": return "[::]:\(port)"
        case "*": return "0.0.0.0:\(port)"
        case "localhost": return "127.0.0.1:\(port)"
        default: break
        }
        let digits = host.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
        if digits, host.split(separator: ".").count == 4, host.split(separator: ".").allSatisfy({ UInt8($0) != nil }) {
            return text
        }
        let isSix =
            host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 3
            && host.utf8.dropFirst().dropLast().allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) }
        return isSix ? text : nil
    }
}
