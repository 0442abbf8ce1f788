/// The variables by which a service manager tells a process what it was started for; each nil where it is not set.
public struct ServiceEnvironment: Sendable, Equatable {
    /// `NOTIFY_SOCKET`: where the manager hears what the service says (sd_notify(3)).
    public var notifySocket: String?
    /// `WATCHDOG_USEC`: within how many microseconds the manager wants a sign of life (sd_watchdog_enabled(3)).
    public var watchdogMicroseconds: String?
    /// `WATCHDOG_PID`: whose sign of life it wants.
    public var watchdogPID: String?
    /// `LISTEN_FDS`: how many sockets were handed over, from descriptor 3 on (sd_listen_fds(3)).
    public var listenDescriptors: String?
    /// `LISTEN_PID`: whom they were handed over to.
    public var listenPID: String?
    /// `LISTEN_FDNAMES`: their names, with colons between them.
    public var listenNames: String?

    /// Of a process that no manager started.
    public init() {}

    /// Asks for each variable by its name.
    public init(_ value: (String) -> String?) {
        notifySocket = value("NOTIFY_SOCKET")
        watchdogMicroseconds = value("WATCHDOG_USEC")
        watchdogPID = value("WATCHDOG_PID")
        listenDescriptors = value("LISTEN_FDS")
        listenPID = value("LISTEN_PID")
        listenNames = value("LISTEN_FDNAMES")
    }
}

/// A variable of the service manager that says nothing of use.
public struct ServiceEnvironmentFault: Error, Sendable, Equatable {
    /// The variable's name.
    public let variable: String
    /// What it must be.
    public let expected: String
    /// What it is, cut to a bearable length.
    public let found: String

    init(_ variable: String, expected: String, found: String) {
        self.variable = variable
        self.expected = expected
        self.found = ServiceText.line(found, limit: 128)
    }

    /// All of it, as one sentence.
    public var description: String { "expected \(variable) to be \(expected), found \"\(found)\"" }
}

/// Texts that end up between other lines.
enum ServiceText {
    /// The text in one line of at most so many bytes: a line feed in it would begin an assignment of its own, such as
    /// `MAINPID=1` behind a status.
    static func line(_ text: String, limit: Int) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let next = isControl ? " " : scalar
            guard line.utf8.count + UTF8.width(next) <= limit else { break }
            line.unicodeScalars.append(next)
        }
        return line
    }

    /// A number as the manager writes it: digits alone.
    static func number(_ text: String) -> UInt64? {
        guard (1...20).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return UInt64(text)
    }
}
