import ArgumentParser
import Configuration
import Gateway
import SharedState

/// Which sessions an operator means, and in which store they are.
struct SessionChoice: ParsableArguments {
    @Option(help: "The issuer, by its name in the configuration or its URL. (default: the one of all logins)")
    var issuer: String?

    @Option(parsing: .unconditional, help: "The user, as the issuer calls them: sub of the ID token.")
    var subject: String?

    @Option(parsing: .unconditional, help: "The authorization server's session: sid of the ID token.")
    var sid: String?

    @Option(help: "The login client, by its name in the configuration. (default: all of the issuer)")
    var client: String?

    /// What was named, at whichever issuer.
    enum Choice: Sendable {
        case subject(String)
        case serverSession(String)

        func of(_ issuer: String) -> StoredSessions.Which {
            switch self {
            case .subject(let subject): .subject(issuer: issuer, subject: subject)
            case .serverSession(let sid): .serverSession(issuer: issuer, sid: sid)
            }
        }
    }

    /// Nil unless one of the two was given.
    var choice: Choice? {
        switch (subject, sid) {
        case (let subject?, nil): .subject(subject)
        case (nil, let sid?): .serverSession(sid)
        case (nil, nil), (_?, _?): nil
        }
    }

    /// The arguments do not say what is wanted.
    func complain(_ expected: String) -> ExitCode {
        Terminal.complain("portcullis: expected \(expected)")
        return ExitCode(2)
    }

    /// The store of a configuration, and its clients whose sessions are meant.
    func place(_ config: String, needsIssuer: Bool = true) throws -> SessionPlace {
        let settings = try ConfigurationFile.load(config).settings
        guard let store = settings.store else { throw complain("store in \(config)") }
        let shared = SharedClient.all(of: settings)
        guard !shared.isEmpty else { throw complain("a client with  session: { store: shared }  in \(config)") }
        let mine = shared.filter { login in
            guard let issuer else { return true }
            return login.issuerName == issuer || login.issuer.utf8.elementsEqual(issuer.utf8)
        }
        guard !mine.isEmpty else {
            throw complain("an issuer of shared sessions after --issuer: \(Self.issuers(of: shared))")
        }
        guard !needsIssuer || Set(mine.map(\.issuer)).count == 1 else {
            throw complain("--issuer with one of \(Self.issuers(of: mine))")
        }
        let clients = mine.filter { client == nil || $0.name == client }
        guard !clients.isEmpty else {
            throw complain("a login client after --client: \(mine.map(\.name).joined(separator: ", "))")
        }
        return SessionPlace(store: store, clients: clients)
    }

    private static func issuers(of clients: [SharedClient]) -> String {
        Set(clients.map(\.issuerName)).sorted().joined(separator: ", ")
    }
}
