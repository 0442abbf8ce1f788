import Bytes
package import Login

/// The reserved paths that logins are made of, by name.
package struct LoginPaths: Sendable {
    private let endpoints: [String: LoginRequest.Endpoint]
    /// The hosts that each login is of, by their sites; nil where its routes name none.
    private let hosts: [[Int?]]
    private let listenerCount: Int
    private static let requestObject = "\(ReservedPath.prefix)/request/"

    /// The paths of these logins, each at its own sites alone; those of the only one there may leave its name out.
    ///
    /// `hosts` has the sites of the hosts of each login, behind those of so many listeners.
    package init(_ logins: [LoginSettings], hosts: [[Int?]] = [], listenerCount: Int = 0) {
        let hosts = hosts.isEmpty ? [[Int?]](repeating: [nil], count: logins.count) : hosts
        var endpoints: [String: LoginRequest.Endpoint] = [:]
        for (index, login) in logins.enumerated() {
            for (word, endpoint) in LoginPaths.words(of: index) {
                endpoints["\(ReservedPath.prefix)/\(word)/\(login.name)"] = endpoint
            }
            for host in hosts[index] where hosts.count(where: { $0.contains(host) }) == 1 {
                for word in ["login", "logout", "session"] {
                    endpoints["\(host ?? -1)\(ReservedPath.prefix)/\(word)"] = LoginPaths.words(of: index)[word]
                }
            }
        }
        self.endpoints = endpoints
        self.hosts = hosts
        self.listenerCount = listenerCount
    }

    private static func words(of client: Int) -> [String: LoginRequest.Endpoint] {
        [
            "login": .start(client: client), "callback": .callback(client: client),
            "logout": .logout(client: client), "logged-out": .loggedOut(client: client),
            "session": .session(client: client), "backchannel-logout": .backchannelLogout(client: client),
            "frontchannel-logout": .frontchannelLogout(client: client),
        ]
    }

    /// What a path asks for at a site; only in the one spelling that was given out.
    package func endpoint(_ path: Span<UInt8>, site: Int = 0) -> LoginRequest.Endpoint? {
        guard !endpoints.isEmpty, path.count <= 512 else { return nil }
        let text = String(copying: path)
        let host = site < listenerCount || listenerCount == 0 ? nil : site
        if let endpoint = endpoints[text] {
            // A login of another host is none here: its cookies are not sent to this one.
            return endpoint.client.map { hosts[$0].contains(host) } ?? true ? endpoint : nil
        }
        if let endpoint = endpoints["\(host ?? -1)\(text)"] { return endpoint }
        guard text.utf8.starts(with: LoginPaths.requestObject.utf8) else { return nil }
        return .requestObject(id: String(text.utf8.dropFirst(LoginPaths.requestObject.utf8.count)) ?? "")
    }
}
