import SharedState

/// Who signs in on a connection to a server of the store: told wherever the server lets nobody in, or refuses a right (SH-83).
package struct StoreUser: Sendable, Hashable {
    /// The user of the server's access list; `default` where the settings name none.
    package let name: String
    /// The section of the settings that has user and password: `store`, or `store.sentinel`.
    package let section: String

    /// The user of a section's settings; without a password nobody signs in, and the server takes it for its default user.
    init(_ name: String?, signsIn: Bool, section: String) {
        self.name = signsIn ? name ?? "default" : "default"
        self.section = section
    }
}

extension StoreLinks {
    /// Who signs in at the servers.
    package var user: StoreUser { servers.user }

    /// Who signs in on this link.
    func user(of link: NodeLink) -> StoreUser {
        guard case .guide = link.role, servers.topology == .sentinel else { return servers.user }
        return servers.sentinelUser
    }
}
