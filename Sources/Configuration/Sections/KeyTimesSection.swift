/// `keys` of an issuer: how long a fetched key set is fresh, stale, and left alone.
enum KeyTimesSection {
    private static let lifetime = Shape.duration(DurationShape(range: 60_000...86_400_000, step: .seconds))

    static let shape = ObjectShape(
        noun: "the times of an issuer's keys",
        keys: [
            KeyDescription(
                "minimum_lifetime", lifetime, .standard("1m"), "Least time that a fetched key set is believed fresh."),
            KeyDescription(
                "maximum_lifetime", lifetime, .standard("1h"), "Longest time that a fetched key set is believed fresh."),
            KeyDescription(
                "stale_limit", .duration(DurationShape(range: 0...86_400_000, step: .seconds)), .standard("1h"),
                "How long keys are still used after fetching them began to fail."),
            KeyDescription(
                "unknown_key_interval", .duration(DurationShape(range: 1000...3_600_000, step: .seconds)),
                .standard("30s"), "Least time between two fetches that tokens with an unknown kid cause."),
        ])

    static func lifetimes(_ object: CheckedObject?, _ problems: ProblemList) -> ClosedRange<Int> {
        let minimum = object?.seconds("minimum_lifetime") ?? 60
        let maximum = object?.seconds("maximum_lifetime") ?? 3600
        if minimum > maximum, let object {
            problems.error(
                at: object.place(of: object.says("minimum_lifetime") ? "minimum_lifetime" : "maximum_lifetime"),
                expected: "a minimum_lifetime of at most maximum_lifetime",
                found: "\(DurationText.text(minimum * 1000)) and \(DurationText.text(maximum * 1000))",
                remedy: "raise maximum_lifetime or lower minimum_lifetime")
        }
        return min(minimum, maximum)...max(minimum, maximum)
    }
}
