import Gateway
import Testing

@testable import Configuration

@Suite struct `where the admin listener is` {
    private static func address(_ text: String) throws -> String {
        let sources = ConfigurationSources.scripted(files: ["gateway.yaml": Fixture.file(text)])
        do throws(ConfigurationRefusal) {
            return try Configuration.adminAddress(path: "gateway.yaml", from: sources).text
        } catch {
            return error.text(file: "gateway.yaml")
        }
    }

    @Test(
        arguments: [
            ("admin: { address: 0.0.0.0:9902 }", "0.0.0.0:9902"),
            ("admin: { address: unix:/run/portcullis/admin.sock }", "unix:/run/portcullis/admin.sock"),
            ("listeners: []", "127.0.0.1:9901"), ("admin: {}", "127.0.0.1:9901"),
            // A mistake elsewhere keeps no running gateway from serving.
            ("rutes: 7\nadmin: { address: \"[::1]:9903\" }", "[::1]:9903"),
        ])
    func `is read, whatever else the file has`(text: String, address: String) throws {
        #expect(try Self.address(text) == address)
    }

    @Test(arguments: ["admin: { address: localhost:9901 }", "admin: { address: [] }", "admin: [", ""])
    func `is refused where it is none, or the file no YAML`(text: String) throws {
        #expect(try Self.address(text).hasPrefix("gateway.yaml:"))
    }

    @Test(
        arguments: [
            "http://127.0.0.1:9901/healthz", "http://[::1]:9901/readyz", "http://127.0.0.1:80/startupz",
        ])
    func `of a URL is an address with a probe`(text: String) throws {
        let found = try #require(ProbeAddress(text))
        #expect("http://\(found.address.text)\(found.page)" == text)
    }

    @Test(
        arguments: [
            "http://127.0.0.1:9901", "http://127.0.0.1:9901/", "http://127.0.0.1:9901/metrics",
            "http://localhost:9901/healthz", "https://127.0.0.1:9901/healthz",
            "http://127.0.0.1/healthz", "http://127.0.0.1:0/healthz",
            "http://unix:/run/a/healthz", "http://127.0.0.1:9901/healthz?x", "",
        ])
    func `of any other URL is refused`(text: String) {
        #expect(ProbeAddress(text) == nil)
    }
}
