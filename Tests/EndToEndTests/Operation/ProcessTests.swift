import Foundation
import Glibc
import TestSupport
import TestTraits
import Testing

/// What the process is to others on its machine, and what it does without what a machine usually has.
@Suite struct `the process` {
    private static let user: uid_t = 65_534

    /// Starts a program as a user without rights, whoever runs the tests.
    private static func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        guard geteuid() == 0 else { return try ChildProcess(program, arguments) }
        return try ChildProcess(
            "/usr/bin/setpriv",
            ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "--", program] + arguments)
    }

    /// Whose the kernel says that a process's environment is: its user's, or root's where it may not be read by them.
    private static func owner(ofEnvironmentOf process: ChildProcess) -> uid_t? {
        var status = stat()
        return stat("/proc/\(process.identifier)/environ", &status) == 0 ? status.st_uid : nil
    }

    @Test(.holds("CA-17")) func `shows its memory and its environment to root alone`() throws {
        let folder = try TemporaryFolder.make(for: "process")
        chmod(folder, 0o755)
        let configuration = """
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, upstream: "http://127.0.0.1:1", public: true }]
            log: { operator: stderr, access: off }

            """
        try configuration.write(toFile: folder + "/gateway.yaml", atomically: false, encoding: .utf8)
        chmod(folder + "/gateway.yaml", 0o644)
        let user = geteuid() == 0 ? Self.user : geteuid()
        // What any program is, so that the gateway's difference is its own doing.
        let other = try Self.start("/usr/bin/sleep", ["60"])
        #expect(eventually { Self.owner(ofEnvironmentOf: other) == user })
        let gateway = try Self.start(GatewayProcess.binary, ["run", folder + "/gateway.yaml"])
        let isListening = gateway.errors.wait { $0.contains { $0.contains("\"listening\"") } || !gateway.isRunning }
        #expect(isListening && gateway.isRunning, "\(gateway.errors.now)")
        #expect(Self.owner(ofEnvironmentOf: gateway) == 0)
        other.signal(SIGKILL)
        gateway.signal(SIGKILL)
    }

    /// Whether a program can be started here without `/proc`.
    private static let canHideProc: Bool = {
        let trial = try? ChildProcess("/usr/bin/unshare", ["-m", "sh", "-c", "umount -l /proc && exec true"])
        return trial?.waitForEnd() == .exited(0)
    }()

    @Test(.enabled(if: canHideProc), arguments: ["check /nowhere.yaml", "run /nowhere.yaml", "version", ""])
    func `says so when it cannot read its arguments, and does not take them for none`(arguments: String) throws {
        let process = try ChildProcess(
            "/usr/bin/unshare",
            ["-m", "sh", "-c", "umount -l /proc && exec \"$0\" \(arguments)", GatewayProcess.binary])
        let end = process.waitForEnd()
        #expect(end != .exited(0) && end != nil, "\(String(describing: end))")
        #expect(process.output.now.isEmpty, "\(process.output.now)")
        #expect(process.errors.now.contains { $0.contains("mount /proc") }, "\(process.errors.now)")
    }
}
