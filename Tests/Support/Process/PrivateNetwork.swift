internal import Foundation
internal import Glibc

/// A network of a test's own: a loopback interface on which packets can be dropped, and nothing else.
///
/// In it are the thread that runs the test's body, the threads that this one starts, and the programs that are started
/// there. It takes the superuser's rights, and Debian's packages iproute2 and iptables.
package final class PrivateNetwork: Sendable {
    /// What is said of tests that are left out.
    package static let need = "a network of one's own takes root, unshare(2), ip and iptables"

    /// Whether there can be one here.
    ///
    /// Where `PORTCULLIS_PRIVATE_NETWORK` is `required`, tests are not left out, and fail.
    package static let isAvailable: Bool = {
        if ProcessInfo.processInfo.environment["PORTCULLIS_PRIVATE_NETWORK"] == "required" { return true }
        return (try? run { try $0.drop(["--dport", "1"]) }) != nil
    }()

    /// The open descriptor of the namespace, by which programs find it.
    private let namespace: Int32

    private init(namespace: Int32) { self.namespace = namespace }

    deinit { close(namespace) }

    /// What the body makes of a network that is there for it alone, on a thread of its own.
    ///
    /// What it expects it gives back: an expectation counts on the thread of the test.
    package static func run<Outcome: Sendable>(
        _ body: @escaping @Sendable (PrivateNetwork) throws -> Outcome
    ) throws -> Outcome {
        let outcome = Watched<Result<Outcome, any Error>?>(nil)
        // A thread is where the one is that starts it: whoever starts programs for all tests must not be made in there.
        _ = SpawningThread.shared.run { true }
        let thread = Thread {
            let result = Result { try body(try enter()) }
            outcome.withLock { $0 = result }
        }
        thread.stackSize = 8 << 20
        thread.start()
        guard outcome.wait(within: Deadline.patience * 5, until: { $0 != nil }), let result = outcome.now else {
            throw WireFailure.timedOut("a test in a network of its own")
        }
        return try result.get()
    }

    /// Moves the calling thread into a network that is new.
    private static func enter() throws -> PrivateNetwork {
        typealias Unshare = @convention(c) (Int32) -> Int32
        // Glibc's module leaves it out, which only Linux has; so does it CLONE_NEWNET.
        guard let symbol = dlsym(nil, "unshare") else { throw WireFailure.system("dlsym", ENOSYS) }
        guard unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0 else {
            throw WireFailure.system("unshare", errno)
        }
        let namespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard namespace >= 0 else { throw WireFailure.system("/proc/thread-self/ns/net", errno) }
        let network = PrivateNetwork(namespace: namespace)
        try network.expect("ip", ["link", "set", "lo", "up"])
        return network
    }

    /// Starts a program in it.
    package func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        // Debian has ip and iptables where only the superuser looks.
        let path = "/usr/sbin:/usr/bin:/sbin:/bin"
        return try ChildProcess(
            "nsenter", ["--net=/proc/\(getpid())/fd/\(namespace)", "--", program] + arguments,
            environment: ["PATH": path])
    }

    /// Drops the packets of TCP that these words of iptables say, on their way in: nobody is told.
    package func drop(_ words: [String]) throws {
        try expect("iptables", ["--wait", "--append", "INPUT", "--protocol", "tcp"] + words + ["--jump", "DROP"])
    }

    /// Drops all packets to and from a port.
    package func dropAll(of port: UInt16) throws {
        try drop(["--dport", "\(port)"])
        try drop(["--sport", "\(port)"])
    }

    /// Drops nothing any more.
    package func heal() throws { try expect("iptables", ["--wait", "--flush", "INPUT"]) }

    private func expect(_ program: String, _ arguments: [String]) throws {
        let process = try start(program, arguments)
        guard process.waitForEnd() == .exited(0) else {
            throw WireFailure.malformed("\(program) \(arguments): \(process.errors.now)")
        }
    }
}
