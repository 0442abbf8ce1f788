import Bytes
package import Login

/// The reserved paths that logins are made of, by name.
package struct LoginPaths: Sendable {
    private let endpoints: [String: LoginRequest.Endpoint]
    private static let requestObject = "\(ReservedPath.prefix)/request/"

    /// The paths of these logins; those of the only one may leave its name out.
    package init(_ logins: [LoginSettings]) {
        var endpoints: [String: LoginRequest.Endpoint] = [:]
        for (index, login) in logins.enumerated() {
            for (word, endpoint) in LoginPaths.words(of: index) {
                endpoints["\(ReservedPath.prefix)/\(word)/\(login.name)"] = endpoint
            }
            guard logins.count == 1 else { continue }
            for word in ["login", "logout", "session"] {
                endpoints["\(ReservedPath.prefix)/\(word)"] = LoginPaths.words(of: index)[word]
            }
        }
        self.endpoints = endpoints
    }

    private static func words(of client: Int) -> [String: LoginRequest.Endpoint] {
        [
            "login": .start(client: client), "callback": .callback(client: client),
            "logout": .logout(client: client), "logged-out": .loggedOut(client: client),
            "session": .session(client: client), "backchannel-logout": .backchannelLogout(client: client),
            "frontchannel-logout": .frontchannelLogout(client: client),
        ]
    }

    /// What a path asks for; only in the one spelling that was given out.
    package func endpoint(_ path: Span<UInt8>) -> LoginRequest.Endpoint? {
        guard !endpoints.isEmpty, path.count <= 512 else { return nil }
        let text = String(copying: path)
        if let endpoint = endpoints[text] { return endpoint }
        guard text.utf8.starts(with: LoginPaths.requestObject.utf8) else { return nil }
        return .requestObject(id: String(text.utf8.dropFirst(LoginPaths.requestObject.utf8.count)) ?? "")
    }
}
