import Access
import Crypto
import Login
import Sessions
import SharedState

/// Compares the store with what is said to be in it, and with the keys that its replicas need besides.
struct StoreInUse {
    private let document: CheckedObject
    private let store: StoreSettings?
    private let logins: [LoginSettings]

    init(_ document: CheckedObject, _ store: StoreSettings?, _ logins: [LoginSettings]) {
        self.document = document
        self.store = store
        self.logins = logins
    }

    func judge(_ problems: ProblemList) {
        judgeSessions(problems)
        guard let store, let object = document.object("store") else { return }
        judgeKeys(store, object, problems)
        judgeNonces(store, problems)
        judgeUse(store, object, problems)
        judgeRates(store, problems)
        judgeConnections(store, object, problems)
        judgeLeftOut(store, problems)
    }

    /// Logins whose sessions each replica, or each browser, keeps for itself, beside a store that has room for sessions.
    ///
    /// Whoever adds a store thinks that all is shared then; nothing else says that it is not.
    private func judgeLeftOut(_ store: StoreSettings, _ problems: ProblemList) {
        guard store.shares.contains(.sessions) else { return }
        let entries = document.entries("clients")
        for login in logins where login.session.store != .shared && !login.session.accepts.contains(.shared) {
            guard let entry = entries.first(where: { $0.name == login.name }) else { continue }
            let session = session(of: login)
            let place = session.map { $0.says("store") ? $0.place(of: "store") : $0.place } ?? entry.place
            problems.warning(
                at: place, expected: "shared beside a store with sessions",
                found: login.session.store == .memory ? "memory" : "cookie",
                remedy: "say  session: { store: shared } , or leave sessions out of store.shares")
        }
    }

    /// What a worker has let through without the store it writes there first over a connection of its own.
    private func judgeConnections(_ store: StoreSettings, _ object: CheckedObject, _ problems: ProblemList) {
        guard store.limits.connections == .perProcess, store.proofsWhenDown == .local,
            let limits = object.object("limits")
        else { return }
        problems.error(
            at: limits.place(of: "connections"), expected: "per_worker beside when_down: { proofs: local }",
            found: "per_process", remedy: "say  connections: per_worker , or  when_down: { proofs: refuse }")
    }

    /// The logins whose sessions are in the store, or may be, and where that is said.
    private var sharing: [(login: LoginSettings, place: Place)] {
        logins.compactMap { login in
            let isIn = login.session.store == .shared
            guard isIn || login.session.accepts.contains(.shared), let session = session(of: login) else { return nil }
            return (login, session.place(of: isIn ? "store" : "accept"))
        }
    }

    private func session(of login: LoginSettings) -> CheckedObject? {
        document.entries("clients").first { $0.name == login.name }?.value?.object?.object("session")
    }

    private func judgeSessions(_ problems: ProblemList) {
        for (login, place) in sharing {
            if !document.says("store") {
                problems.error(
                    at: place, expected: "store, where shared sessions are", found: "none",
                    remedy: "add  store: { url: \"rediss://store.internal:6379\", keys: [{ file: FILE }] }")
            } else if let store, !store.shares.isEmpty, !store.shares.contains(.sessions) {
                problems.error(
                    at: place, expected: "sessions among store.shares", found: "other shares alone",
                    remedy: "add sessions to store.shares, or leave shares out")
            }
            if login.session.keys.isEmpty, !(session(of: login)?.says("keys") ?? false) {
                problems.error(
                    at: place, expected: "session.keys beside shared sessions", found: "none",
                    remedy: "logins begin at one replica and end at another: make a key with  portcullis keys new "
                        + "session --out FILE  and say  keys: [{ file: FILE }]")
            }
        }
    }

    private func judgeKeys(_ store: StoreSettings, _ object: CheckedObject, _ problems: ProblemList) {
        // Proofs are digests, which nothing seals.
        let areNeeded =
            !sharing.isEmpty || store.shares.contains(.logins) && !logins.isEmpty
            || store.shares.contains(.limits) && rates != nil
        if !object.says("keys"), areNeeded {
            problems.error(
                at: object.place, expected: "keys of what is in the store", found: "none",
                remedy: "make one with  portcullis keys new store --out FILE  and say  keys: [{ file: FILE }]")
        }
        let places = object.list("keys").map(\.place)
        guard places.count == store.keys.count else { return }
        for (key, place) in zip(store.keys, places) {
            let bytes = key.reveal()
            let other = logins.first { login in
                login.session.keys.contains { ConstantTime.equal($0.reveal().span, bytes.span) }
            }
            guard let other else { continue }
            problems.error(
                at: place, expected: "a key of its own for the store",
                found: "a session key of the client \(other.name)",
                remedy: "a key has one purpose: make one with  portcullis keys new store --out FILE")
        }
    }

    private func judgeNonces(_ store: StoreSettings, _ problems: ProblemList) {
        guard store.shares.contains(.proofs), !(document.object("dpop")?.says("nonce_keys") ?? false) else { return }
        let nonces = routes.compactMap { $0.object("token")?.object("dpop")?.text("nonce") }
        guard let first = nonces.first(where: { $0.text != "off" }) else { return }
        problems.error(
            at: first.place, expected: "dpop.nonce_keys beside a store of proofs", found: "none",
            remedy: "a replica refuses the nonces of the others: make a key with  openssl rand -base64 32  and say  "
                + "dpop: { nonce_keys: [{ file: FILE }] }")
    }

    private func judgeUse(_ store: StoreSettings, _ object: CheckedObject, _ problems: ProblemList) {
        let isUsed = store.shares.contains { share in
            switch share {
            case .sessions: !sharing.isEmpty
            case .proofs: routes.contains { $0.says("token") }
            case .logins: !logins.isEmpty
            case .limits: rates != nil
            }
        }
        // Where something does not load, what would share is not known.
        guard !isUsed, !store.shares.isEmpty, !problems.hasErrors else { return }
        problems.warning(
            at: object.place, expected: "something that is shared", found: "no login, no token and no limits.requests",
            remedy: "leave store out until there is a route with login or with token, and what it says is shared")
    }

    /// What of a rate the others do not know while the store is away, each process can tell by how many they are.
    private func judgeRates(_ store: StoreSettings, _ problems: ProblemList) {
        guard store.shares.contains(.limits), let rates, document.integer("replicas") == nil else { return }
        problems.warning(
            at: rates, expected: "replicas beside rates that they share", found: "none",
            remedy:
                "say  replicas: 3 , or as many as there are at most: while the store does not answer, each grants its "
                + "part, and without a number all of it")
    }

    /// Where the first rate of requests is said.
    private var rates: Place? {
        ([document] + routes).lazy.compactMap { $0.object("limits") }.first { !$0.list("requests").isEmpty }?
            .place(of: "requests")
    }

    private var routes: [CheckedObject] { document.list("routes").compactMap(\.object) }
}
