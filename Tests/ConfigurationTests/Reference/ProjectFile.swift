import Configuration
import Testing

/// Files of the project as the tests find them.
enum ProjectFile {
    /// The project's folder: three folders above this file's.
    static var root: String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    }

    /// The text of a file of the project.
    static func text(_ path: String) throws -> String {
        let file = try ConfigurationSources.system.file("\(root)/\(path)", 1 << 20).get()
        return String(decoding: file.bytes, as: UTF8.self)
    }
}

extension ConfigurationSources {
    /// Every file that a configuration may name is there and is what its name says.
    static var everyFileIsThere: ConfigurationSources {
        var sources = scripted(environment: ["SHOP_REGION": "eu"])
        sources.file = { path, _ in
            if path.hasSuffix("assertion-new.key") { return .success(Fixture.file(RealCertificate.otherKey)) }
            if path.hasSuffix("assertion-old.key") { return .success(Fixture.file(RealCertificate.edwardsKey)) }
            if path.contains("/session") || path.contains("/store"), !path.hasSuffix(".crt") {
                return .success(Fixture.file(Fixture.sessionKey(path)))
            }
            for (name, key) in Fixture.keysByName where path.hasSuffix(name) { return .success(Fixture.file(key)) }
            if path.hasSuffix(".key") { return .success(Fixture.file(RealCertificate.key)) }
            if path.hasSuffix(".secret") { return .success(Fixture.file("user:\(path), padded to 32 bytes")) }
            if path.hasSuffix(".crl") { return .success(Fixture.file(Fixture.revocations)) }
            if path.hasSuffix(".json") { return .success(Fixture.file(Fixture.keySet)) }
            if path.hasSuffix(".svg") { return .success(Fixture.file("<svg xmlns='http://www.w3.org/2000/svg'/>")) }
            if path.hasSuffix("people.txt") { return .success(Fixture.file("ann@example.com")) }
            if path.hasSuffix("en.txt") { return .success(Fixture.file("not_found.title: Nothing")) }
            return .success(Fixture.file(Fixture.certificate))
        }
        sources.names = { _ in .success(["en.txt", ".", "..", "README", "a.crt", "a.key"]) }
        return sources
    }
}
