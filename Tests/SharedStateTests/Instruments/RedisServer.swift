import Foundation
import TestSupport

@testable import SharedState

/// A server (see `StoreProgram`), on a Unix socket in a folder of its own, with the user that the article on shared state
/// tells operators to make.
final class RedisServer: Sendable {
    /// For tests that change nothing of the server.
    static let shared = Result { try RedisServer() }

    private let process: ChildProcess
    private let folder: String
    let path: String

    /// Milliseconds do not matter here: the server is there, or the test has failed.
    init(memory: String = "0") throws {
        folder = try TemporaryFolder.make(for: "redis")
        path = folder + "/redis.sock"
        let configuration = """
            port 0
            unixsocket \(path)
            dir \(folder)
            save ""
            appendonly no
            maxmemory \(memory)
            maxmemory-policy noeviction
            \(try MinimalUser.line(password: "correct"))
            """
        try configuration.write(toFile: folder + "/redis.conf", atomically: true, encoding: .utf8)
        process = try StoreProgram.start([folder + "/redis.conf"])
        let process = process
        let path = path
        guard eventually({ !process.isRunning || (try? StoreClient(path))?.isAnswering == true }), process.isRunning
        else { throw WireFailure.closed("redis-server: \(process.output.now.suffix(3))") }
    }

    deinit {
        process.signal(15)
        TemporaryFolder.remove(folder)
    }

    /// A connection of the user that the gateway would be, which has been given the scripts.
    func client() throws -> StoreClient {
        let client = try StoreClient(path, observer: try administrator())
        try client.expect(["AUTH", "portcullis", "correct"])
        for command in StoreScripts.loading { _ = try client.send(command) }
        return client
    }

    /// A connection of the user that may do everything.
    func administrator() throws -> StoreClient { try StoreClient(path) }
}

/// The user that the documentation tells operators to make, as written there.
enum MinimalUser {
    /// The lines of the article between `user portcullis` and the end of the block, as one.
    static func line(password: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = root.appendingPathComponent("Sources/Gateway/Gateway.docc/SharedState.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        guard let start = text.range(of: "\nuser portcullis "),
            let end = text[start.upperBound...].range(of: "\n```")
        else { throw WireFailure.malformed("SharedState.md has no user") }
        let words = text[start.lowerBound..<end.lowerBound].split { $0.isWhitespace || $0 == "\\" }
        return words.joined(separator: " ").replacingOccurrences(of: ">PASSWORD", with: ">\(password)")
    }

    /// The commands that it may use, in capitals; `script|load` as `SCRIPT`.
    static func commands() throws -> Set<String> {
        let words = try line(password: "x").split(separator: " ").filter { $0.hasPrefix("+") }
        return Set(words.map { $0.dropFirst().prefix { $0 != "|" }.uppercased() })
    }
}
