/// The rights that a server granted, against those that there should be (RFC 6749 §3.3).
public struct GrantedScopes: Sendable, Equatable {
    /// What a session has: for a login what the server says, or what was asked for when it says nothing; after a
    /// refresh never more than before (RF-04).
    public let scopes: [String]
    /// What a refresh brought that there was not before: for the log, and for nothing else.
    public let ignored: [String]

    /// Those of a login that asked for `requested`.
    public init(_ response: TokenResponse, requested: [String]) {
        scopes = Self.once(response.scopes ?? requested)
        ignored = []
    }

    /// Those of a session with `last` after a refresh.
    ///
    /// A server that adds rights by itself does so without the user: policy does not hear of it until the next login.
    public init(_ response: TokenResponse, refreshing last: [String]) {
        let granted = Self.once(response.scopes ?? last)
        scopes = granted.filter { Self.contains(last, $0) }
        ignored = granted.filter { !Self.contains(last, $0) }
    }

    /// Those of `needed` that are not among them (CF-32).
    public func missing(of needed: [String]) -> [String] {
        needed.filter { !Self.contains(scopes, $0) }
    }

    private static func once(_ scopes: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return scopes.filter { seen.insert(Array($0.utf8)).inserted }
    }

    private static func contains(_ scopes: [String], _ scope: String) -> Bool {
        scopes.contains { $0.utf8.elementsEqual(scope.utf8) }
    }
}
