import Gateway
import Telemetry

/// `log`: what is written, and where.
enum LogSection {
    private static let table = SettingTable(
        "the log settings", defaults: LogSettings(),
        [
            .word(
                "level", \.level, [("debug", .debug), ("info", .info), ("warning", .warning), ("error", .error)],
                "The least important lines of the operator log that are written."),
            .key(
                "operator", .text(destination), .standard("stderr"),
                "Start, refusals, issuers, failures: stderr, stdout, off, or a file to append to."),
            .key(
                "access", .text(destination), .standard("stdout"),
                "One line a request: stderr, stdout, off, or a file to append to."),
        ])
    static let shape = table.shape

    private static let words: [(word: String, destination: LogSettings.Destination)] = [
        ("stderr", .standardError), ("stdout", .standardOutput), ("off", .off),
    ]

    /// Where lines of a log may go.
    static let destination = TextShape(
        expected: "stderr, stdout, off, or the path of a file", pattern: "^(stderr|stdout|off|.*/.*)$", hasOff: true
    ) { text in
        if words.contains(where: { $0.word == text }) || (text.contains("/") && !text.hasSuffix("/")) { return nil }
        if let nearest = Suggestion.nearest(to: text, among: words.map(\.word)) {
            return TextFault(remedy: "did you mean \(nearest)?")
        }
        return TextFault(remedy: "a path has a / in it: ./\(Quoted.bare(text)) is a file in this file's folder")
    }

    static func translate(_ object: CheckedObject?, _ translation: Translation) -> LogSettings {
        var log = LogSettings()
        guard let object else { return log }
        table.read(object, into: &log)
        if let operatorLog = object.text("operator") { log.operatorDestination = resolve(operatorLog, translation) }
        if let access = object.text("access") { log.accessDestination = resolve(access, translation) }
        return log
    }

    /// The destination that a text says.
    static func resolve(_ text: PlacedText, _ translation: Translation) -> LogSettings.Destination {
        if let word = words.first(where: { $0.word == text.text }) { return word.destination }
        let path = translation.resolved(text)
        if let obstacle = translation.sources.obstacleToAppending(path) {
            translation.problems.error(
                at: text.place, expected: "a file that can be appended to",
                found: "\(Quoted.text(text.text)): \(obstacle)",
                remedy: "make its folder, and give it to the user that the gateway runs as")
        }
        return .file(path)
    }
}
