import Access
import Glibc

/// The turns of one address among the others of its upstream.
struct ServerTurns {
    /// Its share as the operator says it.
    let weight: Int
    /// What it has saved up of turns, in round robin by weights.
    var credit = 0
    /// Requests under way there, where the policy counts them.
    var inFlight = 0
    /// Requests that wait for a connection to it.
    var pending = 0

    init(weight: Int) { self.weight = weight }
}

/// Numbers to draw servers by: quick, and nobody's secret (SplitMix64).
struct Chance {
    private var state: UInt64

    init(seed: UInt64 = UInt64.random(in: .min ... .max)) { state = seed }

    /// A number below `bound`, which is not 0.
    mutating func number(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Int(Self.mixed(state).multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Spreads a number over all bits.
    static func mixed(_ number: UInt64) -> UInt64 {
        var word = number
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Which address the next request or connection goes to (ECO-71).
///
/// Of those that are well; where none of them is, of all that can be connected to as far as anybody knows; and where
/// that is none either, the one whose failure is longest ago. An upstream is never left without an address.
extension UpstreamAddresses {
    /// Whose requests stay at one server where that is said; nobody's.
    static let nobody: UInt64 = 0
    /// What the weight 1 is among shares, which grow from a part of it after a return.
    private static let unit = 256

    /// Whether requests are counted at their addresses.
    var countsRequests: Bool { isSeveral && settings.policy == .leastRequests || isBounded }

    /// Whether the order of the addresses says whose turn it is.
    private var isPlain: Bool { settings.weights.isEmpty && slowStart == 0 }

    /// The place of the address for the next attempt of a connection that has `tried` some, which has had its turn then;
    /// nil when there is none left.
    mutating func next(
        after tried: UInt64, now: UInt64, for user: UInt64 = nobody, isRequest: Bool = true
    ) -> Int? {
        let place = place(after: tried, now: now, for: user, isRequest: isRequest, opens: true)
        if let place, all[place].avoidedUntil <= now { hadTurn(place, now: now) }
        return place
    }

    /// The address whose turn it is, of those that are not in `tried` and, for a request, have room for one more; where it
    /// `opens` a connection, also for one more that waits.
    mutating func place(
        after tried: UInt64, now: UInt64, for user: UInt64 = nobody, isRequest: Bool = true, opens: Bool = false
    ) -> Int? {
        let count = min(all.count, UpstreamAddresses.limit)
        guard count > 1 else {
            return count == 1 && tried & 1 == 0 && !(isRequest && hasNoRoom(0, toOpen: opens)) ? 0 : nil
        }
        var (well, reachable): (UInt64, UInt64) = (0, 0)
        var last: Int?
        var isOneFull = false
        for place in 0..<count where tried & (1 << UInt64(place)) == 0 {
            if isRequest, hasNoRoom(place, toOpen: opens) {
                isOneFull = true
            } else if all[place].avoidedUntil <= now {
                reachable |= 1 << UInt64(place)
                if all[place].health.isWell(at: now) { well |= 1 << UInt64(place) }
            } else if last.map({ all[place].avoidedUntil < all[$0].avoidedUntil }) ?? true {
                // Of those that were put back, the one whose failure is longest ago.
                last = place
            }
        }
        // One that has enough to do may be well.
        if tried == 0, !isOneFull { noticePanic(well == 0) }
        if well != 0 { return choose(well, now, user) }
        return reachable != 0 ? choose(reachable, now, user) : last
    }

    /// The next one begins behind this.
    mutating func hadTurn(_ place: Int, now: UInt64) {
        turn = place + 1
        guard !isPlain, settings.policy == .roundRobin else { return }
        var total = 0
        for other in all.indices where other == place || isWell(other, at: now) {
            let share = share(of: other, at: now)
            all[other].turns.credit += share
            total += share
        }
        all[place].turns.credit -= total
    }

    /// One of several: the user's own, or by the policy.
    private mutating func choose(_ places: UInt64, _ now: UInt64, _ user: UInt64) -> Int {
        if user != Self.nobody { return home(of: user, among: places) }
        switch settings.policy {
        case .leastRequests: return lessBusy(places, now)
        case .roundRobin: return isPlain ? nextInOrder(places) : nextByCredit(places, now)
        }
    }

    private func nextInOrder(_ places: UInt64) -> Int {
        let (from, behind) = (min(turn, 63), places >> UInt64(min(turn, 63)))
        return behind != 0 && turn < 64 ? from + behind.trailingZeroBitCount : places.trailingZeroBitCount
    }

    /// Smooth weighted round robin: turns of a heavy server lie between those of the others.
    private func nextByCredit(_ places: UInt64, _ now: UInt64) -> Int {
        var (best, most) = (0, Int.min)
        forEach(places) { place in
            let credit = all[place].turns.credit + share(of: place, at: now)
            if credit > most { (best, most) = (place, credit) }
        }
        return best
    }

    /// Two are drawn by their shares, and the one with less under way for its share is taken (power of two choices).
    private mutating func lessBusy(_ places: UInt64, _ now: UInt64) -> Int {
        let one = draw(places, now)
        let rest = places & ~(1 << UInt64(one))
        guard rest != 0 else { return one }
        let other = draw(rest, now)
        let (first, second) = (all[one].turns.inFlight, all[other].turns.inFlight)
        return first * share(of: other, at: now) <= second * share(of: one, at: now) ? one : other
    }

    private mutating func draw(_ places: UInt64, _ now: UInt64) -> Int {
        var total = 0
        forEach(places) { total += share(of: $0, at: now) }
        var left = chance.number(below: max(1, total))
        var drawn = places.trailingZeroBitCount
        forEach(places) { place in
            guard left >= 0 else { return }
            left -= share(of: place, at: now)
            drawn = place
        }
        return drawn
    }

    /// The server of a user by weighted rendezvous hashing: when one goes, only its own users move.
    private func home(of user: UInt64, among places: UInt64) -> Int {
        var (best, least) = (0, Double.infinity)
        forEach(places) { place in
            let word = Chance.mixed(user ^ Chance.mixed(all[place].fingerprint))
            // Within 0 and 1, without either.
            let part = (Double(word >> 11) + 0.5) / Double(1 << 53)
            let distance = -log(part) / Double(all[place].turns.weight)
            if distance < least { (best, least) = (place, distance) }
        }
        return best
    }

    /// Its weight, and less of it for a while after it came back.
    private func share(of place: Int, at now: UInt64) -> Int {
        let full = all[place].turns.weight * Self.unit
        guard slowStart > 0, all[place].health.returnedAt > 0 else { return full }
        let since = now > all[place].health.returnedAt ? now - all[place].health.returnedAt : 0
        guard since < slowStart else { return full }
        return max(full / 10, Int(UInt64(full) * since / slowStart), 1)
    }

    private func forEach(_ places: UInt64, _ body: (Int) -> Void) {
        var left = places
        while left != 0 {
            body(left.trailingZeroBitCount)
            left &= left - 1
        }
    }

    // MARK: requests under way

    /// A request goes to this address; whether it is counted there.
    mutating func began(_ identity: UInt64) -> Bool {
        guard countsRequests, let place = place(of: identity) else { return false }
        all[place].turns.inFlight += 1
        return true
    }

    /// A request that was counted is over.
    mutating func ended(_ identity: UInt64) {
        // One that has gone from its name and come back begins anew.
        guard let place = place(of: identity), all[place].turns.inFlight > 0 else { return }
        all[place].turns.inFlight -= 1
    }
}
