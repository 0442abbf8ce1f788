import Foundation
import Glibc
import TestSupport
import Testing

/// Row ECO-32: `portcullis healthcheck`, as a container engine runs it; and row ECO-45: what a running gateway gave up.
@Suite(.serialized) struct `portcullis healthcheck` {
    private static let shared = Shared { try Stage(StagePlan()) }
    let stage: Stage

    init() throws { stage = try Self.shared.get() }

    private func run(_ target: String) throws -> (end: ProcessEnd?, errors: [String], took: Duration) {
        let start = ContinuousClock.now
        let child = try ChildProcess(GatewayProcess.binary, ["healthcheck", target])
        let end = child.waitForEnd()
        return (end, child.errors.now, start.duration(to: .now))
    }

    private func configuration(_ admin: String, in folder: String) throws -> String {
        let path = folder + "/portcullis.yaml"
        // No configuration that loads: what is served by now is another one.
        try "admin: { address: \"\(admin)\" }\nmistake: yes\n".write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func `succeeds where the gateway of the configuration, or of the URL, is well`() throws {
        let folder = try TemporaryFolder.make(for: "healthcheck")
        defer { TemporaryFolder.remove(folder) }
        let port = stage.gateway.adminPort
        for target in [
            try configuration("127.0.0.1:\(port)", in: folder), "http://127.0.0.1:\(port)/healthz",
            "http://127.0.0.1:\(port)/startupz",
        ] {
            // It gives an answer one second, for which a machine may stand still.
            var found = try run(target)
            _ = try eventually {
                if found.end != .exited(0) { found = try run(target) }
                return found.end == .exited(0)
            }
            #expect(found.end == .exited(0), "\(target): \(found.errors)")
        }
    }

    @Test func `fails where nobody listens, or nobody answers within a second`() throws {
        let folder = try TemporaryFolder.make(for: "healthcheck")
        defer { TemporaryFolder.remove(folder) }
        // Accepted by the kernel, and answered by nobody.
        let (silent, port) = try Socket.listen()
        let late = try run(try configuration("127.0.0.1:\(port)", in: folder))
        #expect(late.end == .exited(1))
        #expect(late.errors.first?.hasSuffix("expected 200, found no answer within 1000 ms") == true, "\(late.errors)")
        #expect(late.took >= .seconds(1))
        silent.stopListening()
        silent.close()
        #expect(try run(try configuration("127.0.0.1:\(port)", in: folder)).end == .exited(1))
        #expect(try run(folder + "/nowhere.yaml").end == .exited(1))
        #expect(try run("http://127.0.0.1:\(port)/metrics").end == .exited(1))
    }

    @Test func `is of a process that runs no other program, in any of its threads`() throws {
        let identifier = stage.gateway.process.identifier
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task")
        #expect(threads.count > 1)
        for thread in threads {
            let status = try String(contentsOfFile: "/proc/\(identifier)/task/\(thread)/status", encoding: .utf8)
            // Landlock itself is not told; a process cannot have it without this.
            #expect(status.contains("NoNewPrivs:\t1\n"), "\(status)")
        }
    }
}
