import Login
import Sessions

/// What each of several replicas would keep for itself: clients that come to another one start anew there.
struct KeysOfReplicas {
    private let document: CheckedObject
    private let replicas: Int

    init(_ document: CheckedObject) {
        self.document = document
        replicas = document.integer("replicas") ?? 1
    }

    /// Notes each kind of key that is missing once, where it is needed first, in a configuration that loads.
    ///
    /// The keys that seal session cookies are noted for one gateway already: it forgets its own at a restart.
    func judge(_ logins: [LoginSettings], _ problems: ProblemList) {
        guard replicas > 1 else { return }
        judgeTickets(problems)
        judgeNonces(problems)
        judgeAssertions(problems)
        judgeStores(logins, problems)
    }

    private var routes: [CheckedObject] { document.list("routes").compactMap(\.object) }

    private func judgeTickets(_ problems: ProblemList) {
        let tls = document.list("listeners").compactMap(\.object).compactMap { $0.object("tls") }
        guard let first = tls.first(where: { !$0.says("ticket_keys") }) else { return }
        problems.warning(
            at: first.place, expected: "ticket_keys, the same on all \(replicas) replicas", found: "none",
            remedy: "a client that comes to another replica does the whole handshake again: make a key with  "
                + "openssl rand -base64 32  and say  ticket_keys: [{ file: FILE }]")
    }

    private func judgeNonces(_ problems: ProblemList) {
        guard !(document.object("dpop")?.says("nonce_keys") ?? false) else { return }
        let rules = routes.compactMap { $0.object("token")?.object("dpop") }
        let nonces = rules.compactMap { $0.text("nonce") }
        guard let first = nonces.first(where: { $0.text != "off" }) else { return }
        problems.warning(
            at: first.place, expected: "dpop.nonce_keys, the same on all \(replicas) replicas", found: "none",
            remedy: "a replica refuses the nonces of the others, and clients ask twice: make a key with  "
                + "openssl rand -base64 32  and say  dpop: { nonce_keys: [{ file: FILE }] }")
    }

    private func judgeAssertions(_ problems: ProblemList) {
        guard !(document.object("assertion_keys")?.says("files") ?? false) else { return }
        let credentials = routes.compactMap { $0.object("upstream_credential") }
        guard let first = credentials.first(where: { $0.says("assertion") }) else { return }
        problems.warning(
            at: first.place, expected: "assertion_keys.files, the same on all \(replicas) replicas", found: "none",
            remedy: "an upstream that reads one replica's keys refuses the assertions of the others: make a key with  "
                + "portcullis keys new assertion --out FILE  and say  assertion_keys: { files: [FILE] }")
    }

    private func judgeStores(_ logins: [LoginSettings], _ problems: ProblemList) {
        // With a store beside, its own warning says what to write.
        guard !document.says("store") else { return }
        let entries = document.entries("clients")
        for login in logins where login.session.store == .memory {
            guard let session = entries.first(where: { $0.name == login.name })?.value?.object?.object("session")
            else { continue }
            problems.warning(
                at: session.place(of: "store"), expected: "store: cookie, which all \(replicas) replicas can open",
                found: "memory",
                remedy: "a replica does not know the sessions of the others, and sends people to sign in again: leave "
                    + "store out, or keep each browser at one replica")
        }
    }
}
