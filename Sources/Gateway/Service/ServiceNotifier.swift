import EventLoop
import Glibc
import Systemd
import Telemetry
import Transport

/// Tells the service manager how the process is (sd_notify(3)); on the control loop.
///
/// Nothing waits for the manager: what it has no room for is sent a little later, and where it cannot be reached at all
/// the operator reads so once, and everything else goes on.
final class ServiceNotifier {
    private let log: OperatorLog
    private let sender: DatagramSender?
    private let watchdogTime: WatchdogTime?
    private var watchdog: Watchdog?
    /// What the manager had no room for yet, the oldest first.
    private var unsent: [ServiceNotification] = []
    private var hasSaidFailure = false

    /// More than a manager that reads now and then lets pile up.
    private static let unsentLimit = 16

    /// Reads where the manager listens; sends nothing yet.
    init(_ environment: ServiceEnvironment, ownPID: Int32, log: OperatorLog) {
        self.log = log
        var faults: [String] = []
        var (sender, time): (DatagramSender?, WatchdogTime?) = (nil, nil)
        do throws(ServiceEnvironmentFault) {
            sender = ServiceNotifier.sender(to: try NotifyAddress(environment), &faults)
            time = try WatchdogTime(environment, ownPID: ownPID)
        } catch {
            faults.append(error.description)
        }
        self.sender = sender
        watchdogTime = time
        if let fault = faults.first { say(fault) }
    }

    /// What sends there; nil where nobody wants to hear anything, or the system gives no socket.
    private static func sender(to target: NotifyAddress?, _ faults: inout [String]) -> DatagramSender? {
        guard let target else { return nil }
        let address =
            switch target {
            case .path(let path): SocketAddress(unixPath: path)
            case .abstract(let name): SocketAddress(abstractName: name)
            }
        do throws(Socket.Failure) {
            guard let address else { throw Socket.Failure(call: "sendto", code: EINVAL) }
            return try DatagramSender(to: address)
        } catch {
            faults.append("\(error.call): \(error.reason)")
            return nil
        }
    }

    /// Everything is served by the configuration of this number; `refusal` is why it is not a newer one.
    func ready(configuration: UInt32, refusal: String? = nil) {
        let status = "Serving by configuration \(configuration)."
        send(.ready(refusal.map { "\(status) The newest was refused: \($0)" } ?? status))
    }

    /// The configuration is read again.
    func reloading() {
        send(.reloading(atMonotonic: WorkerClock().microseconds(), "Reading the configuration again."))
    }

    /// The process ends, within so many milliseconds.
    func stopping(within milliseconds: Int) {
        send(
            .stopping(
                within: UInt64(clamping: milliseconds) &* 1000, "Finishing the requests that are under way."))
    }

    /// Tells from now on that all loops turn, where the manager wants to know.
    func watch(control: EventLoop, workers: [EventLoop]) {
        guard sender != nil, let watchdogTime else { return }
        let watchdog = Watchdog(
            control: control, workers: workers, milliseconds: watchdogTime.intervalMilliseconds
        ) { [unowned self] in send(.alive) }
        self.watchdog = watchdog
        watchdog.start()
    }

    /// Sends what the manager had no room for; called once a second.
    func sendAgain() {
        let waiting = unsent
        unsent = []
        for notification in waiting { send(notification) }
    }

    private func send(_ notification: ServiceNotification) {
        guard let sender else { return }
        // In their order: the last word counts.
        guard unsent.isEmpty else { return keep(notification) }
        do throws(Socket.Failure) {
            try sender.send(Array(notification.text.utf8))
        } catch {
            if error.code == EAGAIN || error.code == ENOBUFS { return keep(notification) }
            say("\(error.call): \(error.reason)")
        }
    }

    private func keep(_ notification: ServiceNotification) {
        if unsent.count == Self.unsentLimit { unsent.removeFirst() }
        unsent.append(notification)
    }

    private func say(_ reason: String) {
        guard !hasSaidFailure else { return }
        hasSaidFailure = true
        log.write(.warning, .notifyFailed, LogField(.reason, reason))
    }
}
