import Foundation
import Testing

/// What each target may import: the floors of the house, arrows pointing down only.
///
/// `Architecture.md` of the catalogue shows the same rows to readers; a test compares the two.
enum ImportTable {
    static let modules: [String: Set<String>] = [
        "CEvent": [], "COpenSSL": [], "CCurl": [], "CYAML": [], "CSocket": [], "CZlib": [], "CNGHTTP2": [],
        "CLeftOut": [], "CResolver": [],
        "Bytes": [],
        "Rates": [],
        "JSON": ["Bytes"],
        "HTTPMessage": ["Bytes"],
        "Compression": ["CZlib"],
        "Crypto": ["Bytes", "COpenSSL"],
        "JOSE": ["Bytes", "JSON", "Crypto"],
        "HTTP1": ["Bytes", "HTTPMessage"],
        "HTTP2": ["Bytes", "Rates", "HTTPMessage", "CNGHTTP2"],
        "RESP": ["Bytes"],
        "ProxyProtocol": ["Bytes"],
        "OAuth": ["Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE"],
        "Systemd": [],
        "EventLoop": ["CEvent"],
        "Transport": ["Bytes", "HTTPMessage", "EventLoop", "CSocket", "CResolver", "COpenSSL"],
        "Fetch": ["Bytes", "HTTPMessage", "EventLoop", "CCurl"],
        "StoreLink": ["Bytes", "RESP", "Crypto", "EventLoop", "Transport"],
        "Telemetry": ["Bytes", "JSON"],
        "Replay": ["Crypto"],
        "Issuers": ["Bytes", "Rates", "HTTPMessage", "Crypto", "JOSE", "OAuth", "Telemetry"],
        "Sessions": ["Bytes", "JSON", "HTTPMessage", "Crypto"],
        "SharedState": ["Bytes", "Crypto", "Sessions"],
        "StoreClient": ["RESP", "StoreLink", "SharedState", "Crypto", "EventLoop", "Transport", "Bytes"],
        "Pages": ["Bytes", "HTTPMessage", "Crypto"],
        "StatusPages": ["Bytes", "Crypto", "Pages", "Telemetry"],
        "Requirements": [],
        "Refusals": ["Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "HTTP2", "OAuth", "Pages"],
        "Login": [
            "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "OAuth", "Replay", "Telemetry", "Issuers",
            "Sessions", "SharedState", "Pages", "Refusals",
        ],
        "Access": [
            "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "OAuth", "Telemetry", "Issuers",
            "Replay",
            "Sessions", "Pages", "Refusals", "Login",
        ],
        "Gateway": [
            "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "HTTP2", "OAuth", "EventLoop",
            "Transport",
            "Fetch", "Telemetry", "Issuers", "Replay", "Sessions", "Pages", "StatusPages", "Refusals", "Login",
            "Access", "Systemd", "Compression", "RESP", "ProxyProtocol", "StoreLink", "SharedState", "StoreClient",
        ],
        "Explain": [
            "Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE", "OAuth", "EventLoop", "Fetch", "Telemetry", "Issuers",
            "Sessions", "Refusals", "Login", "Access", "Gateway",
        ],
        "Configuration": [
            "CYAML", "Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE", "OAuth", "Transport", "Telemetry", "Issuers",
            "Sessions", "SharedState", "Pages", "Login", "Access", "Gateway", "Explain",
        ],
        "Import": ["HTTPMessage", "Configuration"],
        "portcullis": [
            "Configuration", "Import", "Access", "Gateway", "Explain", "EventLoop", "Fetch", "Telemetry", "Issuers",
            "SharedState", "Requirements", "Systemd", "CLeftOut",
            "ArgumentParser",
        ],
    ]

    /// C libraries, a module map and a header, and a little C of ours: nothing that could import.
    static let libraries: Set<String> = [
        "CEvent", "COpenSSL", "CCurl", "CYAML", "CSocket", "CZlib", "CNGHTTP2", "CLeftOut", "CResolver",
    ]

    /// Targets that are pure: they read no clock, no file, no environment and make no system call.
    static let withoutSystem: Set<String> = [
        "Bytes", "JSON", "HTTPMessage", "JOSE", "HTTP1", "HTTP2", "RESP", "ProxyProtocol", "OAuth", "Refusals",
        "Access", "Requirements", "Systemd", "Import",
    ]

    /// Targets that share values between threads, and call the system for nothing else.
    static let withLocksAlone: Set<String> = ["Crypto", "Rates"]

    /// What the toolchain brings and a target that is not pure may import.
    static let system: Set<String> = ["Glibc", "Synchronization"]
}

@Suite struct `the import table` {
    struct Import: Sendable, CustomStringConvertible {
        let file: String
        let target: String
        let module: String
        var description: String { "\(file) imports \(module)" }
    }

