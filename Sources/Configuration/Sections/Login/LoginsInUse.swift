import Issuers
import Login
import Sessions

/// The clients with login keys: those that a route names become logins, the others are judged all the same.
struct LoginsInUse {
    private let entries: [CheckedEntry]
    private let clients: [ClientSettings]

    init(_ document: CheckedObject, _ clients: [ClientSettings]) {
        entries = document.entries("clients")
        self.clients = clients
    }

    /// The logins of the gateway, in the order of their clients.
    func translate(_ context: LoginContext) -> [LoginSettings] {
        var logins: [LoginSettings] = []
        for entry in entries {
            let isNamed = context.names.index(of: entry.name) != nil
            guard isNamed || LoginSection.keys.contains(where: { entry.value?.object?.says($0.name) ?? false }) else {
                continue
            }
            guard let index = clients.firstIndex(where: { $0.name == entry.name }) else {
                LoginSection.judge(entry, context)
                continue
            }
            guard let login = LoginSection.translate(entry, clients[index], at: index, context), isNamed
            else { continue }
            refuseCookie(of: login, entry, beside: logins, context.translation.problems)
            logins.append(login)
        }
        return logins
    }

    /// Notes the logins whose sessions a key of this process alone seals, in a configuration that loads.
    ///
    /// No other process, and not this one after a restart, can open their cookies.
    func warnOfPassingKeys(_ logins: [LoginSettings], _ problems: ProblemList) {
        for login in logins where login.session.store == .cookie && login.session.keys.isEmpty {
            guard let entry = entries.first(where: { $0.name == login.name }), let object = entry.value?.object else {
                continue
            }
            problems.warning(
                at: object.says("session") ? object.place(of: "session") : entry.place,
                expected: "session.keys for sessions that outlive this process", found: "none",
                remedy: "a restart logs everybody out, and replicas do not know each other's sessions: make a key "
                    + "with  portcullis keys new session --out FILE  and say  session: { keys: [{ file: FILE }] }")
        }
    }

    /// Notes the sessions that more hosts get than have their logins, in a configuration that loads.
    func warnOfDomains(_ logins: [LoginSettings], _ problems: ProblemList) {
        for login in logins {
            guard let domain = login.session.domain,
                let session = entries.first(where: { $0.name == login.name })?.value?.object?.object("session")
            else { continue }
            problems.warning(
                at: session.place(of: "domain"), expected: "sessions in a cookie of one host",
                found: "those of \(domain)",
                remedy:
                    "each server under \(domain) is sent its users' sessions, and can plant its own on other hosts: "
                    + "trust all of them, or leave it out and say silent_first in a client for each host")
        }
    }

    /// Two logins with one cookie would sign the browser out of each other.
    private func refuseCookie(
        of login: LoginSettings, _ entry: CheckedEntry, beside others: [LoginSettings], _ problems: ProblemList
    ) {
        let name = login.session.cookieName.lowercased()
        guard let other = others.first(where: { $0.session.cookieName.lowercased() == name }) else { return }
        let session = entry.value?.object?.object("session")
        problems.error(
            at: session?["cookie"]?.place ?? entry.place, expected: "a cookie of its own for each login",
            found: "\(login.session.cookieName), which is also that of \(other.name)", remedy: "rename one of them")
    }
}
