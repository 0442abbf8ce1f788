import ArgumentParser
import Configuration
import Gateway

/// `portcullis healthcheck`: for engines that run a command to see whether a container is well.
struct Healthcheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running gateway whether it is well, within a second.",
        discussion: """
            Asks the admin listener that a configuration names, or that of an address such as \
            http://127.0.0.1:9901/readyz; without either, /healthz at 127.0.0.1:9901. Of the configuration the \
            listener's address alone is read: a mistake elsewhere in it does not make a gateway ill that serves by \
            the former one.

            Exits 0 when the answer is 200, and 1 otherwise.
            """)

    @Argument(help: "The configuration file, or the address.", completion: .file(extensions: ["yaml", "yml"]))
    var target = "http://127.0.0.1:9901/healthz"

    /// An engine waits longer for the command itself to start.
    private static let milliseconds = 1000

    func run() throws {
        let (address, page) = try place()
        switch AskProbe.ask(page, at: address, milliseconds: Self.milliseconds) {
        case .status(200): return Terminal.print("\(page) at \(address.text): 200")
        case .status(let status): Terminal.complain("\(page) at \(address.text): expected 200, found \(status)")
        case .missing(let reason): Terminal.complain("\(page) at \(address.text): expected 200, found \(reason)")
        }
        throw ExitCode(1)
    }

    private func place() throws -> (SocketAddressSettings, page: String) {
        if target.hasPrefix("http://") {
            guard let place = ProbeAddress(target) else {
                Terminal.complain(
                    "expected an address such as http://127.0.0.1:9901/healthz, found \(target.prefix(200))")
                throw ExitCode(1)
            }
            return (place.address, place.page)
        }
        do throws(ConfigurationRefusal) {
            return (try Configuration.adminAddress(path: target), "/healthz")
        } catch {
            Terminal.complain(error.text(file: target))
            throw ExitCode(1)
        }
    }
}
