/// One message of a service to its manager: assignments, a line each (sd_notify(3)).
public struct ServiceNotification: Sendable, Equatable {
    /// The message as it is sent.
    public let text: String

    /// The service does what it was started for, or does so again after a reload.
    public static func ready(_ status: String) -> ServiceNotification {
        ServiceNotification(text: "READY=1\n" + statusLine(status))
    }

    /// The service reads its configuration again; at a time of `CLOCK_MONOTONIC`, which tells the manager whether its own
    /// signal had come by then.
    public static func reloading(atMonotonic microseconds: UInt64, _ status: String) -> ServiceNotification {
        ServiceNotification(text: "RELOADING=1\nMONOTONIC_USEC=\(microseconds)\n" + statusLine(status))
    }

    /// The service ends, and may need so many microseconds for that, whatever the manager's own limit is.
    public static func stopping(within microseconds: UInt64, _ status: String) -> ServiceNotification {
        ServiceNotification(text: "STOPPING=1\nEXTEND_TIMEOUT_USEC=\(microseconds)\n" + statusLine(status))
    }

    /// The service is alive.
    public static let alive = ServiceNotification(text: "WATCHDOG=1\n")

    /// One line for `systemctl status`, whatever is in the text.
    private static func statusLine(_ status: String) -> String {
        "STATUS=\(ServiceText.line(status, limit: statusLimit))\n"
    }

    /// Bytes of a status.
    private static let statusLimit = 512
}

/// Where a service manager listens for notifications.
public enum NotifyAddress: Sendable, Equatable {
    /// A socket in the file system.
    case path(String)
    /// A name of the kernel's own, without a file (unix(7)).
    case abstract(String)

    /// Most bytes of either (`sun_path` less a zero byte).
    private static let limit = 107

    /// Reads `NOTIFY_SOCKET`; nil where it is not set.
    public init?(_ environment: ServiceEnvironment) throws(ServiceEnvironmentFault) {
        guard let text = environment.notifySocket else { return nil }
        let bytes = text.utf8
        switch bytes.first {
        case UInt8(ascii: "/") where bytes.count <= Self.limit: self = .path(text)
        case UInt8(ascii: "@") where (2...Self.limit + 1).contains(bytes.count):
            self = .abstract(String(text.dropFirst()))
        default:
            throw ServiceEnvironmentFault(
                "NOTIFY_SOCKET",
                expected: "the path of a Unix socket, or @ and the name of an abstract one, of at most 107 bytes",
                found: text)
        }
    }
}

/// How often a service manager wants a sign of life.
public struct WatchdogTime: Sendable, Equatable {
    /// Without a sign of life for so many microseconds the manager ends the service.
    public let microseconds: UInt64

    /// Half of it, as sd_watchdog_enabled(3) advises, in milliseconds; 1 at least.
    public var intervalMilliseconds: Int { Int(clamping: max(1, microseconds / 2000)) }

    /// Reads `WATCHDOG_USEC` and `WATCHDOG_PID`; nil where no sign of life is wanted, or another process's.
    public init?(_ environment: ServiceEnvironment, ownPID: Int32) throws(ServiceEnvironmentFault) {
        guard let text = environment.watchdogMicroseconds else { return nil }
        if let pid = environment.watchdogPID {
            guard let number = ServiceText.number(pid) else {
                throw ServiceEnvironmentFault("WATCHDOG_PID", expected: "the number of a process", found: pid)
            }
            guard number == UInt64(clamping: ownPID) else { return nil }
        }
        guard let microseconds = ServiceText.number(text), microseconds > 0 else {
            throw ServiceEnvironmentFault("WATCHDOG_USEC", expected: "a number of microseconds above 0", found: text)
        }
        self.microseconds = microseconds
    }
}
