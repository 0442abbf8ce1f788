import Foundation
import TestSupport

@testable import StoreClientTests

/// A server (see `StoreProgram`) at a Unix socket, which forgets everything when it ends.
final class StoreServer: Sendable {
    let folder: String
    private let process = Watched<ChildProcess?>(nil)
    private let arguments: [String]

    /// A server that serves, with further arguments.
    init(_ arguments: String...) throws {
        self.arguments = arguments
        folder = try TemporaryFolder.make(for: "store")
        try start()
    }

    deinit {
        signal(SIGKILL)
        TemporaryFolder.remove(folder)
    }

    var path: String { folder + "/s" }

    /// Another process at the same place, without data but for the word by which gateways know that it forgot nothing.
    ///
    /// Nobody finds it before it has that word.
    func start(forgot: Bool = false) throws {
        let hidden = folder + "/h"
        let started = try StoreProgram.start(
            [
                "--port", "0", "--unixsocket", hidden, "--save", "", "--appendonly", "no", "--dir", folder,
                "--daemonize", "no", "--enable-debug-command", "yes",
            ] + arguments)
        guard started.output.wait(until: { $0.contains { $0.contains("eady to accept connections") } }) else {
            throw WireFailure.timedOut("redis-server: \(started.output.now)")
        }
        process.withLock { $0 = started }
        if !forgot { _ = try ask(at: hidden, ["SET", "pc:epoch", "AAAAAAAAAAAAAAAAAAAAAA.1"]) }
        guard rename(hidden, path) == 0 else { throw WireFailure.system("rename", errno) }
    }

    func signal(_ number: Int32) { process.now?.signal(number) }

    /// Ends the process at once, as a crash does.
    func kill() {
        signal(SIGKILL)
        _ = process.now?.waitForEnd()
    }

    /// All that is in the store, as whoever may do everything sees it: names and values.
    func contents() throws -> String {
        let client = try RawClient(unixPath: path)
        try client.send("*2\r\n$4\r\nKEYS\r\n$1\r\n*\r\n")
        var text = ""
        for name in try Self.array(client) {
            try client.send("*2\r\n$4\r\nDUMP\r\n$\(name.utf8.count)\r\n\(name)\r\n")
            text += name + " " + (try Self.bulk(client)) + "\n"
        }
        return text
    }

    /// The store's answer to a command of words, in one line of text.
    @discardableResult
    func ask(_ words: String...) throws -> String { try ask(at: path, words) }

    private func ask(at path: String, _ words: [String]) throws -> String {
        let client = try RawClient(unixPath: path)
        try client.send("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
        return String(decoding: try client.bytes(through: "\r\n").dropLast(2), as: UTF8.self)
    }

    /// How many connections others have to it.
    func connections() throws -> Int { try connectionNumbers().count }

    /// What it calls the connections that others have to it.
    func connectionNumbers() throws -> Set<Substring> {
        let client = try RawClient(unixPath: path)
        try client.send("*2\r\n$6\r\nCLIENT\r\n$4\r\nLIST\r\n")
        let lines = try Self.bulk(client).split(separator: "\n").filter { !$0.contains("cmd=client") }
        return Set(lines.compactMap { $0.split(separator: " ").first })
    }

    /// How many attempts to sign in it has refused.
    func refusedLogins() throws -> Int {
        let client = try RawClient(unixPath: path)
        try client.send("*2\r\n$4\r\nINFO\r\n$12\r\ncommandstats\r\n")
        let lines = try Self.bulk(client).split(whereSeparator: \.isNewline)
        let fields = lines.first { $0.hasPrefix("cmdstat_auth:") }?.split(separator: ",") ?? []
        return fields.first { $0.hasPrefix("failed_calls=") }.flatMap { Int($0.dropFirst(13)) } ?? 0
    }

    private static func line(_ client: RawClient) throws -> String {
        String(decoding: try client.bytes(through: "\r\n").dropLast(2), as: UTF8.self)
    }

    private static func array(_ client: RawClient) throws -> [String] {
        let count = Int(try line(client).dropFirst()) ?? 0
        return try (0..<count).map { _ in try bulk(client) }
    }

    private static func bulk(_ client: RawClient) throws -> String {
        let count = Int(try line(client).dropFirst()) ?? -1
        guard count >= 0 else { return "" }
        let bytes = try client.bytes(count + 2).dropLast(2)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Several gateways of one configuration with one store, which know nothing of each other.
enum Fleet {
    /// Where each answer counts, and a machine that stands still is nobody's fault.
    static let patiently = "timeouts: { command: 5s }"

    /// The section of a store whose primary the Sentinels know.
    static func settings(_ store: Sentinels, _ further: String = "") -> String {
        let sentinels = store.sentinels.map { "\"redis://127.0.0.1:\($0.port)\"" }.joined(separator: ", ")
        return """
            store: { url: "redis://127.0.0.1:\(store.primary.port)", topology: sentinel, \
            sentinel: { name: \(Sentinels.name), url: [\(sentinels)] }, keys: [{ file: $FOLDER/store.key }], \(further) }
            """
    }

    /// The section of a store that is a cluster.
    static func settings(_ store: RedisCluster, _ further: String = "") -> String {
        let seeds = store.primaries.map { "\"redis://127.0.0.1:\($0.port)\"" }.joined(separator: ", ")
        return "store: { url: [\(seeds)], topology: cluster, keys: [{ file: $FOLDER/store.key }], \(further) }"
    }

    /// The keys that replicas have in common.
    static let keys = [
        "session.key": "8f2a6c1be59d4073a1c7f0e3d2b48596071f3e5d6c7b8a9908172635445362f1",
        "store.key": "4b1f0c7d2e9a85634417fe0d9c3b2a18675849e0f1d2c3b4a5968778695a4b3c",
    ]

    /// The section of the store, with further keys of it.
    static func settings(_ store: StoreServer, _ further: String = "") -> String {
        "store: { url: \"unix:\(store.path)\", keys: [{ file: $FOLDER/store.key }], \(further) }"
    }
}

extension GatewayProcess {
    /// Puts another configuration in the place of the one that it was started with, and waits for its word that it serves by it:
    /// the `times`th since its start.
    func reload(times: Int = 1, _ yaml: String) throws {
        try yaml.replacingOccurrences("$FOLDER", with: folder)
            .write(toFile: folder + "/gateway.yaml", atomically: true, encoding: .utf8)
        process.signal(SIGHUP)
        let isReloaded = process.errors.wait { lines in
            lines.count { $0.contains("\"event\":\"reloaded\"") } >= times
        }
        guard isReloaded else { throw WireFailure.timedOut("no reload:\n\(diagnosis)") }
    }
}
