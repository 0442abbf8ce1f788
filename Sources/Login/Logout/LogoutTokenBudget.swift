import Synchronization

/// How much work logout tokens may make that prove to be nobody's (LO-12).
///
/// A server sends a logout token once. Whoever counted bad tokens and then refused to look would let any stranger behind
/// the same address keep all logouts out: behind a balancer that `trusted_proxies` does not name, that is everybody. A
/// signature costs hardly more than the request that brings it, so each is looked at, and what is bounded is processor
/// time. Signatures and decryptions have budgets of their own, so that junk of the one kind keeps out no good token of
/// the other. Only failures are charged: a server that ends ten thousand sessions at once pays nothing.
///
///     form, `iss` ─▶ anything left to this network, or to spare? ─▶ decrypt, verify ─▶ good: the network is proven
///                          └ no: 429                                   └ bad: charged
///
/// | a second, and at once | signatures | decryptions |
/// |---|---|---|
/// | a network that has only failed | 100, 200 | 10, 20 |
/// | a network that has brought a good token | 1,000, 2,000 | 100, 200 |
/// | to spare, for all networks together | 1,000, 2,000 | 20, 40 |
///
/// What is to spare is there for the first good token of a network whose own share somebody else uses up: proof is lost
/// when the process ends. Before that token, more than 1,100 forged ones a second from the server's own network do keep
/// good ones out; nothing tells the two apart but the signature, and without a bound the same flood would stop logins.
final class LogoutTokenBudget: Sendable {
    /// What is used to look at a token: one of the issuer's keys, or one of ours before that.
    enum Work: CaseIterable, Sendable {
        case signature
        /// Takes ten times as long and more; anybody can encrypt to us.
        case decryption
    }

    /// What one kind of work may come to.
    private struct Share {
        let strangers: AddressBudget
        let proven: AddressBudget
        let spare: AddressBudget

        init(strangers: (Int, Int), proven: (Int, Int), spare: (Int, Int)) {
            self.strangers = AddressBudget(perSecond: strangers.0, burst: strangers.1)
            self.proven = AddressBudget(perSecond: proven.0, burst: proven.1)
            self.spare = AddressBudget(perSecond: spare.0, burst: spare.1)
        }
    }

    private let signatures = Share(strangers: (100, 200), proven: (1000, 2000), spare: (1000, 2000))
    private let decryptions = Share(strangers: (10, 20), proven: (100, 200), spare: (20, 40))
    /// When each network has brought a good token last, in milliseconds of the monotonic clock.
    private let successes = Mutex<[String: Int64]>([:])

    /// How long a network is proven after a good token: longer than a weekend without a logout.
    static let memoryMilliseconds: Int64 = 7 * 86_400_000
    /// Networks that are remembered: only whoever has a server's tokens adds one.
    static let networkLimit = 256
    /// What is to spare is one network's, the same for every address.
    private static let everybody = ""

    /// Whether one more token of the address is looked at.
    func isLeft(to address: String, for work: Work, at milliseconds: Int64) -> Bool {
        budget(of: address, for: work, at: milliseconds) != nil
    }

    /// A key was used for a token of the address, and the token is not good.
    func failed(_ address: String, _ work: Work, at milliseconds: Int64) {
        // Where others have used up what was there when it was asked for, they have paid.
        guard let (budget, payer) = budget(of: address, for: work, at: milliseconds) else { return }
        budget.charge(payer, at: milliseconds)
    }

    /// A token of the address has a good signature of the server.
    func succeeded(_ address: String, at milliseconds: Int64) {
        let network = AddressBudget.network(of: address)
        successes.withLock { successes in
            successes[network] = milliseconds
            guard successes.count > Self.networkLimit, let oldest = successes.min(by: { $0.value < $1.value })
            else { return }
            successes[oldest.key] = nil
        }
    }

    /// Whichever of the address's budgets has something left: its own first, and what all share last.
    private func budget(
        of address: String, for work: Work, at milliseconds: Int64
    ) -> (AddressBudget, payer: String)? {
        let share =
            switch work {
            case .signature: signatures
            case .decryption: decryptions
            }
        if share.strangers.isLeft(to: address, at: milliseconds) { return (share.strangers, address) }
        if isProven(address, at: milliseconds), share.proven.isLeft(to: address, at: milliseconds) {
            return (share.proven, address)
        }
        guard share.spare.isLeft(to: Self.everybody, at: milliseconds) else { return nil }
        return (share.spare, Self.everybody)
    }

    private func isProven(_ address: String, at milliseconds: Int64) -> Bool {
        let network = AddressBudget.network(of: address)
        return successes.withLock { successes in
            successes[network].map { milliseconds - $0 < Self.memoryMilliseconds } ?? false
        }
    }
}
