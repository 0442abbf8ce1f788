@testable import Configuration
@testable import Import

/// A configuration of another program: which one, its first byte says.
enum ForeignConfigurationFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let kind = input.first ?? 0
        let bytes = Array(input.dropFirst())
        do throws(ImportRefusal) {
            let made = try make(kind, bytes)
            hold(made == (try make(kind, bytes)), "the same bytes make the same text")
            hold(
                made.utf8.allSatisfy { $0 == 0x0A || $0 >= 0x20 && $0 < 0x7F }, "nothing but printable ASCII is printed"
            )
            let root: YAMLNode
            do throws(YAMLRefusal) { root = try YAMLReader.read(Array(made.utf8)) } catch {
                fatalError("what is printed is YAML")
            }
            guard case .mapping(let entries) = root.content else { fatalError("what is printed is a mapping") }
            let keys = entries.map(\.key)
            hold(keys.prefix(4) == ["listeners", "issuers", "clients", "routes"], "no text of others becomes a key")
            hold(
                keys.dropFirst(4).allSatisfy { ["store", "timeouts", "admin", "log"].contains($0) },
                "no text of others becomes a key at the end")
            judge(entries[3].value)
            return .accepted
        } catch {
            let lines = error.text.split(separator: "\n")
            hold(!lines.isEmpty && lines.count <= 200, "a refusal has lines, and not many")
            hold(error.text.utf8.allSatisfy { $0 == 0x0A || $0 >= 0x20 && $0 < 0x7F }, "a refusal is printable")
            return .refused
        }
    }

    private static func make(_ kind: UInt8, _ bytes: [UInt8]) throws(ImportRefusal) -> String {
        let file = { (name: String) in ForeignFile(name: name, bytes: bytes) }
        switch kind {
        case UInt8(ascii: "a"): return try ForeignConfiguration.modAuthOpenIDC(file("a"))
        case UInt8(ascii: "n"): return try ForeignConfiguration.nginx(file("n"), oauth2Proxy: [])
        case UInt8(ascii: "y"): return try ForeignConfiguration.oauth2Proxy([file("y.yaml")], flags: [])
        case UInt8(ascii: "f"):
            let words = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
            return try ForeignConfiguration.oauth2Proxy([], flags: words)
        default: return try ForeignConfiguration.oauth2Proxy([file("o")], flags: [])
        }
    }

    /// Each route has one path, and either everybody or a login.
    private static func judge(_ routes: YAMLNode) {
        guard case .sequence(let routes) = routes.content else { fatalError("routes are a list") }
        var paths: Set<String> = []
        for route in routes {
            guard case .mapping(let entries) = route.content else { fatalError("a route is a mapping") }
            let keys = entries.map(\.key)
            hold(Set(keys).count == keys.count, "a route says nothing twice")
            hold(keys.contains("public") != keys.contains("login"), "a route says who may pass, once")
            guard case .scalar(let path, _) = entries[0].value.content else {
                fatalError("a route begins with its path")
            }
            hold(paths.insert(path).inserted, "no path has two routes")
            hold(!keys.contains("public") || !keys.contains("identity"), "everybody has no identity")
        }
    }
}