    static func imports(of file: SourceFile) -> [Import] {
        guard let target = file.target else { return [] }
        let line =
            #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|func|var|let|protocol|typealias)\s+)?(\w+)/#
        return file.code.split(separator: "\n").compactMap { text in
            guard let match = text.prefixMatch(of: line) else { return nil }
            return Import(file: file.path, target: target, module: String(match.1))
        }
    }

    @Test func `allows every import there is`() {
        let imports = SourceTree.sources.flatMap(Self.imports)
        #expect(imports.count > 20, "the reader of imports found next to nothing: it is broken")
        for found in imports {
            let isAllowed =
                ImportTable.modules[found.target]?.contains(found.module) == true
                || ImportTable.system.contains(found.module) && !ImportTable.withoutSystem.contains(found.target)
                    && !(found.module == "Glibc" && ImportTable.withLocksAlone.contains(found.target))
            #expect(isAllowed, "\(found), which its row does not allow")
        }
    }

    @Test func `has a row for every folder of Sources and no other`() {
        #expect(SourceTree.folders(in: "Sources") == Set(ImportTable.modules.keys))
    }

    @Test func `points down only: no target reaches itself`() {
        for target in ImportTable.modules.keys {
            var reached: Set<String> = []
            var next = ImportTable.modules[target] ?? []
            while !next.isSubset(of: reached) {
                reached.formUnion(next)
                next = next.reduce(into: []) { $0.formUnion(ImportTable.modules[$1] ?? []) }
            }
            #expect(!reached.contains(target), "\(target) reaches itself")
        }
    }

    @Test func `is what the manifest declares`() throws {
        let manifest = try #require(SourceTree.file("Package.swift"))
        for (target, allowed) in ImportTable.modules where !ImportTable.libraries.contains(target) {
            let declared = try #require(Self.dependencies(of: target, in: manifest.text), "\(target)")
            #expect(declared == allowed, "\(target) in Package.swift")
        }
    }

    @Test func `leaves no folder of tests out of the manifest`() throws {
        let manifest = try #require(SourceTree.file("Package.swift"))
        // A folder that no target names compiles nowhere, and its tests pass by not being run.
        for folder in SourceTree.folders(in: "Tests").sorted() where folder.hasSuffix("Tests") {
            #expect(manifest.text.contains("\"\(folder)\""), "\(folder)")
        }
    }

    /// The names between `dependencies: [` and `]` of a target of `Sources`.
    static func dependencies(of target: String, in manifest: String) -> Set<String>? {
        for opening in [".target(", ".executableTarget("] {
            for part in manifest.components(separatedBy: opening).dropFirst() {
                let words = part.split { " \n,()[]".contains($0) }
                guard words.first == "name:", words.dropFirst().first == "\"\(target)\"" else { continue }
                // Up to its settings: a target without dependencies must not be given its neighbour's.
                let own = part.prefix(upTo: part.range(of: "swiftSettings:")?.lowerBound ?? part.endIndex)
                guard let start = own.range(of: "dependencies: [") else { return [] }
                let names = own[start.upperBound...].matches(of: #/(package: )?"([A-Za-z0-9\-]+)"/#)
                return Set(names.filter { $0.1 == nil }.map { String($0.2) })
            }
        }
        return nil
    }

    @Test func `stands in the catalogue as it is here`() throws {
        let document = SourceTree.file("Sources/Gateway/Gateway.docc/Architecture.md")
        let article = try #require(document, "Architecture.md is missing")
        var rows: [String: Set<String>] = [:]
        for line in article.lines where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 2, ImportTable.modules[cells[0]] != nil else { continue }
            rows[cells[0]] = Set(cells[1].split { ", —".contains($0) }.map(String.init))
        }
        for (target, allowed) in ImportTable.modules where !ImportTable.libraries.contains(target) {
            #expect(rows[target] == allowed, "the row of \(target) in Architecture.md")
        }
    }

    @Test func `gives C of ours no header of the system to show`() {
        let ours = SourceTree.headers.filter { $0.path.contains("/include/") }
        #expect(ours.count >= 2)
        for header in ours {
            // A type or constant of the system's would be that module's or Glibc's, as the compiler happens to read files,
            // and a change of another file would end the build of one kind and not of the other.
            for line in header.lines where line.hasPrefix("#include") {
                #expect(line == "#include <stdint.h>", "\(header)")
            }
        }
    }

    @Test func `keeps Foundation out of Sources`() {
        for found in SourceTree.sources.flatMap(Self.imports) {
            #expect(!found.module.contains("Foundation"), "\(found)")
        }
    }
}
