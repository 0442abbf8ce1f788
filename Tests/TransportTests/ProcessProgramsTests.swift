import Foundation
import Glibc
import Testing
import Transport

@Suite struct `a thread that gave up other programs` {
    /// A file that may be run, and holds no program: where it is run, this process goes on.
    private static func emptyProgram() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "portcullis-empty-\(UUID().uuidString)").path
        try Data([0x7F]).write(to: URL(filePath: path))
        chmod(path, 0o755)
        return path
    }

    /// The errno of running a file.
    private static func run(_ path: String) -> Int32 {
        var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
        return execve(path, &arguments, &arguments) == -1 ? errno : 0
    }

    // What else it gave up, Tests/Image tries: calls that Glibc's module does not have.
    @Test func `is refused to run one, and reads files as before`() async throws {
        let path = try Self.emptyProgram()
        defer { unlink(path) }
        // In a thread of its own, with which it ends.
        let (gaveUp, found, canRead) = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let gaveUp = ProcessPrograms.giveUp()
                let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
                var byte: UInt8 = 0
                let canRead = read(descriptor, &byte, 1) == 1
                close(descriptor)
                continuation.resume(returning: (gaveUp, Self.run(path), canRead))
            }
        }
        #expect(gaveUp && canRead)
        #expect(found == EACCES || found == EPERM, "\(found)")
        #expect(Self.run(path) == ENOEXEC, "other threads have not given it up")
    }
}
