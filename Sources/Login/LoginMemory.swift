import OAuth
import Replay
import Sessions

/// What all logins of the process have in common, however often the configuration is reloaded.
///
/// One service follows another with a reload, and the one before finishes what it was asked. Whatever happens once for
/// both is here: a state that is used up, a refresh under way, a request object that a server is about to fetch.
final class LoginMemory: Sendable {
    /// States of logins that came back (CF-25).
    let states: SingleUse
    /// Callbacks under way, and where those that ended well led to.
    let outcomes: SharedOutcomes
    /// Refreshes under way (RF-01).
    let flights = RefreshFlights()
    let hosted = HostedRequests()
    /// Logout tokens that were used (LO-08).
    let logoutTokens = SingleUse(
        ReplaySet(byteLimit: 1 << 20, windowSeconds: Int(LogoutToken.longestLifetimeSeconds)))
    /// Logout tokens that were not good, by address (LO-12).
    let logoutBudget = LogoutTokenBudget()

    /// `stateBytes` is the memory that used states may take.
    init(executor: any TaskExecutor, stateBytes: Int) {
        states = SingleUse(ReplaySet(byteLimit: stateBytes, windowSeconds: TransactionSealer.lifetimeSeconds))
        outcomes = SharedOutcomes(executor: executor)
    }
}
