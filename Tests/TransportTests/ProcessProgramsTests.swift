import Foundation
import Glibc
import Testing
import Transport

@Suite struct `a thread that gave up other programs` {
    /// Does something in a thread of its own, whose filter ends with it.
    private func inThread(_ work: @escaping @Sendable () -> [Int32]) async -> [Int32] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }

    /// The errno of a call that fails; 0 where it does not.
    private static func failure(_ result: Int) -> Int32 { result == -1 ? errno : 0 }

    // What else it gave up, Tests/Image tries: calls that Glibc's module does not have.
    @Test func `is refused to run one`() async {
        let found = await inThread {
            guard ProcessPrograms.giveUp() else { return [] }
            var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
            return [
                Self.failure(Int(execve("/nowhere/at/all", &arguments, &arguments))),
                Self.failure(Int(execve("/bin/true", &arguments, &arguments))),
            ]
        }
        #expect(found == [EPERM, EPERM])
    }

    @Test func `does everything else as before, and so do other threads`() async {
        let found = await inThread {
            guard ProcessPrograms.giveUp() else { return [-1] }
            let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            var byte: UInt8 = 0
            return [Self.failure(Int(descriptor)), Self.failure(read(descriptor, &byte, 1))]
        }
        #expect(found == [0, 0])
        var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
        #expect(Self.failure(Int(execve("/nowhere/at/all", &arguments, &arguments))) == ENOENT)
    }
}
