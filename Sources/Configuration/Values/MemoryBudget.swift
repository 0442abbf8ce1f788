import Access
import Gateway
import Login

/// How much memory the bounds of a configuration allow caches to take, of all workers together.
struct MemoryBudget: Equatable {
    /// One bound: what it is of, and its bytes in all workers.
    struct Part: Equatable {
        var name: String
        var bytes: Int
    }

    var parts: [Part] = []

    /// Only what can be filled: without issuers there are no tokens, and without logins no sessions.
    init(_ settings: GatewaySettings) {
        let eachWorker = settings.tokenCache.bytes.multipliedReportingOverflow(by: settings.workers)
        let cache = eachWorker.overflow ? Int.max : eachWorker.partialValue
        let times = "(token_cache.bytes × \(settings.workers) workers)"
        let tokens = settings.routes.compactMap(\.access.token)
        if !tokens.isEmpty { parts.append(Part(name: "verified tokens \(times)", bytes: cache)) }
        if !settings.logins.isEmpty { parts.append(Part(name: "opened sessions \(times)", bytes: cache)) }
        if tokens.contains(where: { $0.schemes.contains(.dpop) }) {
            parts.append(Part(name: "used proofs (dpop.replay_memory)", bytes: settings.proofs.replayBytes))
        }
        let rates = settings.routes.flatMap { $0.limits.requests ?? [] } + settings.limits.requests.common
        let tables = rates.count { $0.key != .route }
        if tables > 0 {
            var keys = 8
            while keys < settings.limits.requests.keys { keys *= 2 }
            parts.append(Part(name: "rates of requests (limits.request_keys × \(tables))", bytes: keys * 16 * tables))
        }
    }

    /// In bytes; the largest number where the sum is larger.
    var total: Int {
        parts.reduce(0) { sum, part in
            let (value, overflow) = sum.addingReportingOverflow(part.bytes)
            return overflow ? Int.max : value
        }
    }

    /// What to tell the operator where the caches may grow beyond what the process may have; nil where they may not.
    func warning(limit: Int?) -> Problem? {
        guard let limit, total > limit else { return nil }
        let sum = parts.map { "\(MemoryBudget.text($0.bytes)) of \($0.name)" }.joined(separator: ", ")
        return Problem(
            severity: .warning, position: nil, path: "token_cache.bytes",
            expected: "caches that fit into the \(MemoryBudget.text(limit)) that this process may have (memory.max)",
            found: "\(MemoryBudget.text(total)): \(sum)",
            remedy: "lower token_cache.bytes, dpop.replay_memory or workers, or allow more: the kernel ends a process "
                + "that takes more, and all its requests with it")
    }

    /// Rounded to whole units, for a person.
    private static func text(_ bytes: Int) -> String {
        for size in [1 << 30, 1 << 20, 1 << 10] where bytes >= 4 * size {
            return ByteCountText.text((bytes - 1) / size * size + size)
        }
        return ByteCountText.text(bytes)
    }
}
