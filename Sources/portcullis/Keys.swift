import ArgumentParser
import Configuration

/// `portcullis keys …`: the keys that a configuration refers to.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make keys for a configuration.", subcommands: [New.self])

    /// `portcullis keys new PURPOSE`: one new key.
    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Make one key: client (proves who we are, signs requests), session, store (they seal) or assertion.",
            discussion: """
                client and assertion keys are private keys in PEM; their public half is printed as a JWK, for the server.
                A session key seals cookies, a store key what replicas share: 32 random bytes in base64url. The file is
                readable by its owner alone, and never overwritten. Without --out the key goes to standard output and the JWK to standard error.
                """)

        @Argument(help: "What the key is for: client, session, store or assertion.")
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
            do throws(NewKeyFile.Refusal) {
                try NewKeyFile.create(out, made)
            } catch {
                Terminal.complain("\(out): \(error.words)")
                throw ExitCode(1)
            }
            if let key = made.publicKey { Terminal.print(key) }
        }
    }
}

extension NewKey.Purpose: ExpressibleByArgument {}
