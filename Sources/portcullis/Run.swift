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
        discussion: "Exits 2 when the configuration is not valid; nothing is listened to then.")

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    func run() throws {
        try serve(try ConfigurationFile.load(config), configurationPath: config)
    }
}

/// Serves as the configuration says and returns when all is drained.
///
/// Exits 1 when a socket, a file or a thread is not to be had: the configuration was right, the machine was not.
func serve(_ loaded: LoadedConfiguration, configurationPath: String) throws {
    do throws(GatewayFailure) {
        let warnings = loaded.warningLines(file: configurationPath)
        let source = ConfigurationSource(files: loaded.files) {
            do throws(ConfigurationRefusal) {
                let again = try Configuration.load(path: configurationPath)
                return .success(
                    NewConfiguration(
                        settings: again.settings,
                        warnings: again.warningLines(file: configurationPath), files: again.files))
            } catch {
                return .failure(ConfigurationFault(problems: error.lines(file: configurationPath)))
            }
        }
        try Gateway(
            loaded.settings, version: Version.number, warnings: warnings, source: source,
            service: ServiceEnvironment { name in getenv(name).map { String(cString: $0) } }, explain: Explanation.page
        ).run()
    } catch {
        Terminal.complain("\(configurationPath): \(error.description)" + (error.remedy.map { "\n    \($0)" } ?? ""))
        throw ExitCode(1)
    }
}
