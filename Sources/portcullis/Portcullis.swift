// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc

/// The command line.
@main
struct Portcullis: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portcullis", abstract: "Lets requests through to upstreams when their tokens are good.",
        version: Version.number,
        subcommands: [Run.self, Check.self, Explain.self, Keys.self, Schema.self, Defaults.self, Version.self])
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
