package import Gateway
import Explain
import Login

/// What has to be registered at a server before its login works.
package enum LoginAddresses {
    /// What is registered at a server: for which login, under which of its names, and the URL.
    package typealias Address = (login: String, name: String, url: String)

    /// Where browsers come back to and where the server tells of logouts, each once, for one public URL after the other,
    /// and never made of what a browser sends (CF-02).
    package static func all(_ settings: GatewaySettings) -> [Address] {
        settings.logins.flatMap { login in
            LoginReview.registration(of: login, settings).compactMap { entry in
                guard entry.name.hasSuffix("redirect_uri") || entry.name.hasSuffix("logout_uri") else { return nil }
                return (login.name, entry.name, entry.value)
            }
        }
    }
}
