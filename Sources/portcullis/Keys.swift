// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Glibc

/// `portcullis keys …`: the keys that a configuration refers to.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make keys for a configuration.", subcommands: [New.self])

    /// `portcullis keys new PURPOSE`: one new key.
    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make one key: client (proves who we are, signs requests), session (seals cookies) or assertion.",
            discussion: """
                client and assertion keys are private keys in PEM; their public half is printed as a JWK, for the server.
                A session key is 32 random bytes in base64url. The file is readable by its owner alone, and never
                overwritten. Without --out the key goes to standard output and the JWK to standard error.
                """)

        @Argument(help: "What the key is for: client, session or assertion.")
        var purpose: NewKey.Purpose

        @Option(help: "The algorithm of a client or assertion key. (default: ES256)")
        var algorithm: String?

        @Option(help: "The file to write; it must not be there yet.", completion: .file())
        var out: String?

        func run() throws {
            let made: NewKey.Made
            do throws(NewKey.Refusal) {
                made = try NewKey.make(purpose, algorithm: algorithm)
            } catch {
                Terminal.complain(error.words)
                throw ExitCode(2)
            }
            guard let out else {
                Terminal.print(String(decoding: made.reveal(), as: UTF8.self))
                if let key = made.publicKey { Terminal.complain(key) }
                return
            }
            do throws(KeyFileRefusal) {
                try KeyFile.create(out, made.reveal())
            } catch {
                Terminal.complain("\(out): \(error.words)")
                throw ExitCode(1)
            }
            if let key = made.publicKey { Terminal.print(key) }
        }
    }
}

extension NewKey.Purpose: ExpressibleByArgument {}

/// Why a key was not written.
private enum KeyFileRefusal: Error {
    case exists
    case system(Int32)

    var words: String {
        switch self {
        case .exists: "there is a file already, which may hold a key in use; remove it or choose another name"
        case .system(let code): strerror(code).map { String(cString: $0) } ?? "error \(code)"
        }
    }
}

/// Files that only their owner reads, from their first moment on.
private enum KeyFile {
    static func create(_ path: String, _ bytes: [UInt8]) throws(KeyFileRefusal) {
        // O_EXCL: no key in use is overwritten, and no link is followed to where somebody else would read it.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw errno == EEXIST ? .exists : .system(errno) }
        var rest = bytes[...]
        var failure: Int32?
        while !rest.isEmpty, failure == nil {
            let written = Array(rest).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { failure = errno }
        }
        if failure == nil, fsync(descriptor) != 0, errno != EINVAL { failure = errno }
        close(descriptor)
        // Half a key would be taken for one by whoever looks at its name.
        if let failure {
            unlink(path)
            throw .system(failure)
        }
    }
}
