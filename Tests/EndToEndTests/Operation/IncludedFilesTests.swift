import Foundation
import TestSupport
import TestTraits
import Testing

/// Row ECO-96: routes in files of their own, and values from the environment, under a gateway that runs.
@Suite(.serialized) struct `a configuration in several files` {
    private func process(_ upstream: RecordingUpstream, watch: Bool) throws -> GatewayProcess {
        try GatewayProcess(
            """
            variables: [UPSTREAM]
            include: [$FOLDER/routes-*.yaml]
            workers: 1
            watch: \(watch)
            listeners: [{ address: "127.0.0.1:0", public_url: "https://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /own/, upstream: "${UPSTREAM}", public: true }]
            log: { level: debug, operator: stderr, access: stdout }

            """, files: ["routes-a.yaml": text("a")], environment: ["UPSTREAM": upstream.url])
    }

    private func text(_ name: String) -> String {
        "routes:\n  - { path: /\(name)/, upstream: \"${UPSTREAM}\", public: true }\n"
    }

    private func write(_ text: String, _ name: String, _ gateway: GatewayProcess) throws {
        try text.write(toFile: gateway.folder + "/" + name, atomically: true, encoding: .utf8)
    }

    private func status(_ gateway: GatewayProcess, _ path: String) -> Int? {
        try? gateway.exchange(request("GET", path)).status
    }

    @Test(.holds("ECO-96"), .refuses("ECO-96")) func `is served by, and by what they say later`() throws {
        let upstream = try RecordingUpstream()
        let gateway = try process(upstream, watch: true)
        #expect(status(gateway, "/own/x") == 200 && status(gateway, "/a/x") == 200 && status(gateway, "/b/x") == 404)
        try write(text("b"), "routes-b.yaml", gateway)
        #expect(eventually { status(gateway, "/b/x") == 200 })
        try write(text("c"), "routes-a.yaml", gateway)
        #expect(eventually { status(gateway, "/c/x") == 200 && status(gateway, "/a/x") == 404 })
        // What does not load leaves what is served, and is told in its file.
        try write("routes: [{ path: nowhere }]\n", "routes-b.yaml", gateway)
        let line = gateway.operatorLine { $0["event"] == "reload_refused" }
        let wanted = "/routes-b.yaml:1:10: routes[2].upstream: expected"
        #expect(line?["detail"]?.contains(wanted) == true, "\(line as Any)")
        #expect(status(gateway, "/b/x") == 200)
        try FileManager.default.removeItem(atPath: gateway.folder + "/routes-b.yaml")
        #expect(eventually { status(gateway, "/b/x") == 404 })
        #expect(status(gateway, "/c/x") == 200 && status(gateway, "/own/x") == 200)
    }

    @Test(.refuses("ECO-96")) func `is not read while it is edited, where the file itself is not watched`() throws {
        let upstream = try RecordingUpstream()
        let gateway = try process(upstream, watch: false)
        try write(text("b"), "routes-a.yaml", gateway)
        gateway.process.signal(SIGHUP)
        #expect(eventually { status(gateway, "/b/x") == 200 })
        #expect(status(gateway, "/a/x") == 404)
    }
}
