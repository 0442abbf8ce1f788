import ArgumentParser
import Explain
import Import

/// `portcullis import …`: our YAML of another program's configuration.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a configuration made of that of oauth2-proxy, nginx or mod_auth_openidc.",
        discussion: """
            What could not be carried over is said in comments, each with its place in the source, and so is what will \
            behave otherwise. A rule is never weaker than its source: where something restricted access that has no key \
            here, the route lets nobody pass until you decide. Secrets are never printed: the output names files to put \
            them into. Hold the result to  portcullis check .

            Exits 0 when a configuration was printed, 2 when the source cannot be read.
            """,
        subcommands: [OAuth2Proxy.self, Nginx.self, ModAuthOpenIDC.self])

    /// `portcullis import oauth2-proxy`.
    struct OAuth2Proxy: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "oauth2-proxy",
            abstract: "Of oauth2-proxy: its files, its environment, its flags.",
            discussion: """
                Give files first: a configuration file, a file of variables (OAUTH2_PROXY_), and the alpha configuration, \
                which ends in .yaml or .yml. Flags may follow, as oauth2-proxy takes them, --config and --alpha-config \
                among them. Of one setting the last file counts, variables before settings, and flags before all. A \
                hyphen is standard input:  env | grep ^OAUTH2_PROXY_ | portcullis import oauth2-proxy -
                """)

        @Argument(
            parsing: .captureForPassthrough, help: "Files, and then flags of oauth2-proxy.", completion: .file())
        var words: [String] = []

        func run() throws {
            if words.isEmpty || words == ["--help"] || words == ["-h"] { throw CleanExit.helpRequest(self) }
            let count = words.prefix { $0 == "-" || !$0.hasPrefix("-") }.count
            var paths = Array(words.prefix(count))
            let flags = Array(words.dropFirst(count))
            for (index, flag) in flags.enumerated() {
                for name in ["--config", "-config", "--alpha-config", "-alpha-config"] {
                    if flag == name, index + 1 < flags.count { paths.append(flags[index + 1]) }
                    if flag.hasPrefix(name + "=") { paths.append(String(flag.dropFirst(name.utf8.count + 1))) }
                }
            }
            let files = try ImportedFiles.read(paths)
            try ImportedFiles.print { () throws(ImportRefusal) in
                try ForeignConfiguration.oauth2Proxy(files, flags: flags)
            }
        }
    }

    /// `portcullis import nginx`.
    struct Nginx: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "nginx",
            abstract: "Of an nginx that asks oauth2-proxy (auth_request), or that is itself a client (auth_oidc).",
            discussion: "Give the files of that oauth2-proxy behind it: they say provider, client and who may pass.")

        @Argument(help: "The configuration of nginx, or what nginx -T prints.", completion: .file())
        var file: String

        @Argument(help: "Files of oauth2-proxy.", completion: .file())
        var oauth2Proxy: [String] = []

        func run() throws {
            let files = try ImportedFiles.read([file] + oauth2Proxy)
            try ImportedFiles.print { () throws(ImportRefusal) in
                try ForeignConfiguration.nginx(files[0], oauth2Proxy: Array(files.dropFirst()))
            }
        }
    }

    /// `portcullis import mod_auth_openidc`.
    struct ModAuthOpenIDC: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mod_auth_openidc", abstract: "Of an Apache with mod_auth_openidc.")

        @Argument(help: "The configuration of Apache.", completion: .file())
        var file: String

        func run() throws {
            let files = try ImportedFiles.read([file])
            try ImportedFiles.print { () throws(ImportRefusal) in
                try ForeignConfiguration.modAuthOpenIDC(files[0])
            }
        }
    }
}

/// What the imports have in common: files are read, and what is made of them, or why nothing is, is printed.
private enum ImportedFiles {
    static func read(_ paths: [String]) throws -> [ForeignFile] {
        try paths.map { path in
            do throws(RequestDraft.Problem) {
                return ForeignFile(name: path == "-" ? "stdin" : path, bytes: try InputFile.read(path))
            } catch {
                Terminal.complain(error.text)
                throw ExitCode(2)
            }
        }
    }

    static func print(_ made: () throws(ImportRefusal) -> String) throws {
        do throws(ImportRefusal) {
            Terminal.print(try made())
        } catch {
            Terminal.complain(error.text)
            throw ExitCode(2)
        }
    }
}
