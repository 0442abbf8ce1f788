// SPDX-License-Identifier: Apache-2.0
package import Gateway
import Login

/// What has to be registered at a server before its login works.
package enum LoginAddresses {
    /// Every `redirect_uri` of the logins: one for each public URL, and never made of what a browser sends (CF-02).
    package static func redirects(_ settings: GatewaySettings) -> [(login: String, url: String)] {
        settings.logins.flatMap { login in
            settings.listeners.map { listener in
                (login.name, "\(listener.publicURL)\(RoutePathText.reservedPrefix)/callback/\(login.name)")
            }
        }
    }
}
