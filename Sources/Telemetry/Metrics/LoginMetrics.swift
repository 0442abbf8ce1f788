/// The logins' numbers, by client: written by the thread that answers logins, read by whoever answers a scrape.
package final class LoginMetrics: Sendable {
    /// How a login ended.
    package enum Login: String, Sendable, CaseIterable {
        /// With a session.
        case succeeded
        /// With a page that says no, at its start or when the browser came back.
        case refused
    }

    /// How a refresh of a session's tokens ended.
    package enum Refresh: String, Sendable, CaseIterable {
        /// With new tokens.
        case refreshed
        /// With the session: the server does not refresh it any more.
        case ended
        /// Nobody could say; it is tried again.
        case unavailable
    }

    private static let logouts = 0
    private static let starts = 1
    private static let firstLogin = 2
    private static let firstRefresh = firstLogin + Login.allCases.count
    private static let firstCause = firstRefresh + Refresh.allCases.count

    private let names: [String]
    /// One of its own for each name, which outlives any one set of names.
    private let banks: [CounterBank]

    /// Numbers for these names and so many causes of refusals; those of a name that `others` have are the same numbers.
    init(names: [String], causes: Int, continuing others: LoginMetrics? = nil) {
        banks = names.map { name in others?.bank(of: name) ?? CounterBank(count: Self.firstCause + causes) }
        self.names = names
    }

    private func bank(of name: String) -> CounterBank? {
        names.firstIndex(of: name).map { banks[$0] }
    }

    /// Counts a login that ended with a session.
    package func countSuccess(client: Int) {
        banks[client].add(1, at: Self.firstLogin + Self.index(of: .succeeded))
    }

    /// Counts a login that was refused, by the index of its cause.
    package func countRefusal(client: Int, cause: Int) {
        banks[client].add(1, at: Self.firstLogin + Self.index(of: .refused))
        banks[client].add(1, at: Self.firstCause + cause)
    }

    /// Counts a refresh by how it ended.
    package func count(client: Int, _ outcome: Refresh) {
        banks[client].add(1, at: Self.firstRefresh + Self.index(of: outcome))
    }

    /// Counts a browser that was sent to the server.
    package func countStart(client: Int) { banks[client].add(1, at: Self.starts) }

    func starts(client: Int) -> UInt64 { banks[client].load(Self.starts) }

    /// Counts a logout.
    package func countLogout(client: Int) { banks[client].add(1, at: Self.logouts) }

    func logins(client: Int, _ outcome: Login) -> UInt64 {
        banks[client].load(Self.firstLogin + Self.index(of: outcome))
    }

    func refusals(client: Int, cause: Int) -> UInt64 { banks[client].load(Self.firstCause + cause) }

    func refreshes(client: Int, _ outcome: Refresh) -> UInt64 {
        banks[client].load(Self.firstRefresh + Self.index(of: outcome))
    }

    func logouts(client: Int) -> UInt64 { banks[client].load(Self.logouts) }

    private static func index(of outcome: Login) -> Int {
        switch outcome {
        case .succeeded: 0
        case .refused: 1
        }
    }

    private static func index(of outcome: Refresh) -> Int {
        switch outcome {
        case .refreshed: 0
        case .ended: 1
        case .unavailable: 2
        }
    }
}
