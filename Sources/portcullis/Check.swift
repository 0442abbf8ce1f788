import Access
import Explain
import ArgumentParser
import Configuration
import Gateway
import Glibc
import Issuers
import SharedState

/// `portcullis check CONFIG`: everything that `run` checks before it listens.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell every problem of a configuration, with place and remedy.",
        discussion: "Exits 0 when the configuration is valid (warnings may be printed), 2 when it is not.")

    @Argument(help: "The configuration file; - is standard input.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    @Flag(help: "Print what was found as JSON.")
    var json = false

    func run() throws {
        let file = config == "-" ? "stdin" : config
        let loaded: LoadedConfiguration
        do throws(ConfigurationRefusal) {
            loaded = try ConfigurationFile.read(config)
        } catch {
            if json {
                Terminal.print(String(decoding: CheckReport(file: file, error).json, as: UTF8.self))
            } else {
                Terminal.complain(error.text(file: file))
            }
            throw ExitCode(2)
        }
        let notes = FilesOfRoot.notes(on: loaded.files.map(\.path))
        guard !json else {
            let report = CheckReport(file: file, loaded, notes: notes)
            return Terminal.print(String(decoding: report.json, as: UTF8.self))
        }
        for warning in loaded.warnings { Terminal.complain(warning.text(file: file)) }
        for note in notes { Terminal.complain("note: \(note)") }
        sum(up: loaded.settings)
    }

    private func sum(up settings: GatewaySettings) {
        Terminal.print("configuration is valid")
        for listener in settings.listeners {
            let tls = listener.tls == nil ? "plain" : "TLS"
            Terminal.print("listener  \(listener.address.text) (\(tls)) for \(listener.publicURL)")
        }
        for host in settings.hosts { Terminal.print("host      \(host.name) for \(host.publicURL)") }
        for issuer in settings.issuers { Terminal.print("issuer    \(issuer.name): \(issuer.url)") }
        for address in LoginAddresses.all(settings) {
            Terminal.print("login     \(address.login): \(address.name) \(address.url)")
        }
        if let store = settings.store {
            Terminal.print("store     \(store.summary)")
            let (workers, connections) = (settings.workers, store.connections(workers: settings.workers))
            Terminal.print(
                "store     connections of a process to each server, at most: \(connections), with \(workers) workers")
        }
        Terminal.print("routes    \(settings.routes.count), \(settings.publicRoutes) of them public")
    }
}

extension StoreSettings {
    /// Where it is and what is in it, on one line.
    fileprivate var summary: String {
        let own = sentinel?.addresses ?? addresses
        let shared = shares.map { "\($0)" }.joined(separator: ", ")
        return own.map(\.text).joined(separator: " ")
            + " (\(topology), prefix \(prefix)): \(shared.isEmpty ? "nothing" : shared)"
    }
}

extension StoreSettings.Address {
    /// As a URL, which has neither user nor password here.
    fileprivate var text: String {
        switch self {
        case .network(let host, let port, let isSecure):
            "\(isSecure ? "rediss" : "redis")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}

/// What `check` and `run` have in common: the file is loaded, its problems are printed.
enum ConfigurationFile {
    /// The configuration in a file, or on standard input for `-`, where relative paths start at the working folder.
    static func read(_ path: String) throws(ConfigurationRefusal) -> LoadedConfiguration {
        guard path == "-" else { return try Configuration.load(path: path) }
        let text: [UInt8]
        do throws(RequestDraft.Problem) {
            text = try InputFile.read(path)
        } catch {
            throw .problems([.unreadableInput(error.text)])
        }
        return try Configuration.load(text: text, folder: ".", from: .system)
    }

    /// The settings and the warnings; a configuration that does not load ends the command with status 2.
    static func load(_ path: String) throws -> LoadedConfiguration {
        do throws(ConfigurationRefusal) {
            return try Configuration.load(path: path)
        } catch {
            Terminal.complain(error.text(file: path))
            throw ExitCode(2)
        }
    }
}

/// A check by root finds every file readable, and the service, which runs as somebody else, does not.
enum FilesOfRoot {
    /// What whoever checks as root should know of the files that a configuration names.
    static func notes(on paths: [String]) -> [String] {
        guard geteuid() == 0 else { return [] }
        let closed = paths.filter { path in
            var status = stat()
            guard stat(path, &status) == 0, status.st_uid == 0, status.st_mode & 0o004 == 0 else { return false }
            return status.st_mode & 0o040 == 0 || status.st_gid == 0
        }
        guard !closed.isEmpty else { return [] }
        let some = closed.prefix(5).joined(separator: ", ") + (closed.count > 5 ? " and \(closed.count - 5) more" : "")
        return [
            "checked as root, who alone can read \(some): a service that runs as another user cannot start with that"
        ]
    }
}
