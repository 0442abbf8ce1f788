import Explain
import ArgumentParser
import Configuration
import Gateway
import Glibc
import Systemd

/// `portcullis run CONFIG`: serves until it is told to stop.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve in the foreground; SIGHUP reads the configuration again, SIGTERM drains.",
        discussion: """
            Exits 2 when the configuration is not valid, or does not fit the sockets that a service manager handed over; \
            nothing is listened to then. Exits 1 when the machine does not allow what the configuration says.
            """)

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    func run() throws {
        let environment = ServiceEnvironment { name in getenv(name).map { String(cString: $0) } }
        let loaded = try ConfigurationFile.load(config)
        let sockets: ActivatedSockets
        let first: NewConfiguration
        do throws(HandOverRefusal) {
            sockets = try ActivatedSockets(environment, ownPID: getpid())
            first = try sockets.serving(loaded, file: config)
        } catch {
            for problem in error.texts { Terminal.complain("\(config): \(problem)") }
            throw ExitCode(2)
        }
        try serve(first, by: sockets, environment)
    }

    /// Serves as the configuration says and returns when all is drained.
    ///
    /// Exits 1 when a socket, a file or a thread is not to be had: the configuration was right, the machine was not.
    private func serve(
        _ first: NewConfiguration, by sockets: ActivatedSockets, _ environment: ServiceEnvironment
    ) throws {
        if !ProcessLimits.giveUpPrograms() {
            Terminal.complain("portcullis: the kernel does not let it give up to run other programs")
        }
        let config = config
        let source = ConfigurationSource(path: config, text: first.text, files: first.files) { text in
            Self.again(config, text, sockets)
        }
        do throws(GatewayFailure) {
            try Gateway(
                first.settings, version: Version.number, warnings: first.warnings, source: source,
                service: environment, explain: Explanation.page
            ).run()
        } catch {
            Terminal.complain("\(config): \(error.description)" + (error.remedy.map { "\n    \($0)" } ?? ""))
            throw ExitCode(1)
        }
    }

    /// The configuration as it is by now; of this text, where one is given, and the other files as they are.
    private static func again(
        _ config: String, _ text: ConfigurationText?, _ sockets: ActivatedSockets
    ) -> Result<NewConfiguration, ConfigurationFault> {
        let files = FilesRead()
        let loaded: LoadedConfiguration
        do throws(ConfigurationRefusal) {
            loaded =
                if let text {
                    try Configuration.load(text: text, of: config, noting: files)
                } else {
                    try Configuration.load(path: config, noting: files)
                }
        } catch {
            return .failure(ConfigurationFault(problems: error.lines(file: config), files: files.files))
        }
        do throws(HandOverRefusal) {
            return .success(try sockets.serving(loaded, file: config))
        } catch {
            return .failure(ConfigurationFault(problems: error.lines, files: files.files))
        }
    }
}

extension ActivatedSockets {
    /// The configuration with its listeners at the sockets that were handed over.
    fileprivate func serving(
        _ loaded: LoadedConfiguration, file: String
    ) throws(HandOverRefusal) -> NewConfiguration {
        var settings = loaded.settings
        let notes = try assign(to: &settings)
        return NewConfiguration(
            settings: settings, warnings: loaded.warningLines(file: file) + notes, text: loaded.text,
            files: loaded.files)
    }
}
