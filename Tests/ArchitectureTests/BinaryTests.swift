import Foundation
import TestSupport
import Testing

@Suite struct `the built program` {
    /// The executable beside the test bundle that runs now.
    static func executable() -> String? {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        // The bundle is what runs, or what a runner has loaded.
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let loaded = maps.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        let bundle = ([running] + loaded).first { $0.hasSuffix(".xctest") || $0.hasSuffix("-test-runner") }
        guard let bundle else { return nil }
        let path = URL(filePath: bundle).deletingLastPathComponent().appending(path: "portcullis").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// Every shared library of the process, as the loader resolves them: ours, and those that they bring.
    static func libraries(of path: String) throws -> [String] {
        let lines = try #require(ChildProcess("/usr/bin/ldd", [path]).outputToItsEnd())
        return lines.compactMap { $0.split { " \t".contains($0) }.first.map(String.init) }
    }

    @Test func `links neither Foundation nor ICU`() throws {
        let path = try #require(Self.executable(), "portcullis is not beside the test bundle")
        let libraries = try Self.libraries(of: path)
        #expect(libraries.contains { $0.hasPrefix("libevent_core") }, "not our program, or not read: \(libraries)")
        for library in libraries {
            // FoundationEssentials is the limit: the command line's parser brings it.
            let name = library.prefix { $0 != "." }
            #expect(name != "libFoundation", "\(library)")
            #expect(!name.contains("Internationalization"), "\(library)")
            #expect(!name.hasPrefix("lib_FoundationICU") && !name.hasPrefix("libicu"), "\(library)")
            #expect(name != "libFoundationNetworking" && name != "libFoundationXML", "\(library)")
        }
    }

    @Test func `names its own version and those of the libraries it runs on`() throws {
        let path = try #require(Self.executable(), "portcullis is not beside the test bundle")
        let text = try #require(ChildProcess(path, ["version"]).outputToItsEnd()).joined(separator: "\n")
        for library in ["portcullis ", "libevent 2.", "libcurl/", " OpenSSL/3.", "libyaml "] {
            #expect(text.contains(library), "\(text)")
        }
    }
}
