/// Finds the word that somebody probably meant.
package enum Suggestion {
    /// The candidate nearest to `word`, or nil when none is near enough to be worth showing.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let typed = folded(word)
        let allowed = max(1, typed.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(typed, folded(candidate))
            guard distance <= allowed, distance < best?.distance ?? Int.max else { continue }
            best = (candidate, distance)
        }
        return best?.word ?? candidates.first { continues(folded($0), typed) } ?? theOne(endingWith: typed, candidates)
    }

    /// The only candidate that ends with the word: `client_secret_basic` for `basic`.
    private static func theOne(endingWith typed: [UInt8], _ candidates: [String]) -> String? {
        guard typed.count >= 3 else { return nil }
        let fitting = candidates.filter {
            String(decoding: folded($0), as: UTF8.self).hasSuffix("_" + String(decoding: typed, as: UTF8.self))
        }
        return fitting.count == 1 ? fitting.first : nil
    }

    /// Whether one is the other's beginning: `warn` for `warning`, `operator_log` for `operator`.
    private static func continues(_ candidate: [UInt8], _ typed: [UInt8]) -> Bool {
        min(candidate.count, typed.count) >= 3 && (candidate.starts(with: typed) || typed.starts(with: candidate))
    }

    /// A remedy for an unknown word: the nearest candidate, else all of them.
    package static func remedy(for word: String, among candidates: [String], called noun: String) -> String {
        if let nearest = nearest(to: word, among: candidates) { return "did you mean \(nearest)?" }
        guard !candidates.isEmpty else { return "there are no \(noun) here" }
        return "\(noun) here: \(candidates.joined(separator: ", "))"
    }

    private static func folded(_ word: String) -> [UInt8] {
        word.lowercased().utf8.prefix(64).map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
    }

    /// Optimal string alignment: insertions, deletions, substitutions and swapped neighbours.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}
