import Foundation
import TestSupport

@testable import SharedState

/// A server (see `StoreProgram`), on a Unix socket in a folder of its own, with the user that the article on shared state
/// tells operators to make.
final class RedisServer: Sendable {
    /// For tests that change nothing of the server.
    static let shared = Result { try RedisServer() }

    private let process: ChildProcess
    private let folder: Folder
    /// Whether the administrator of the article may sign in, and nobody else may do everything.
    private let isClosed: Bool
    private let lines: [String]
    var path: String { folder.path + "/redis.sock" }

    /// Everything in memory, and the user who is there without signing in may do everything.
    convenience init(memory: String = "0") throws {
        try self.init(
            Folder(), isClosed: false,
            ["appendonly no", "maxmemory \(memory)", try MinimalUser.line(password: "correct")])
    }

    /// With all users of the article, changed where a test says so, and with the file that keeps every change, as the article on
    /// Kubernetes tells.
    static func kept(_ change: (String) -> String = { $0 }) throws -> RedisServer {
        let users = try MinimalUser.allLines(password: "correct").map(change)
        return try RedisServer(Folder(), isClosed: true, ["appendonly yes", "appendfsync everysec"] + users)
    }

    /// The same server after a stop and a start, with what it kept.
    func restarted() throws -> RedisServer {
        process.signal(15)
        guard process.waitForEnd() != nil else { throw WireFailure.timedOut("the end of redis-server") }
        return try RedisServer(folder, isClosed: isClosed, lines)
    }

    /// Milliseconds do not matter here: the server is there, or the test has failed.
    private init(_ folder: Folder, isClosed: Bool, _ lines: [String]) throws {
        self.folder = folder
        self.isClosed = isClosed
        self.lines = lines
        let path = folder.path + "/redis.sock"
        let configuration =
            ["port 0", "unixsocket \(path)", "dir \(folder.path)", "save \"\"", "maxmemory-policy noeviction"] + lines
        try configuration.joined(separator: "\n")
            .write(toFile: folder.path + "/redis.conf", atomically: true, encoding: .utf8)
        process = try StoreProgram.start([folder.path + "/redis.conf"])
        let process = process
        guard eventually({ !process.isRunning || (try? StoreClient(path))?.isAnswering == true }), process.isRunning
        else { throw WireFailure.closed("redis-server: \(process.output.now.suffix(3))") }
    }

    deinit { process.signal(15) }

    /// Goes when the last server does that is in it.
    private final class Folder: Sendable {
        let path: String
        init() throws { path = try TemporaryFolder.make(for: "redis") }
        deinit { TemporaryFolder.remove(path) }
    }

    /// A connection of the user that the gateway would be, which has been given the scripts.
    func client() throws -> StoreClient {
        let client = try StoreClient(path, observer: try administrator())
        try client.expect(["AUTH", "portcullis", "correct"])
        for command in StoreScripts.loading { _ = try client.send(command) }
        return client
    }

    /// A connection of the user that may do everything.
    func administrator() throws -> StoreClient {
        let client = try StoreClient(path)
        if isClosed { try client.expect(["AUTH", "admin", "correct"]) }
        return client
    }

    /// What the server complained of in its own log.
    var complaints: [String] { process.output.now.filter { $0.contains("CRITICAL") || $0.contains("NOPERM") } }
}

/// The user that the documentation tells operators to make, as written there.
enum MinimalUser {
    /// The line of the article that begins with `user portcullis`.
    static func line(password: String) throws -> String {
        guard let line = try allLines(password: password).first(where: { $0.hasPrefix("user portcullis ") }) else {
            throw WireFailure.malformed("SharedState.md has no user portcullis")
        }
        return line
    }

    /// All users of the article, whose lines it breaks where they are too long.
    static func allLines(password: String) throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = root.appendingPathComponent("Sources/Gateway/Gateway.docc/SharedState.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        guard let start = text.range(of: "\n```\nuser "), let end = text[start.upperBound...].range(of: "\n```") else {
            throw WireFailure.malformed("SharedState.md has no users")
        }
        let block = text[start.lowerBound..<end.lowerBound].dropFirst(5)
        return block.split(separator: "\n").reduce(into: []) { lines, part in
            let words = part.split { $0.isWhitespace || $0 == "\\" }.joined(separator: " ")
                .replacingOccurrences(of: ">ADMINISTRATORS", with: ">\(password)")
                .replacingOccurrences(of: ">PASSWORD", with: ">\(password)")
            if part.hasPrefix("user ") { lines.append(words) } else { lines[lines.count - 1] += " " + words }
        }
    }

    /// The commands that it may use, in capitals; `script|load` as `SCRIPT`.
    static func commands() throws -> Set<String> {
        let words = try line(password: "x").split(separator: " ").filter { $0.hasPrefix("+") }
        return Set(words.map { $0.dropFirst().prefix { $0 != "|" }.uppercased() })
    }
}
