/// How much a line matters; a log writes the lines of its own level and above.
package enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    /// The word in the line.
    package var word: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
