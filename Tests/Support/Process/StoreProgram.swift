internal import Foundation

/// The program that tests start as a store.
package enum StoreProgram {
    /// Debian's `redis-server`, or the program that `PORTCULLIS_STORE_SERVER` names, such as a `valkey-server`.
    package static var path: String {
        ProcessInfo.processInfo.environment["PORTCULLIS_STORE_SERVER"] ?? "/usr/bin/redis-server"
    }

    /// Started with these arguments, in a network of a test's own where it is to be in one.
    package static func start(_ arguments: [String], in network: PrivateNetwork? = nil) throws -> ChildProcess {
        guard let network else { return try ChildProcess(path, arguments) }
        return try network.start(path, arguments)
    }
}
