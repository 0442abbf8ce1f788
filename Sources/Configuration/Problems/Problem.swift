/// One thing about a configuration that its operator should know: where, what was expected, what is there, what to do.
package struct Problem: Sendable, Equatable {
    /// An error keeps the gateway from starting, a warning does not.
    package enum Severity: Sendable, Equatable {
        case error, warning
    }

    package var severity: Severity
    /// Nil when the file itself could not be read.
    package var position: Position?
    /// For example `routes[2].token.scopes`; empty for the document.
    package var path: String
    package var expected: String
    package var found: String
    package var remedy: String

    package init(
        severity: Severity, position: Position?, path: String, expected: String, found: String, remedy: String
    ) {
        self.severity = severity
        self.position = position
        self.path = path
        self.expected = expected
        self.found = found
        self.remedy = remedy
    }

    /// Standard input could not be read to its end, for this reason.
    package static func unreadableInput(_ reason: String) -> Problem {
        Problem(
            severity: .error, position: nil, path: "", expected: "a configuration on standard input", found: reason,
            remedy: "cat portcullis.yaml | portcullis check -")
    }

    /// The line (and an indented remedy) as printed: `file:line:column: path: expected …, found …`.
    package func text(file: String) -> String {
        var line = position?.file.map { Quoted.path($0) } ?? file
        if let position { line += ":\(position.line):\(position.column)" }
        if severity == .warning { line += ": warning" }
        if !path.isEmpty { line += ": \(path)" }
        return "\(line): expected \(expected), found \(found)\n    \(remedy)"
    }

    /// The same in one line, for a log.
    package func line(file: String) -> String {
        text(file: file).split(separator: "\n").map { String($0.trimmingPrefix { $0 == " " }) }.joined(separator: "; ")
    }
}

/// Why a configuration does not load.
package enum ConfigurationRefusal: Error, Sendable, Equatable {
    /// Every problem of the file, errors and warnings, in the order of the text; at least one is an error.
    case problems([Problem])

    /// What keeps it from loading, each problem in a line of its own, for a log.
    package func lines(file: String) -> [String] {
        switch self {
        case .problems(let problems):
            problems.filter { $0.severity == .error }.map { $0.line(file: file) }
        }
    }

    /// What is printed for `file`, one problem after the other, at most 100 of them.
    package func text(file: String) -> String {
        switch self {
        case .problems(let problems):
            (problems.prefix(100).map { $0.text(file: file) }
                + (problems.count > 100 ? ["\(file): \(problems.count - 100) more problems"] : []))
                .joined(separator: "\n")
        }
    }
}
