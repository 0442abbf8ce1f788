// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Gateway
import Issuers

/// `portcullis check CONFIG`: everything that `run` checks before it listens.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell every problem of a configuration, with place and remedy.",
        discussion: "Exits 0 when the configuration is valid (warnings may be printed), 2 when it is not.")

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    func run() throws {
        let settings = try ConfigurationFile.load(config).settings
        Terminal.print("configuration is valid")
        for listener in settings.listeners {
            let tls = listener.tls == nil ? "plain" : "TLS"
            Terminal.print("listener  \(listener.address.text) (\(tls)) for \(listener.publicURL)")
        }
        for issuer in settings.issuers { Terminal.print("issuer    \(issuer.name): \(issuer.url)") }
        for address in LoginAddresses.redirects(settings) {
            Terminal.print("login     \(address.login): redirect_uri \(address.url)")
        }
        let open = settings.routes.filter { if case .publicAccess = $0.access { true } else { false } }.count
        Terminal.print("routes    \(settings.routes.count), \(open) of them public")
    }
}

/// What `check` and `run` have in common: the file is loaded, its problems are printed.
enum ConfigurationFile {
    /// The settings and the warnings; a configuration that does not load ends the command with status 2.
    static func load(_ path: String) throws -> LoadedConfiguration {
        do throws(ConfigurationRefusal) {
            let loaded = try Configuration.load(path: path)
            for warning in loaded.warnings { Terminal.complain(warning.text(file: path)) }
            return loaded
        } catch {
            Terminal.complain(error.text(file: path))
            throw ExitCode(2)
        }
    }
}
