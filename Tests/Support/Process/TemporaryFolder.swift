internal import Foundation
internal import Glibc

/// Folders that a test run makes for itself and removes when it ends.
package enum TemporaryFolder {
    private static let made = Watched<[String]>([])

    /// A new path for a folder that only the owner can read, not yet created.
    package static func path(for purpose: String) -> String {
        let name = "portcullis-\(purpose)-\(UUID().uuidString)"
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        made.withLock { made in
            // Suites share what they start until the process ends, when nothing is deinitialised any more.
            if made.isEmpty { atexit { TemporaryFolder.removeAll() } }
            made.append(path)
        }
        return path
    }

    /// A new, empty folder.
    package static func make(for purpose: String) throws -> String {
        let path = path(for: purpose)
        guard mkdir(path, 0o700) == 0 else { throw WireFailure.system("mkdir", errno) }
        return path
    }

    /// Removes a folder and what is in it.
    package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    private static func removeAll() {
        for path in made.now { remove(path) }
    }
}
