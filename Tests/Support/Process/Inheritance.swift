internal import Foundation

/// Keeps descriptors of one test out of the children of another.
///
/// A socket that a child inherits by accident stays open when the test closes it, and its peer never sees an end.
/// accept(2) and pipe(2) cannot mark a descriptor close-on-exec in the same step, so they exclude posix_spawn(3). And so
/// does close(2) where a test then looks at the other end at once: until a child has become its program, it holds a copy.
package enum Inheritance {
    private static let lock = NSLock()

    package static func whileNothingIsSpawned<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}
