import ArgumentParser
import Configuration
import Gateway
import SharedState
import Telemetry

/// `portcullis sessions …`: what several gateways have in their store, for whoever runs them (SH-29).
struct Sessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List or end sessions in the store that several gateways have in common.",
        discussion: """
            Works on the store alone, with the settings of store in the configuration: no gateway is asked, and none has to \
            run. Who a session is of, and what it holds, opens with its browser's cookie alone: a session is named by the \
            issuer and what it calls its user (--subject) or its own session (--sid).

            Exits 0 when the store has answered, 1 when it could not be asked, and 2 when the configuration or the \
            arguments are not valid.
            """,
        subcommands: [List.self, End.self])

    /// `portcullis sessions list FILE`: begin, last use and end of each.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the sessions of a user, or of one session of the authorization server.",
            discussion: """
                One line a session: its name, its login client, when it began, was last used and ends at the latest, in UTC. \
                Begin is reckoned from the end and session.absolute. The last use, to a minute, is there where the store's \
                user may read it (+pttl).
                """)

        @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
        var config: String

        @OptionGroup var which: SessionChoice

        func run() throws {
            guard let choice = which.choice else { throw which.complain("--subject or --sid") }
            let place = try which.place(config)
            let clients = place.clients
            let found = try SessionCommand.run(place.store) { store async throws(StoreRefusal) in
                var found: [(String, StoredSession)] = []
                for client in clients {
                    let sessions = try await client.sessions(in: store).list(choice.of(client.issuer))
                    found += sessions.map { (client.name, $0) }
                }
                return found
            }
            guard !found.isEmpty else { return Terminal.print("no session") }
            Terminal.print("NAME                    CLIENT            BEGAN                 LAST USED             ENDS")
            for (client, session) in found {
                let cells = [
                    session.name.padded(to: 24), client.padded(to: 18), time(session.begun).padded(to: 22),
                    (session.lastUsed.map(time) ?? "-").padded(to: 22), time(session.end),
                ]
                Terminal.print(cells.joined())
            }
        }

        private func time(_ seconds: Int64) -> String { UnixTime.text(seconds) }
    }

    /// `portcullis sessions end FILE`: ends them at all gateways.
    struct End: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End the sessions of a user, of one session of the authorization server, or one that list names.",
            discussion: """
                Gateways close open streams and WebSockets of what has ended within milliseconds, and let nobody in with it \
                after store.recheck at the latest. A login of the user that is under way ends too. A gateway that has the \
                session open revokes its tokens; without one, those of clients with session.revocable are revoked, and others \
                end by themselves.
                """)

        @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
        var config: String

        @OptionGroup var which: SessionChoice

        // A name may begin with a minus sign.
        @Option(parsing: .unconditional, help: "The name of one session, as list prints it.")
        var id: String?

        func run() throws {
            if let id {
                guard which.choice == nil else { throw which.complain("--id alone, or --subject or --sid") }
                return try end(named: id)
            }
            guard let choice = which.choice else { throw which.complain("--subject, --sid or --id") }
            let place = try which.place(config)
            let clients = place.clients
            let count = try SessionCommand.run(place.store) { store async throws(StoreRefusal) in
                var count = 0
                for client in clients {
                    count += try await client.sessions(in: store).end(choice.of(client.issuer))
                }
                return count
            }
            Terminal.print("ended \(count)")
        }

        private func end(named id: String) throws {
            let place = try which.place(config, needsIssuer: false)
            // The client of a name cannot be told: its ending is remembered for as long as any session could live.
            guard let client = SharedClient.longest(of: place.clients) else { return }
            let ended = try SessionCommand.run(place.store) { store async throws(StoreRefusal) in
                try await client.sessions(in: store).end(named: id)
            }
            guard let ended else { throw which.complain("the name of a session, 22 characters, after --id") }
            Terminal.print(ended ? "ended 1" : "ended 0")
        }
    }
}
