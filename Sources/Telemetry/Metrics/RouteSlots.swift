/// One route's row of numbers as the page shows it.
struct MetricsRow: Sendable {
    let name: String
    let slot: Int
    let tenure: UInt64
}

/// Which route's numbers stand in which row of the workers' banks.
///
/// A slot may be given to one name after another. Each time is a *tenure* with a number of its own, so that the numbers
/// of the name before are never taken for those of the next, however many reloads a worker has yet to follow.
struct RouteSlots: Sendable {
    private var names: [String?]
    /// The tenure of each slot; 0 for a free one.
    private(set) var tenures: [UInt64]
    private var lastTenure: UInt64

    /// Slot i is route i's.
    init(_ routes: [String]) {
        names = routes
        tenures = routes.indices.map { UInt64($0) + 1 }
        lastTenure = UInt64(routes.count)
    }

    /// The rows to show: first those of requests that matched no route, whose names no route has on the page.
    var rows: [MetricsRow] {
        UnroutedRequests.allCases.map { MetricsRow(name: $0.label, slot: $0.slot, tenure: 0) }
            + names.indices.compactMap { slot in
                names[slot].map { name in
                    let isTaken = UnroutedRequests.allCases.contains { $0.label == name }
                    return MetricsRow(name: isTaken ? "route \(name)" : name, slot: slot, tenure: tenures[slot])
                }
            }
    }

    /// Gives each of `routes` a slot, the same as before to a name that had one, and returns them.
    ///
    /// Names in neither `routes` nor `alive` lose theirs.
    mutating func extend(_ routes: [String], keeping alive: Set<String>) -> [Int] {
        let wanted = Set(routes)
        var held: [String: [Int]] = [:]
        for slot in names.indices.reversed() {
            guard let name = names[slot] else { continue }
            if wanted.contains(name) || alive.contains(name) {
                held[name, default: []].append(slot)
            } else {
                free(slot)
            }
        }
        while names.last == .some(nil) {
            names.removeLast()
            tenures.removeLast()
        }
        var vacant = names.indices.filter { names[$0] == nil }[...]
        return routes.map { name in
            if let slot = held[name]?.popLast() { return slot }
            let slot = vacant.popFirst() ?? append()
            lastTenure += 1
            names[slot] = name
            tenures[slot] = lastTenure
            return slot
        }
    }

    private mutating func free(_ slot: Int) {
        names[slot] = nil
        tenures[slot] = 0
    }

    private mutating func append() -> Int {
        names.append(nil)
        tenures.append(0)
        return names.count - 1
    }
}
