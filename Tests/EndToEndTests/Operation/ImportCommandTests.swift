import Foundation
import TestSupport
import TestTraits
import Testing

/// Rows ECO-83 and ECO-84 by the program itself: what it prints is held to its own check.
@Suite struct `portcullis import` {
    private func run(_ arguments: [String]) throws -> (end: ProcessEnd?, output: [String], errors: [String]) {
        let child = try ChildProcess(GatewayProcess.binary, arguments)
        let lines = try #require(child.outputToItsEnd())
        return (child.waitForEnd(), lines, child.errors.now)
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o600)
    }

    @Test(.holds("ECO-83", "ECO-84")) func `prints what loads once the files that it names are there`() throws {
        let folder = try TemporaryFolder.make(for: "import")
        defer { TemporaryFolder.remove(folder) }
        try write(
            """
            provider = "oidc"
            oidc_issuer_url = "https://id.example.com/"
            client_id = "shop"
            client_secret = "s3cr3t-of-shop"
            email_domains = [ "*" ]
            redirect_url = "https://shop.example.com/oauth2/callback"
            skip_auth_routes = [ "^/healthz$", "\\\\.png$" ]

            """, to: folder + "/oauth2-proxy.cfg")
        let made = try run([
            "import", "oauth2-proxy", folder + "/oauth2-proxy.cfg", "--upstream=http://127.0.0.1:3000/",
            "--http-address", "127.0.0.1:0", "--of-the-next-release", "s3cr3t-of-shop",
        ])
        // Port 0 is no address of oauth2-proxy's, and the default stands in its place.
        #expect(made.end == .exited(0), "\(made.errors)")
        #expect(made.output.contains { $0.hasSuffix("stays protected, for it is no plain prefix: \\.png$") })
        let unknown = "of-the-next-release: is not known: nobody passes until you decide"
        #expect(made.output.contains { $0.hasSuffix(unknown) })
        #expect(!made.output.joined().contains("s3cr3t"))
        try write(made.output.joined(separator: "\n") + "\n", to: folder + "/portcullis.yaml")
        let missing = try run(["check", folder + "/portcullis.yaml"])
        #expect(missing.end == .exited(2))
        #expect(missing.errors.contains { $0.contains("client.secret") })
        try write(String(repeating: "z", count: 40), to: folder + "/client.secret")
        #expect(try run(["keys", "new", "session", "--out", folder + "/session.key"]).end == .exited(0))
        let check = try run(["check", folder + "/portcullis.yaml"])
        #expect(check.end == .exited(0), "\(check.errors)")
        #expect(check.output.contains("routes    2, 1 of them public"))
    }

    @Test(.refuses("ECO-84")) func `prints nothing of a file that it cannot read, and says where`() throws {
        let folder = try TemporaryFolder.make(for: "import")
        defer { TemporaryFolder.remove(folder) }
        let path = folder + "/nginx.conf"
        try write("server {\n  location / { auth_request /a; }\n", to: path)
        let refused = try run(["import", "nginx", path])
        #expect(refused.end == .exited(2))
        #expect(refused.output == [])
        #expect(refused.errors.first?.hasPrefix(path + ":1:1: expected a configuration of nginx") == true)
        #expect(try run(["import", "mod_auth_openidc", folder + "/none"]).end == .exited(2))
        #expect(
            try run(["import", "oauth2-proxy"]).output.contains { $0.contains("USAGE: portcullis import oauth2-proxy") }
        )
    }
}
