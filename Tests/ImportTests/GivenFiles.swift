import Configuration
import Foundation
import Import

/// Configurations of others that these tests are given, and what is made of them, in folders beside this file.
///
/// Each was typed for these tests after the style of one that is public, with invented names.
enum GivenFiles {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path

    /// Each by the files that it is made of; what is made of it is called like the first.
    static let all: [[String]] = [
        ["mail-domain-of-google.cfg"], ["roles-of-keycloak.flags"], ["variables-and-redis.env"],
        ["alpha-configuration.yaml", "alpha-configuration.cfg"], ["organisation-of-github.cfg"],
        ["question-for-one-server.nginx"], ["question-of-the-server.nginx", "variables-and-redis.env"],
        ["groups-and-expressions.nginx"], ["client-of-its-own.nginx"],
        ["hosts-at-one-socket.nginx", "hosts-at-one-socket.cfg"], ["hosts-of-two-clients.apache"],
        ["everybody-with-an-account.apache"], ["claims-of-several-kinds.apache"], ["optional-and-expressions.apache"],
    ]

    static func file(_ name: String) throws -> ForeignFile {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/Given/\(name)"))
        return ForeignFile(name: name, bytes: Array(text))
    }

    /// What the import prints of them.
    static func made(_ names: [String]) throws -> String {
        let files = try names.map(file)
        switch names[0].split(separator: ".").last {
        case "nginx": return try ForeignConfiguration.nginx(files[0], oauth2Proxy: Array(files.dropFirst()))
        case "apache": return try ForeignConfiguration.modAuthOpenIDC(files[0])
        case "flags":
            let words = String(decoding: files[0].bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            return try ForeignConfiguration.oauth2Proxy([], flags: words)
        default: return try ForeignConfiguration.oauth2Proxy(files, flags: [])
        }
    }

    /// The text kept of an earlier run, which was read by a person.
    static func golden(_ names: [String]) throws -> String {
        try String(contentsOfFile: "\(folder)/Golden/\(names[0]).yaml", encoding: .utf8)
    }
}

/// A check of what the import prints: as `portcullis check` does it, with every file that it names there.
enum Checked {
    static func load(_ text: String) throws(ConfigurationRefusal) -> LoadedConfiguration {
        var sources = ConfigurationSources.system
        sources.environment = { name in
            ["HARBOUR_SECRET", "SECRET"].contains(name) ? String(repeating: "z", count: 40) : nil
        }
        sources.obstacleToAppending = { _ in nil }
        sources.file = { path, _ in
            let text: String
            switch path.split(separator: ".").last {
            case "crt": text = certificate
            case "key" where path.hasSuffix("session.key"): text = "g6sROhxPN-agQtuuY0XMM1gSeEB7nAfsB1SiAjca2Yk"
            case "key" where path.hasSuffix("store.key"): text = "NOprpZYlUTkOsab4ef7I1pXRpMzGie9Des1sE_oGZNQ"
            case "key": text = key
            case "mails": text = "somebody@fernhill.example\n"
            case "secret", "password": text = String(repeating: "z", count: 40)
            default: return .failure(.missing)
            }
            return .success(ConfigurationSources.File(path: path, bytes: Array(text.utf8)))
        }
        sources.documents = DocumentChecks()
        return try Configuration.load(text: Array(text.utf8), folder: ".", from: sources)
    }

    private static let certificate = pem("CERTIFICATE")
    private static let key = pem("PRIVATE KEY")

    private static func pem(_ kind: String) -> String { "-----BEGIN \(kind)-----\nMAA=\n-----END \(kind)-----\n" }
}
