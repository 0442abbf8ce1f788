import ArgumentParser
import Configuration
import Gateway
import Glibc

/// The command line.
@main
struct Portcullis: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portcullis",
        abstract: "A reverse proxy that signs people in, checks tokens, and tells upstreams who calls.",
        version: Version.number,
        subcommands: [
            Run.self, Check.self, Explain.self, Healthcheck.self, Keys.self, Sessions.self, Import.self, Schema.self,
            Defaults.self, Version.self,
        ])

    static func main() {
        // Before anything secret is read: a file, a variable of the environment, a key that is made.
        if !ProcessLimits.hideMemory() {
            Terminal.complain("portcullis: its memory cannot be hidden from other processes of its user")
        }
        // They are read from there, and without any of them, not even our own name, nobody can know what was asked for.
        guard !CommandLine.arguments.isEmpty else {
            Terminal.complain("portcullis: its arguments cannot be read: mount /proc")
            Glibc.exit(EX_OSFILE)
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let complaint = MisspeltCommand.complaint(arguments) {
            Terminal.complain(complaint)
            Glibc.exit(EX_USAGE)
        }
        main(arguments)
    }
}

/// A first word that is no command: the parser would take it for an argument and say how many it did not expect.
enum MisspeltCommand {
    /// What to say of it; nil where the first word is a command or an option.
    static func complaint(_ arguments: [String]) -> String? {
        guard let word = arguments.first, !word.hasPrefix("-"), !word.isEmpty else { return nil }
        let commands = Portcullis.configuration.subcommands.map { "\($0)".lowercased() } + ["help"]
        guard !commands.contains(word) else { return nil }
        let isFile = word.hasSuffix(".yaml") || word.hasSuffix(".yml")
        let remedy =
            isFile
            ? "did you mean  portcullis run \(word)  or  portcullis check \(word) ?"
            : Suggestion.remedy(for: word, among: commands, called: "commands")
        return "portcullis: expected a command, found \"\(word.prefix(80))\"\n    \(remedy)"
    }
}

/// Writing to the terminal, in whole lines.
enum Terminal {
    /// What was asked for.
    static func print(_ text: String) { write(text, to: 1) }

    /// What is wrong.
    static func complain(_ text: String) { write(text, to: 2) }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)[...]
        while !rest.isEmpty {
            let written = Array(rest).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            // Nobody reads: there is nobody to tell.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
