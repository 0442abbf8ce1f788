import Foundation
import Testing
import TestSupport

/// What a person does on the pages of a real authorization server, done without them.
extension Browser {
    /// Opens an authorization URL, logs in, presses Continue; answers where the browser is sent then.
    func authorize(_ url: String, at server: AuthorizationServer) throws -> WireResponse {
        let origin = try WebAddress(url).origin
        return try server.turn.withLock { _ in
            let credentials = try
                "{\"username\":\"\(server.described("user", "username"))\",\"password\":\"\(server.described("user", "password"))\"}"
            let entered = try send("POST", origin + "/api/auth/", fields: Self.json, body: credentials)
            #expect(entered.status == 200, "\(entered.headText)")
            let page = try send("GET", url)
            let address = try WebAddress(location(page, from: url))
            guard address.target.hasPrefix("/login.html") else { return page }
            let back = try #require(address.parameters["callback_url"]?.first, "\(address.target)")
            // What the page adds once the user has pressed Continue.
            return try send("GET", back + "&g_continue")
        }
    }

    /// Opens the server's logout and confirms it; answers where the browser is sent then, if anywhere.
    func confirmLogout(_ url: String, at server: AuthorizationServer) throws -> String? {
        let origin = try WebAddress(url).origin
        return try server.turn.withLock { _ in
            let page = try send("GET", url)
            let parameters = try WebAddress(location(page, from: url)).parameters
            if let session = parameters["sid"]?.first, let plugin = parameters["plugin"]?.first {
                let ended = try send("DELETE", "\(origin)/api/\(plugin)/session/\(session)", fields: Self.json)
                #expect(ended.status == 200, "\(ended.headText)")
            }
            try send("DELETE", origin + "/api/auth/", fields: Self.json)
            return parameters["callback_url"]?.first
        }
    }

    private static let json = ["Content-Type: application/json", "Accept: application/json"]
}
