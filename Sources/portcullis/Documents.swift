import ArgumentParser
import Configuration
import EventLoop
import Fetch

/// `portcullis schema`: for editors and other validators.
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the JSON Schema of the configuration.")

    func run() { Terminal.print(JSONSchema.document) }
}

/// `portcullis defaults`: every key, its default and a sentence about it.
struct Defaults: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the commented reference configuration, or the sentences of the gateway's pages.")

    @Option(help: "The sentences of the pages in a language that ships, to be translated: en or de.")
    var language: String?

    func validate() throws {
        guard let language, LanguageTexts.file(of: language) == nil else { return }
        throw ValidationError(
            "no such language ships, en and de alone: translate what  portcullis defaults --language en  prints, "
                + "and name its folder in pages.languages")
    }

    func run() { Terminal.print(language.flatMap(LanguageTexts.file) ?? ReferenceText.yaml) }
}

/// `portcullis version`: what is running, and on what.
struct Version: ParsableCommand {
    static let number = "0.1.0"

    static let configuration = CommandConfiguration(abstract: "Print the version, and those of the libraries in use.")

    func run() {
        Terminal.print("portcullis \(Self.number)")
        Terminal.print("libevent \(EventLoop.libraryVersion)")
        // OpenSSL among them: libcurl names the libraries it runs on, which are this process's.
        Terminal.print(CurlFetcher.libraryVersions)
        Terminal.print("libyaml \(YAMLLibrary.version)")
    }
}
