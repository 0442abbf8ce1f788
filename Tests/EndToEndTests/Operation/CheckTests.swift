import Foundation
import JSON
import Testing
import TestSupport
import TestTraits

/// What `portcullis check` says, and the command line to somebody who mistypes.
@Suite struct `portcullis check` {
    private func run(_ arguments: [String]) throws -> (end: ProcessEnd?, output: [String], errors: [String]) {
        let child = try ChildProcess(GatewayProcess.binary, arguments)
        let lines = try #require(child.outputToItsEnd())
        return (child.waitForEnd(), lines, child.errors.now)
    }

    private func write(_ text: String, in folder: String) throws -> String {
        let path = folder + "/gateway.yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func `names each listener as the configuration does`() throws {
        let folder = try TemporaryFolder.make(for: "check")
        defer { TemporaryFolder.remove(folder) }
        let path = try write(
            """
            listeners:
              - { address: "127.0.0.1:8080", public_url: "http://a.test" }
              - { address: "[::1]:8081", public_url: "http://b.test" }
              - { address: "unix:\(folder)/web.sock", public_url: "http://c.test" }
            routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]

            """, in: folder)
        let check = try run(["check", path])
        #expect(check.end == .exited(0), "\(check.errors)")
        #expect(
            check.output.filter { $0.hasPrefix("listener") } == [
                "listener  127.0.0.1:8080 (plain) for http://a.test",
                "listener  [::1]:8081 (plain) for http://b.test",
                "listener  unix:\(folder)/web.sock (plain) for http://c.test",
            ])
    }

    @Test(
        .holds("SH-84"),
        arguments: [
            ("shares: [proofs]", "2, with 2 workers"), ("shares: [proofs], durability: replica", "4, with 2 workers"),
            ("", "3, with 2 workers"), ("limits: { connections: per_process }", "2, with 2 workers"),
        ])
    func `says how many connections a process has to a store`(further: String, count: String) throws {
        let folder = try TemporaryFolder.make(for: "check")
        defer { TemporaryFolder.remove(folder) }
        #expect(try run(["keys", "new", "store", "--out", folder + "/store.key"]).end == .exited(0))
        let path = try write(
            """
            listeners: [{ address: "127.0.0.1:8080", public_url: "http://a.test" }]
            workers: 2
            routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]
            store: { url: "unix:/run/redis.sock", keys: [{ file: store.key }], \(further) }

            """, in: folder)
        let check = try run(["check", path])
        #expect(check.end == .exited(0), "\(check.errors)")
        #expect(
            check.output.contains("store     connections of a process to each server, at most: \(count)"),
            "\(check.output)")
    }

    private static let warned = """
        listeners: [{ address: "0.0.0.0:0", public_url: "http://a.test" }]
        admin: { address: "127.0.0.1:0" }
        routes: [{ path: "/users/:id", upstream: "http://127.0.0.1:9", public: true }]

        """

    @Test func `reads standard input for a hyphen`() throws {
        let folder = try TemporaryFolder.make(for: "stdin")
        defer { TemporaryFolder.remove(folder) }
        let path = try write(Self.warned, in: folder)
        let child = try ChildProcess("/bin/sh", ["-c", "exec '\(GatewayProcess.binary)' check - < '\(path)'"])
        let lines = try #require(child.outputToItsEnd())
        #expect(child.waitForEnd() == .exited(0))
        #expect(lines.first == "configuration is valid")
        #expect(child.errors.now.contains { $0.hasPrefix("stdin:3:18: warning: routes[0].path: expected") })
    }

    @Test func `tells programs the same as one JSON object, whether it loads or not`() throws {
        let folder = try TemporaryFolder.make(for: "json")
        defer { TemporaryFolder.remove(folder) }
        let good = try run(["check", "--json", try write(Self.warned, in: folder)])
        #expect(good.end == .exited(0) && good.errors == [])
        let report = try JSONValue.parse(Array(good.output.joined(separator: "\n").utf8).span)
        #expect(report["valid"]?.bool == true)
        #expect(report["problems"]?.elements.compactMap { $0["severity"]?.string } == ["warning", "warning"])
        #expect(report["problems"]?.elements.last?["path"]?.string == "routes[0].path")
        #expect(report["listeners"]?.elements.first?["public_url"]?.string == "http://a.test")
        let bad = try run(["check", "--json", try write("workers: none\n", in: folder)])
        #expect(bad.end == .exited(2) && bad.errors == [])
        let refusal = try JSONValue.parse(Array(bad.output.joined(separator: "\n").utf8).span)
        #expect(refusal["valid"]?.bool == false)
        #expect(refusal["problems"]?.elements.contains { $0["path"]?.string == "workers" } == true)
        #expect(refusal["routes"] == nil)
    }

    @Test(
        .enabled(if: geteuid() == 0),
        arguments: [(0o600, true), (0o640, true), (0o644, false)] as [(mode_t, Bool)])
    func `by root says which files root alone can read`(mode: mode_t, isSaid: Bool) throws {
        let folder = try TemporaryFolder.make(for: "root")
        defer { TemporaryFolder.remove(folder) }
        let path = try write(Self.warned, in: folder)
        chmod(path, mode)
        let check = try run(["check", path])
        #expect(check.end == .exited(0))
        let note =
            "note: checked as root, who alone can read \(path): a service that runs as another user cannot start with that"
        #expect(check.errors.contains(note) == isSaid, "\(check.errors)")
    }

    @Test func `leaves it to run to say its warnings once, as JSON`() throws {
        let gateway = try GatewayProcess(Self.warned)
        let warnings = gateway.operatorLog.filter { $0["event"] == "configuration_warning" }
        #expect(warnings.count == 2)
        #expect(
            warnings.last?["detail"]?.contains(
                "; * stands for one whole segment, and a path that ends with / for all below it") == true)
        for line in gateway.process.errors.now {
            #expect(LogLine(line) != nil, "\(line)")
            #expect(!line.contains("\\u000a"))
        }
    }

    @Test(
        arguments: [
            (["chekc", "portcullis.yaml"], "\"chekc\"", "did you mean check?"),
            (["star", "portcullis.yaml"], "\"star\"", "commands here: run, check, explain"),
            (
                ["portcullis.yaml"], "\"portcullis.yaml\"",
                "did you mean  portcullis run portcullis.yaml  or  portcullis check"
            ),
        ])
    func `is meant by who mistypes it`(arguments: [String], found: String, remedy: String) throws {
        let said = try run(arguments)
        #expect(said.end == .exited(64))
        #expect(said.output == [])
        #expect(said.errors.first == "portcullis: expected a command, found \(found)")
        #expect(said.errors.last?.hasPrefix("    " + remedy) == true, "\(said.errors)")
    }
}
