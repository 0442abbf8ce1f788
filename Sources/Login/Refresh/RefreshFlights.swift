import Issuers
import Synchronization

/// Refreshes under way, and who waits for each; one for the process, shared by the services of all configurations.
///
/// By the login's name, not by its place: a service that follows another with a reload must find the refresh that the other
/// has begun, because a second use of its token would end the login.
final class RefreshFlights: Sendable {
    struct Key: Hashable, Sendable {
        /// The login's name.
        let login: String
        let session: [UInt8]
    }

    /// What becomes of a request for a refresh.
    enum Admission {
        case start
        case wait
        /// There is no place, or it is too early to ask again.
        case refuse
        /// The user has as many refreshes under way as one may have beside so many of others.
        case refuseUser
    }

    typealias Waiting = CheckedContinuation<LoginService.Refreshed, Never>

    private struct Flight {
        let user: ServerUser
        var waiting: [Waiting] = []
        /// Nobody waits any more; the server's answer is awaited all the same, for it may have rotated the token.
        var isOverdue = false
        var task: Task<Void, Never>?
        var timer: Task<Void, Never>?
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        /// How many of them are of each user.
        var users: [ServerUser: Int] = [:]
        /// How many of them are of each login, by its name.
        var logins: [String: Int] = [:]
        var pauses = RefreshPauses<Key>()
        var isStopped = false

        mutating func begin(_ key: Key, _ flight: Flight) {
            flights[key] = flight
            users[flight.user, default: 0] += 1
            logins[key.login, default: 0] += 1
        }

        mutating func end(_ key: Key) -> Flight? {
            guard let flight = flights.removeValue(forKey: key) else { return nil }
            let left = users[flight.user, default: 1] - 1
            users[flight.user] = left > 0 ? left : nil
            let others = logins[key.login, default: 1] - 1
            logins[key.login] = others > 0 ? others : nil
            return flight
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    /// So many refreshes under way at a time: behind a server that hangs, more would only wait longer.
    init(limit: Int = 1024) { self.limit = limit }

    /// Joins the flight that is under way, or begins one of the user's, or refuses; `continuation` is kept unless it
    /// refuses.
    ///
    /// One user with a thousand sessions would have all places while the server is slow, and nobody else's tokens be
    /// refreshed: where half of them are taken, one user has a sixteenth.
    ///
    /// So would one login whose server stalls. Of several `logins` one has half of the places, and no more than it leaves to
    /// the others: however many servers stall, some are left for a login whose server answers.
    func admit(
        _ key: Key, of user: ServerUser, amongLogins logins: Int = 1, _ continuation: Waiting, at milliseconds: Int64
    ) -> Admission {
        state.withLock { state in
            guard !state.isStopped else { return .refuse }
            if let flight = state.flights[key] {
                guard !flight.isOverdue else { return .refuse }
                state.flights[key]?.waiting.append(continuation)
                return .wait
            }
            guard !state.pauses.lasts(key, at: milliseconds) else { return .refuse }
            // Whoever has its own part is told so, also where all places are taken.
            guard state.flights.count < limit / 2 || state.users[user, default: 0] < max(1, limit / 16) else {
                return .refuseUser
            }
            let free = limit - state.flights.count
            guard free > 0, logins < 2 || state.logins[key.login, default: 0] < free else { return .refuse }
            state.begin(key, Flight(user: user, waiting: [continuation]))
            return .start
        }
    }

    /// Keeps what works on a flight, for `stop`; false when the flight has ended already.
    func keep(_ key: Key, task: Task<Void, Never>, timer: Task<Void, Never>) -> Bool {
        state.withLock { state in
            state.flights[key]?.task = task
            state.flights[key]?.timer = timer
            return state.flights[key] != nil
        }
    }

    /// Those who wait have waited long enough.
    func giveUp(_ key: Key) {
        let waiting = state.withLock { state in
            state.flights[key]?.isOverdue = true
            defer { state.flights[key]?.waiting = [] }
            return state.flights[key]?.waiting ?? []
        }
        for one in waiting { one.resume(returning: .unavailable) }
    }

    /// The server could not be asked, or asks for patience; the milliseconds for which it is left alone.
    func failed(_ key: Key, at now: Moment, retryAfterSeconds: Int?) -> Int64 {
        state.withLock { $0.pauses.failed(key, at: now, retryAfterSeconds: retryAfterSeconds) }
    }

    /// Another process could not ask it.
    func pause(_ key: Key, until milliseconds: Int64) {
        state.withLock { $0.pauses.pause(key, until: milliseconds) }
    }

    /// The flight has ended so, for everyone who waits.
    func land(_ key: Key, _ refreshed: LoginService.Refreshed) {
        let flight = state.withLock { state in
            switch refreshed {
            case .session, .ended: state.pauses.ended(key)
            // Nothing was heard of the server.
            case .unavailable, .tooMany: break
            }
            return state.end(key)
        }
        flight?.timer?.cancel()
        for waiting in flight?.waiting ?? [] { waiting.resume(returning: refreshed) }
    }

    /// Begins no more, cancels what is under way, and tells whoever waits.
    func stop() {
        let flights = state.withLock { state in
            state.isStopped = true
            defer { (state.flights, state.users, state.logins) = ([:], [:], [:]) }
            return Array(state.flights.values)
        }
        for flight in flights {
            flight.task?.cancel()
            flight.timer?.cancel()
            for waiting in flight.waiting { waiting.resume(returning: .unavailable) }
        }
    }

    /// Refreshes under way.
    var count: Int { state.withLock { $0.flights.count } }
    /// Users of whom one is under way.
    var users: Int { state.withLock { $0.users.count } }
    /// Logins of which one is under way.
    var logins: Int { state.withLock { $0.logins.count } }
}
