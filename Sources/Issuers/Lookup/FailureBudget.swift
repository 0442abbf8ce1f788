import Rates
import Synchronization

/// How many bad tokens one client may make us ask about (INT-07).
///
/// Whoever tries tokens at random would make an issuer answer as often as they like. Each token that an issuer calls bad
/// takes from the budget of the client that sent it; one that is good, or that nobody could judge, takes nothing, so
/// that an honest client pays nothing however busy it is, and no more does a balancer with thousands behind it. A
/// question that is under way holds its part until its answer is there (`standing`): no more are asked than the budget has
/// left if all of them prove bad. What comes beyond that waits where the client has hardly failed yet, for its tokens may
/// all be good; and is refused where it has spent more than half. A token that was called active within the hour
/// is asked about whatever is left; one that nobody has seen must wait behind a neighbour who tries tokens at random,
/// for whether it is good only the issuer can say, and the budget is what protects the issuer. An IPv6 address shares the
/// budget of its /64, of which one subscriber has all.
///
/// A table of fixed size instead of a list of clients: nobody can fill it up. A client has two places, chosen by a
/// secret, and is refused only when both are spent: to exhaust somebody else's budget takes a client that shares both,
/// and which one does cannot be known. One table for the process, whichever worker asks.
package final class FailureBudget: Sendable {
    /// So many a second in the long run, and so many at once; without a rate every question is permitted.
    package struct Rate: Sendable, Equatable {
        package var perSecond: Int
        package var burst: Int

        package init(perSecond: Int = 50, burst: Int = 100) {
            self.perSecond = perSecond
            self.burst = burst
        }
    }

    /// Whether a client may ask about another token.
    enum Standing: Sendable {
        case left
        /// Not before one of those under way is answered: they may be all that is left.
        case reserved
        /// No: too many have failed.
        case spent
    }

    package let rate: Rate
    /// By microseconds of the monotonic clock.
    private let buckets: Mutex<[TokenBucket]>
    private let pace: TokenRate
    private let keys: (UInt64, UInt64)

    private static let rowCount = 2048

    package init(
        _ rate: Rate = Rate(), keys: (UInt64, UInt64) = (.random(in: .min ... .max), .random(in: .min ... .max))
    ) {
        self.rate = rate
        pace = rate.perSecond > 0 ? TokenRate(perSecond: rate.perSecond, burst: rate.burst) : .unbounded
        self.keys = keys
        buckets = Mutex(Array(repeating: TokenBucket(), count: 2 * Self.rowCount))
    }

    /// Whether anything is left to `client`, whatever it has under way.
    package func isLeft(to client: AskingClient, at microseconds: UInt64) -> Bool {
        standing(of: client, underWay: 0, at: microseconds) == .left
    }

    /// Whether `client`, of whose questions so many are under way, may ask another one.
    func standing(of client: AskingClient, underWay: Int, at microseconds: UInt64) -> Standing {
        let places = places(of: client)
        let spent = buckets.withLock { buckets in
            min(buckets[places.0].spent(at: microseconds, pace), buckets[places.1].spent(at: microseconds, pace))
        }
        if spent + UInt64(underWay) * pace.interval <= pace.allowance { return .left }
        // Who fails at the rate itself is never beyond the burst: to wait for their turn would fill all places there are.
        return spent <= pace.allowance / 2 ? .reserved : .spent
    }

    /// A token that `client` asked about proved bad.
    package func charge(_ client: AskingClient, at microseconds: UInt64) {
        let places = places(of: client)
        buckets.withLock { buckets in
            // A place that is spent already may be somebody else's: it does not get worse by ours.
            buckets[places.0].take(at: microseconds, pace)
            buckets[places.1].take(at: microseconds, pace)
        }
    }

    private func places(of client: AskingClient) -> (Int, Int) {
        let words = client.words
        let product = (words.0 ^ keys.0).multipliedFullWidth(by: (words.1 ^ keys.1) | 1)
        let mixed = (product.high ^ product.low ^ keys.0).multipliedFullWidth(by: keys.1 | 1)
        let hash = mixed.high ^ mixed.low
        let mask = UInt64(Self.rowCount - 1)
        return (Int(hash & mask), Self.rowCount + Int(hash >> 32 & mask))
    }
}
