internal import Foundation
internal import Glibc

/// A program that a test started: its output by lines, its end, its memory.
package final class ChildProcess: Sendable {
    package let identifier: Int32
    /// Lines written to standard output so far.
    package let output = Watched<[String]>([])
    /// Lines written to standard error so far.
    package let errors = Watched<[String]>([])
    private let end = Watched<ProcessEnd?>(nil)
    /// Nobody can write to its standard output any more, and all that was written is in `output`.
    private let isOutputOver = Watched(false)
    private let areErrorsOver = Watched(false)

    /// Starts the program with these arguments and environment additions; it has `inherited` as 3, 4 and so on.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], inherited: [Int32] = []
    ) throws {
        var out: [Int32] = [0, 0]
        var err: [Int32] = [0, 0]
        guard Inheritance.whileNothingIsSpawned({ Self.makePipe(&out) && Self.makePipe(&err) }) else {
            throw WireFailure.system("pipe", errno)
        }
        let (outputEnd, errorEnd) = (out[1], err[1])
        defer {
            close(outputEnd)
            close(errorEnd)
        }
        let command = Self.killedWithParent([program] + arguments)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        let started = SpawningThread.shared.run {
            Self.spawn(
                command, environment: variables, output: outputEnd, errors: errorEnd, inherited: inherited)
        }
        guard let started, started > 0 else { throw WireFailure.system("posix_spawn \(program)", -(started ?? 0)) }
        identifier = started
        collect(out[0], into: output) { [isOutputOver] in isOutputOver.withLock { $0 = true } }
        collect(err[0], into: errors) { [areErrorsOver] in areErrorsOver.withLock { $0 = true } }
        Thread.detachNewThread { [end, identifier, output, errors] in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let known: ProcessEnd = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
            end.withLock { $0 = known }
            // Those who wait for a line must learn that none will come.
            output.withLock { _ in }
            errors.withLock { _ in }
        }
    }

    deinit { signal(SIGKILL) }

    /// Sends a signal unless the process has ended already.
    package func signal(_ number: Int32) {
        end.withLock { end in
            if end == nil { _ = kill(identifier, number) }
        }
    }

    /// How the process ended; nil when it still runs at the limit.
    ///
    /// All that it wrote is there then, unless it left a child that may write on.
    package func waitForEnd(within limit: Duration = Deadline.patience) -> ProcessEnd? {
        guard end.wait(within: limit, until: { $0 != nil }) else { return nil }
        for isOver in [isOutputOver, areErrorsOver] { isOver.wait(within: .seconds(20)) { $0 } }
        return end.now
    }

    /// All lines that the program writes to standard output until it closes it; nil when that is not over at the limit.
    package func outputToItsEnd(within limit: Duration = Deadline.patience) -> [String]? {
        isOutputOver.wait(within: limit) { $0 } ? output.now : nil
    }

    /// Whether the process still runs.
    package var isRunning: Bool { end.now == nil }

    /// Kilobytes of one line of `/proc/<pid>/status`, such as `VmRSS` or `RssAnon`.
    package func memory(_ line: String = "VmRSS") -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8) else { return 0 }
        let found = status.split(separator: "\n").first { $0.hasPrefix(line + ":") }
        return found.flatMap { $0.split(whereSeparator: { !$0.isNumber }).first }.flatMap { Int($0) } ?? 0
    }

    private func collect(_ descriptor: Int32, into lines: Watched<[String]>, whenOver: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += buffer[..<count]
                let whole = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = Array(whole.last ?? [])
                let complete = whole.dropLast().map { text(Array($0)) }
                if !complete.isEmpty { lines.withLock { $0 += complete } }
            }
            if !rest.isEmpty { lines.withLock { $0.append(text(rest)) } }
            close(descriptor)
            whenOver()
        }
    }

    private static func makePipe(_ ends: inout [Int32]) -> Bool {
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return true
    }

    private static func killedWithParent(_ command: [String]) -> [String] {
        let wrapper = "/usr/bin/setpriv"
        return access(wrapper, X_OK) == 0 ? [wrapper, "--pdeathsig", "TERM", "--"] + command : command
    }

    /// The child's identifier, or a negative error number.
    private static func spawn(
        _ command: [String], environment: [String], output: Int32, errors: Int32, inherited: [Int32]
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // Out of the way first: the number that one of them gets may be another's.
        let copies = inherited.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { for copy in copies { close(copy) } }
        for (index, copy) in copies.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, copy, Int32(3 + index))
        }
        // The test runner ignores or blocks signals that the child must obey.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var child: pid_t = 0
        let status = Inheritance.whileNothingIsSpawned {
            posix_spawnp(&child, command[0], &actions, &attributes, &arguments, &variables)
        }
        return status == 0 ? child : -status
    }
}

/// How a process ended.
package enum ProcessEnd: Sendable, Equatable {
    case exited(Int32)
    case killed(Int32)
}
