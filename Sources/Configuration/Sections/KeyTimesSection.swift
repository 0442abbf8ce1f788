import Issuers

/// `keys` of an issuer: how long a fetched key set is fresh, stale, and left alone.
enum KeyTimesSection {
    private static let table = SettingTable(
        "the times of an issuer's keys", defaults: KeyTimesSettings(),
        [
            .seconds(
                "minimum_lifetime", \.minimumLifetime, 60...86_400,
                "Least time that a fetched key set is believed fresh."),
            .seconds(
                "maximum_lifetime", \.maximumLifetime, 60...86_400,
                "Longest time that a fetched key set is believed fresh."),
            .seconds(
                "stale_limit", \.staleLimit, 0...86_400,
                "How long keys are still used after fetching them began to fail."),
            .seconds(
                "unknown_key_interval", \.unknownKeyInterval, 1...3600,
                "Least time between two fetches that tokens of one client with an unknown kid cause; all clients together cause eight in that time at most."
            ),
        ])
    static let shape = table.shape

    static func translate(_ object: CheckedObject?, _ problems: ProblemList) -> KeyTimesSettings {
        var times = KeyTimesSettings()
        guard let object else { return times }
        table.read(object, into: &times)
        if times.minimumLifetime > times.maximumLifetime {
            problems.error(
                at: object.place(of: object.says("minimum_lifetime") ? "minimum_lifetime" : "maximum_lifetime"),
                expected: "a minimum_lifetime of at most maximum_lifetime",
                found: "\(DurationText.text(times.minimumLifetime)) and \(DurationText.text(times.maximumLifetime))",
                remedy: "raise maximum_lifetime or lower minimum_lifetime")
        }
        return times
    }
}
