package import Systemd
import Transport

/// The sockets that this process was started with, in place of those that its listeners would open.
///
/// They are the process's for as long as it lives: each reload gives them to listeners anew.
package struct ActivatedSockets: Sendable {
    private let sockets: [HandedOverSocket]

    /// Reads what was handed over; nothing where no manager started this process.
    package init(_ environment: ServiceEnvironment, ownPID: Int32) throws(HandOverRefusal) {
        do throws(ServiceEnvironmentFault) {
            sockets = try HandedOverSocket.all(in: environment, ownPID: ownPID)
        } catch {
            throw HandOverRefusal(error)
        }
        var problems: [HandOverProblem] = []
        for socket in sockets {
            guard let found = InheritedListener.adopt(socket.descriptor) else { continue }
            problems.append(.unfit(socket.name, descriptor: socket.descriptor, found: found))
        }
        guard problems.isEmpty else { throw HandOverRefusal(problems) }
    }

    /// Gives each listener the socket of its name; what deserves a second look, a sentence each.
    ///
    /// Throws what does not fit together: a surplus socket would let clients wait for nobody.
    package func assign(to settings: inout GatewaySettings) throws(HandOverRefusal) -> [String] {
        let names = settings.listeners.map(\.name) + [AdminSettings.name]
        let (places, problems) = HandedOverSocket.match(sockets, to: names, optional: [AdminSettings.name])
        guard problems.isEmpty else { throw HandOverRefusal(problems) }
        var warnings: [String] = []
        for (index, socket) in places.enumerated() {
            guard let socket else { continue }
            let isAdmin = index == settings.listeners.count
            var address = isAdmin ? settings.admin.address : settings.listeners[index].address
            if let warning = Self.warning(socket, address) { warnings.append(warning) }
            address.handedOver = socket
            if isAdmin { settings.admin.address = address } else { settings.listeners[index].address = address }
        }
        return warnings
    }

    /// Where the socket is decides who reaches it, and not what the configuration says of its listener.
    private static func warning(_ socket: HandedOverSocket, _ settings: SocketAddressSettings) -> String? {
        let found = Socket.localAddress(of: socket.descriptor)
        guard found.description != settings.text else { return nil }
        // Both are every address of the machine.
        let everywhere = ["0.0.0.0", "::"]
        if !found.isUnix, found.port == settings.port, everywhere.contains(found.host),
            everywhere.contains(settings.host)
        {
            return nil
        }
        return "the listener \(socket.name) is at \(found.description), where its socket unit opened it, "
            + "and not at \(settings.text)"
    }
}

/// Why sockets that were handed over cannot be used.
package struct HandOverRefusal: Error, Sendable {
    private let problems: [(sentence: String, remedy: String?)]

    init(_ fault: ServiceEnvironmentFault) { problems = [(fault.description, nil)] }

    init(_ problems: [HandOverProblem]) { self.problems = problems.map { ($0.description, $0.remedy) } }

    /// Each problem with its remedy in a second line, for a terminal.
    package var texts: [String] {
        problems.map { problem in problem.sentence + (problem.remedy.map { "\n    \($0)" } ?? "") }
    }

    /// Each problem in one line, for a log.
    package var lines: [String] {
        problems.map { problem in problem.sentence + (problem.remedy.map { "; \($0)" } ?? "") }
    }
}
