// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TestSupport

/// What `portcullis check` says of a configuration that is right.
@Suite struct `portcullis check` {
    @Test func `names each listener as the configuration does`() throws {
        let folder = try TemporaryFolder.make(for: "check")
        defer { TemporaryFolder.remove(folder) }
        let path = folder + "/gateway.yaml"
        try """
        listeners:
          - { address: "127.0.0.1:8080", public_url: "http://a.test" }
          - { address: "[::1]:8081", public_url: "http://b.test" }
          - { address: "unix:\(folder)/web.sock", public_url: "http://c.test" }
        routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]

        """.write(toFile: path, atomically: true, encoding: .utf8)
        let check = try ChildProcess(GatewayProcess.binary, ["check", path])
        let lines = try #require(check.outputToItsEnd())
        #expect(check.waitForEnd() == .exited(0), "\(check.errors.now)")
        #expect(
            lines.filter { $0.hasPrefix("listener") } == [
                "listener  127.0.0.1:8080 (plain) for http://a.test",
                "listener  [::1]:8081 (plain) for http://b.test",
                "listener  unix:\(folder)/web.sock (plain) for http://c.test",
            ])
    }
}
