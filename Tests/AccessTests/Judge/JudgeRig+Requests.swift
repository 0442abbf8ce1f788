import Telemetry

@testable import Access

extension JudgeRig {
    /// Judges a request of these lines, which nothing is known of, and which ends here.
    func judgeOnce(_ lines: [String]) throws -> Outcome {
        var findings = Findings()
        defer { findings.forget() }
        return try judge(lines, &findings)
    }

    /// The same of one that has waited once already.
    func judgeAgain(_ lines: [String]) throws -> Outcome {
        var findings = Findings()
        findings.hasWaited = true
        defer { findings.forget() }
        return try judge(lines, &findings)
    }

    /// What this metric says, over all its labels.
    func metric(_ name: String) -> Int {
        String(decoding: registry.page(), as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(name) }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    /// GET of `/a` at the one authority, with these lines besides.
    static func get(_ lines: String...) -> [String] { ["GET /a HTTP/1.1", "Host: api.example"] + lines }

    /// The same with a token.
    static func get(bearer token: String) -> [String] { get("Authorization: Bearer \(token)") }
}
