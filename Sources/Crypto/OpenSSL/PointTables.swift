import Synchronization

/// The tables of precomputed multiples of the busiest P-256 keys, shared by all that verify with them.
///
/// Whoever owns it hands it to those keys that are to have tables, and says what makes them: a table takes some 25 ms,
/// which no loop can spare. It costs 150 KB, and halves what a verification takes.
///
/// Bounded: a table stays until another key asks for one and it has been unused the longest. A key that asks while all
/// tables are in use gets none, and verifies as it did before; so keys that take turns do not make each other's
/// tables again and again.
public final class PointTables: Sendable {
    private struct Service {
        var tables: [[UInt8]: PointTable] = [:]
        var wanted: [[UInt8]] = []
        var isBuilding = false
        /// The library keeps no such tables: nothing more is tried.
        var isUseless = false
    }

    /// Tables kept at most.
    public let limit: Int
    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let service = Mutex(Service())
    /// How often a table was asked for: the clock by which the least recently used is found.
    private let requests = Atomic<UInt64>(0)

    /// Keeps `limit` tables at most, and makes none before a key asks for one.
    ///
    /// - Parameter execute: runs what it is given once, on another thread, for as long as tables are wanted; answers
    ///   whether it will.
    public init(limit: Int, execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool) {
        self.limit = limit
        self.execute = execute
    }

    /// Tables at hand or being made.
    var count: Int { service.withLock { $0.tables.count + $0.wanted.count } }

    /// The table of `point`, if it is made; otherwise it is made soon, if there is room for it.
    ///
    /// Waits for nobody: nil where another thread is at the tables just now, and the key asks again later.
    func table(for point: [UInt8]) -> PointTable? {
        let now = requests.add(1, ordering: .relaxed).newValue
        let found = service.withLockIfAvailable { service -> (table: PointTable?, starts: Bool) in
            if let table = service.tables[point] { return (table, false) }
            guard !service.isUseless, !service.wanted.contains(point), makeRoom(&service, now) else {
                return (nil, false)
            }
            service.wanted.append(point)
            let starts = !service.isBuilding
            service.isBuilding = true
            return (nil, starts)
        }
        guard let (table, starts) = found else { return nil }
        if let table { touch(table) }
        if starts, !execute({ self.build() }) {
            service.withLock { service in
                service.isBuilding = false
                service.wanted = []
            }
        }
        return table
    }

    /// Notes that a table is in use; two loads nearly always.
    func touch(_ table: PointTable) {
        let now = requests.load(ordering: .relaxed)
        if table.lastUse.load(ordering: .relaxed) != now { table.lastUse.store(now, ordering: .relaxed) }
    }

    /// Whether there is room for one more, after dropping the table that was unused for the longest time.
    private func makeRoom(_ service: inout Service, _ now: UInt64) -> Bool {
        guard service.tables.count + service.wanted.count >= limit else { return true }
        guard let oldest = service.tables.min(by: { lastUse($0.value) < lastUse($1.value) }),
            // In use: used within as many requests as there are tables, and a busy key makes few requests.
            lastUse(oldest.value) + UInt64(limit) < now
        else { return false }
        service.tables[oldest.key] = nil
        return true
    }

    private func lastUse(_ table: PointTable) -> UInt64 { table.lastUse.load(ordering: .relaxed) }

    /// Makes what is wanted, one after the other, and ends when nothing is.
    private func build() {
        while let point = next() {
            let table = PointTable(point: point)
            if let table { touch(table) }
            service.withLock { service in
                service.wanted.removeFirst()
                service.tables[point] = table
                guard table == nil else { return }
                service.isUseless = true
                service.wanted = []
            }
        }
    }

    private func next() -> [UInt8]? {
        service.withLock { service in
            if service.wanted.isEmpty { service.isBuilding = false }
            return service.wanted.first
        }
    }
}

/// One key's way to its table: none until it is busy, and then until the table was dropped for a busier key's.
///
/// Not `Sendable`, like the key it belongs to.
final class PointTableUse {
    /// Good signatures before a table pays for itself three times.
    static let threshold = 2000
    /// Good signatures between two questions for the table.
    static let interval = 250

    private let point: [UInt8]
    private let tables: PointTables
    private var successes = 0
    // The keeper alone decides how long a table lives; keys that fell silent must not hold what it has dropped.
    private weak var table: PointTable?
    private var scratch: PointScratch?

    /// A key that was used by nobody yet.
    init(x: Span<UInt8>, y: Span<UInt8>, tables: PointTables) {
        var point: [UInt8] = [0x04]
        for index in x.indices { point.append(x[index]) }
        for index in y.indices { point.append(y[index]) }
        self.point = point
        self.tables = tables
    }

    /// Whether a table is at hand.
    var hasTable: Bool { table != nil }

    /// What the table says of a signature over SHA-256; nil when there is no table.
    func verify(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool? {
        guard let table else {
            scratch = nil
            return nil
        }
        if scratch == nil { scratch = PointScratch() }
        guard let scratch else { return nil }
        tables.touch(table)
        let digest = OpenSSLDigest.hash(.sha256, message)
        return table.verify(signature, digest: digest.span.extracting(0..<32), scratch)
    }

    /// Counts a good signature that was checked without a table.
    func countSuccess() {
        successes += 1
        guard successes >= Self.threshold, (successes - Self.threshold) % Self.interval == 0 else { return }
        table = tables.table(for: point)
    }
}
