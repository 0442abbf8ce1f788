@testable import Configuration
import Crypto

/// A configuration's text, with files and variables that exist only here.
enum ConfigurationFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let first = load(input)
        let again = load(input)
        switch (first, again) {
        case (.success(let one), .success(let other)):
            hold(one.warnings == other.warnings, "the same text is warned of in the same words")
            hold(one.warnings.allSatisfy { $0.severity == .warning }, "what loads has no errors")
            for warning in one.warnings { check(warning, in: input) }
            if case .failure = load(input + Array("\n# the end\n".utf8)) { fatalError("a comment makes no difference") }
            return .accepted
        case (.failure(.problems(let problems)), .failure(.problems(let others))):
            hold(problems == others, "the same text is refused for the same reasons")
            hold(problems.contains { $0.severity == .error }, "what does not load has an error")
            let positions = problems.compactMap(\.position)
            hold(positions.count == problems.count, "every problem has a place")
            hold(positions == positions.sorted(), "problems are in the order of the text")
            for problem in problems { check(problem, in: input) }
            let lines = ConfigurationRefusal.problems(problems).text(file: "f").utf8.split(separator: 0x0a)
            hold(lines.count <= 201, "what an operator reads has an end")
            return .refused
        default: fatalError("the same text loads or does not")
        }
    }

    private static func load(_ text: [UInt8]) -> Result<LoadedConfiguration, ConfigurationRefusal> {
        Result { () throws(ConfigurationRefusal) in
            try Configuration.load(text: text, folder: ".", from: sources)
        }
    }

    private static func check(_ problem: Problem, in text: [UInt8]) {
        let words = [problem.expected, problem.found, problem.remedy]
        hold(words.allSatisfy { !$0.isEmpty }, "a problem says what was expected, what was found, and what to do")
        let printed = problem.text(file: "f").unicodeScalars.filter { $0.properties.generalCategory == .control }
        hold(printed.elementsEqual(["\n"]), "a problem is two lines, and nothing in them moves a cursor")
        hold(problem.text(file: "f").utf8.count <= 16_384, "a problem is no essay")
        guard let position = problem.position else { return }
        // U+0085, U+2028 and U+2029 end lines too.
        let whole = String(decoding: text, as: UTF8.self).unicodeScalars
        let breaks = whole.filter { ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains($0) }
        hold((1...(breaks.count + 1)).contains(position.line), "a problem's line is one of the text")
        hold((1...(text.count + 1)).contains(position.column), "a problem's column is one of the text")
        guard text.allSatisfy({ $0 < 0x80 && $0 != 0x0d }) else { return }
        let line = text.split(separator: 0x0a, omittingEmptySubsequences: false)[position.line - 1]
        hold(position.column <= line.count + 1, "a problem's column is one of its line")
    }

    /// What a configuration may name, by its ending: what is in the files is read by other fuzzers.
    private static let sources: ConfigurationSources = {
        var checks = DocumentChecks()
        checks.certificateAndKey = { _, _ in nil }
        checks.authorities = { _ in nil }
        checks.revocationLists = { _, _, _ in nil }
        return ConfigurationSources(
            file: { path, limit in
                guard let bytes = contents(of: path) else { return .failure(.missing) }
                guard bytes.count <= limit else { return .failure(.larger(than: limit)) }
                return .success(ConfigurationSources.File(path: path, bytes: bytes))
            },
            obstacleToAppending: { path in path.hasPrefix("/nowhere/") ? "No such file or directory" : nil },
            environment: { name in name.hasSuffix("_SECRET") ? String(repeating: "x", count: 40) : nil }, processors: 2,
            documents: checks, now: 1_800_000_000)
    }()

    private static func contents(of path: String) -> [UInt8]? {
        if path.hasSuffix("session.key") { return Array(String(repeating: "0123456789abcdef", count: 4).utf8) }
        if path.hasSuffix(".key") { return keys[path.utf8.count % keys.count] }
        if path.hasSuffix(".secret") { return Array("user:and a secret of more than thirty-two bytes".utf8) }
        if path.hasSuffix(".crt") || path.hasSuffix(".pem") || path.hasSuffix(".crl") { return Array("PEM".utf8) }
        guard path.hasSuffix(".json") else { return nil }
        return Array(
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#.utf8)
    }

    /// Keys of this process alone: several, because one key is not to be used for two things.
    private static let keys: [[UInt8]] = (0..<5).map { _ in
        guard let pem = try? NewPrivateKey.pem(.generated(.p256)) else { fatalError("a key is made") }
        return pem.reveal()
    }
}
